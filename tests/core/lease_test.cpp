#include "interlock/lease.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace interlock {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::seconds;

const TimePoint sent{seconds{1000}};

Lease lease_of(Ttl ttl, SafetyMargin margin, TimePoint at = sent) {
  return Lease(LockName::parse("deploy").value(), OwnerToken("il1:a"), FencingToken(7), ttl, at,
               margin);
}

// 900 ms of certain lifetime: 1000 less 5 % less 50 ms.
Lease round_lease() {
  return lease_of(Ttl(milliseconds{1000}), SafetyMargin(50'000, milliseconds{50}));
}

TEST(SafetyMargin, TakesOnePercentAnd5MillisecondsByDefault) {
  EXPECT_EQ(SafetyMargin().certain_lifetime(Ttl(seconds{30})), milliseconds{29'695});
  EXPECT_EQ(SafetyMargin().certain_lifetime(Ttl(milliseconds{100})), milliseconds{94});
}

TEST(SafetyMargin, NeverLeavesLessThanNothing) {
  EXPECT_EQ(SafetyMargin().certain_lifetime(Ttl(milliseconds{1})), Duration::zero());
  EXPECT_EQ(SafetyMargin().certain_lifetime(Ttl(milliseconds{5})), Duration::zero());
  EXPECT_EQ(SafetyMargin().certain_lifetime(Ttl(milliseconds{6})), microseconds{940});
  EXPECT_EQ(SafetyMargin(1'000'000, {}).certain_lifetime(Ttl(seconds{30})), Duration::zero());
}

TEST(SafetyMargin, OfNothingLeavesTheWholeTtl) {
  EXPECT_EQ(SafetyMargin(0, {}).certain_lifetime(Ttl(seconds{30})), seconds{30});
}

TEST(SafetyMargin, OutsideItsRangeIsRefusedWithFieldValueAndRange) {
  EXPECT_TRUE(SafetyMargin::parse(0, Duration::zero()));
  EXPECT_TRUE(SafetyMargin::parse(1'000'000, Ttl::longest));
  const auto refused = [](std::int64_t ppm, Duration fixed) {
    const auto margin = SafetyMargin::parse(ppm, fixed);
    if (margin) return std::string("accepted");
    EXPECT_EQ(margin.error().code(), Errc::invalid_argument);
    return margin.error().detail();
  };
  EXPECT_EQ(refused(-1, {}), "safety margin: drift of -1 ppm is out of range: choose 0 to 1000000");
  EXPECT_EQ(refused(1'000'001, {}),
            "safety margin: drift of 1000001 ppm is out of range: choose 0 to 1000000");
  EXPECT_EQ(refused(0, Duration{-1}),
            "safety margin: fixed part of -1 us is out of range: choose 0 to 365 days");
  EXPECT_NE(refused(0, Duration::max()), "accepted");
}

TEST(SafetyMarginDeathTest, AConstantOutsideTheRangeIsToldAsTheCallersMistake) {
  EXPECT_DEATH(static_cast<void>(SafetyMargin(0, Duration{-1})),
               "interlock: misuse: safety margin");
}

TEST(SafetyMargin, DoesNotOverflowAt365Days) {
  const Duration year = Ttl::longest;
  EXPECT_EQ(SafetyMargin().certain_lifetime(Ttl(Ttl::longest)),
            year - year / 100 - milliseconds{5});
  EXPECT_EQ(SafetyMargin(999'999, {}).certain_lifetime(Ttl(Ttl::longest)), year / 1'000'000);
}

RC_GTEST_PROP(SafetyMargin, IsAtLeastTheDriftOfTheWholeTtl, ()) {
  const auto ms = *rc::gen::inRange<std::int64_t>(1, Ttl::longest.count() + 1);
  const auto ppm = *rc::gen::inRange<std::int64_t>(0, 1'000'001);
  const Duration whole = milliseconds{ms};
  const Duration certain = SafetyMargin(ppm, {}).certain_lifetime(Ttl(milliseconds{ms}));
  RC_ASSERT(certain >= Duration::zero());
  RC_ASSERT(certain <= whole);
  const long double exact = static_cast<long double>(whole.count()) *
                            static_cast<long double>(1'000'000 - ppm) / 1'000'000.0L;
  RC_ASSERT(static_cast<long double>(certain.count()) < exact + 2.0L);
  RC_ASSERT(static_cast<long double>(certain.count()) > exact - 2.0L);
}

TEST(Lease, IsHeldThenAtRiskThenLostAtExactInstants) {
  const Lease lease = round_lease();
  const microseconds tick{1};
  EXPECT_EQ(lease.renewal_due(), sent + milliseconds{300});
  EXPECT_EQ(lease.at_risk_from(), sent + milliseconds{600});
  EXPECT_EQ(lease.certain_until(), sent + milliseconds{900});
  EXPECT_EQ(lease.state(sent), LeaseState::held);
  EXPECT_EQ(lease.state(sent + milliseconds{600} - tick), LeaseState::held);
  EXPECT_EQ(lease.state(sent + milliseconds{600}), LeaseState::at_risk);
  EXPECT_EQ(lease.state(sent + milliseconds{900} - tick), LeaseState::at_risk);
  EXPECT_EQ(lease.state(sent + milliseconds{900}), LeaseState::lost);
  EXPECT_EQ(lease.state(TimePoint::max()), LeaseState::lost);
}

TEST(Lease, ByAnOfferIsRenewedSoonerThanOthers) {
  const auto by_offer = [](Duration lasts) {
    return Lease(*LockName::parse("deploy"), OwnerToken("me"), FencingToken(1), Ttl(seconds{30}),
                 sent, sent + lasts, SafetyMargin(), 1, false);
  };
  EXPECT_EQ(by_offer(milliseconds{300}).renewal_due(), sent + milliseconds{10});
  EXPECT_EQ(by_offer(milliseconds{300}).at_risk_from(), sent + milliseconds{200});
  EXPECT_EQ(by_offer(milliseconds{12}).renewal_due(), sent + milliseconds{4});
}

TEST(Lease, CountsDownToZeroAndStaysThere) {
  const Lease lease = round_lease();
  EXPECT_EQ(lease.remaining(sent), milliseconds{900});
  EXPECT_EQ(lease.remaining(sent + milliseconds{899}), milliseconds{1});
  EXPECT_EQ(lease.remaining(sent + milliseconds{900}), Duration::zero());
  EXPECT_EQ(lease.remaining(sent + hours{1}), Duration::zero());
}

TEST(Lease, WithATtlBelowTheMarginIsLostFromTheStart) {
  const Lease lease = lease_of(Ttl(milliseconds{1}), SafetyMargin());
  EXPECT_EQ(lease.state(sent), LeaseState::lost);
  EXPECT_EQ(lease.remaining(sent), Duration::zero());
}

TEST(Lease, Of365DaysOnAClockThatHasRunForYearsDoesNotOverflow) {
  const TimePoint late{hours{24 * 365 * 100}};
  const Lease lease = lease_of(Ttl(Ttl::longest), SafetyMargin(), late);
  EXPECT_GT(lease.certain_until(), late + hours{24 * 360});
  EXPECT_GT(lease.at_risk_from(), lease.renewal_due());
  EXPECT_EQ(lease.state(late + hours{24 * 300}), LeaseState::at_risk);
}

TEST(Lease, RenewedIsTheSameLeaseCountedFromTheLaterRequest) {
  const Lease lease = round_lease();
  const SafetyMargin margin(50'000, milliseconds{50});
  const Lease renewed = lease.renewed(sent + milliseconds{300}, margin);
  EXPECT_EQ(renewed.name(), lease.name());
  EXPECT_EQ(renewed.owner(), lease.owner());
  EXPECT_EQ(renewed.fencing(), lease.fencing());
  EXPECT_EQ(renewed.ttl(), lease.ttl());
  EXPECT_EQ(renewed.sent(), sent + milliseconds{300});
  EXPECT_EQ(renewed.certain_until(), sent + milliseconds{1200});
  EXPECT_EQ(lease.certain_until(), sent + milliseconds{900});
}

}  // namespace
}  // namespace interlock
