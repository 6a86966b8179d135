// A choice is a branch of the search: every number of its range is some run's, in complete searches
// and in those by chance, and what cannot be told apart is refused. Only jitter may be cut, by who
// asks for it, and the verdict says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Key any("any");

enum class Draws : std::uint8_t { by_choose, by_tokens };
enum class When : std::uint8_t { at_the_start, after_an_answer };

class Draw {
 public:
  std::uint64_t bound = 2;
  std::uint64_t bad = 0;
  When when = When::at_the_start;
  Draws draws = Draws::by_choose;
};

std::uint64_t draw(Client& me, const Draw& how) {
  return how.draws == Draws::by_choose ? me.choose(how.bound) : me.tokens().below(how.bound);
}

Task<void> draws_once(Client& me, Draw how) {
  if (how.when == When::after_an_answer) static_cast<void>(co_await me.store().get(any));
  me.reach("bad", draw(me, how) == how.bad);
  static_cast<void>(co_await me.store().get(any));
}

Scenario drawing(Draw how) {
  Scenario scenario("drawing");
  scenario.client([how](Client& me) { return draws_once(me, how); }).require(never("bad"));
  return scenario;
}

class EveryNumber : public ::testing::TestWithParam<std::tuple<std::uint64_t, When, Draws>> {};

TEST_P(EveryNumber, OfAChoiceIsSomeRuns) {
  const auto [bound, when, draws] = GetParam();
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{1}, bound / 2, bound - 1}) {
    if (bad >= bound) continue;
    const Verdict verdict = explore(drawing(Draw{bound, bad, when, draws}));
    EXPECT_EQ(verdict.outcome, Outcome::violated) << bad << " of " << bound;
  }
  const Verdict none = explore(drawing(Draw{bound, bound, when, draws}));
  EXPECT_EQ(none.outcome, Outcome::proved) << describe(none);
  EXPECT_THAT(none.trusts, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Bounds,
                         EveryNumber,
                         ::testing::Combine(::testing::Values(1, 2, 4, 5, 6, 10, 17, 31, 100, 1024),
                                            ::testing::Values(When::at_the_start,
                                                              When::after_an_answer),
                                            ::testing::Values(Draws::by_choose, Draws::by_tokens)));

TEST(Choices, OfMoreWaysThanFitAreRefused) {
  for (const std::uint64_t bound : {std::uint64_t{1025}, std::uint64_t{1} << 50}) {
    for (const When when : {When::at_the_start, When::after_an_answer}) {
      const Verdict verdict = explore(drawing(Draw{bound, 3, when, Draws::by_tokens}));
      EXPECT_EQ(verdict.outcome, Outcome::invalid);
      EXPECT_THAT(verdict.reason, HasSubstr("client A has more than 1024 ways to go on, "));
      EXPECT_THAT(verdict.reason, HasSubstr("sim::JitterAtItsEnds"));
    }
  }
}

Task<void> draws_often(Client& me, int times, bool loops) {
  std::uint64_t sum = 0;
  for (int left = times; left > 0; --left) {
    sum += me.choose(2);
    if (loops && left == times / 2) co_await me.loop_head(left, sum);
  }
  me.reach("bad", sum == static_cast<std::uint64_t>(times));
  static_cast<void>(co_await me.store().get(any));
}

Verdict drawing_often(int times, bool loops) {
  Scenario scenario("often");
  scenario.client([=](Client& me) { return draws_often(me, times, loops); }).require(never("bad"));
  return explore(scenario);
}

TEST(Choices, OfOneStepAreAllTakenTogether) {
  for (const bool loops : {false, true}) {
    EXPECT_EQ(drawing_often(10, loops).outcome, Outcome::violated);
    const Verdict verdict = drawing_often(11, loops);
    EXPECT_EQ(verdict.outcome, Outcome::invalid);
    EXPECT_THAT(verdict.reason, HasSubstr("more than 1024 ways to go on"));
  }
}

Task<void> draws_for_ever(Client& me) {
  while (me.choose(2) == 0) continue;
  static_cast<void>(co_await me.store().get(any));
}

TEST(Choices, WithoutEndInOneStepAreRefused) {
  Scenario scenario("for ever");
  scenario.client(draws_for_ever).require(never("bad"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("client A chooses more than 1024 times in one step"));
}

// It breaks the lock if it comes while the other sleeps beyond its lease, and not if it comes
// earlier.
Task<void> comes_some_time(Client& me, std::uint64_t latest) {
  const OwnerToken token = me.tokens().fresh();
  const TimePoint now = me.time().now();
  co_await me.time().sleep_until(now + seconds(me.choose(latest)));
  const std::optional<milliseconds> ttl = seconds{2};
  const Result<bool> taken = co_await me.store().set_if_absent(any, token.text(), ttl);
  if (!taken || !*taken) co_return;
  me.enter("lock");
  const TimePoint later = me.time().now() + seconds{4};
  co_await me.time().sleep_until(later);
  co_await me.leave("lock");
}

TEST(Choices, OfALargerRangeNeverProveWhatASmallerOneRefutes) {
  for (const std::uint64_t latest : {4U, 5U, 6U, 10U}) {
    Scenario scenario("arrivals");
    scenario.clients(2, [=](Client& me) { return comes_some_time(me, latest); })
        .instants(12)
        .faults(FaultBudget().pauses(0))
        .require(mutual_exclusion("lock"));
    EXPECT_EQ(explore(scenario).outcome, Outcome::violated) << latest;
  }
}

TEST(Choices, OfRunsByChanceAreAmongAllNumbers) {
  RandomSearch how;
  how.runs = 5'000;
  const RandomVerdict found =
      search_at_random(drawing(Draw{100, 57, When::after_an_answer, Draws::by_choose}), how);
  EXPECT_EQ(found.verdict.outcome, Outcome::violated) << found.verdict.reason;
}

TEST(Choices, StandInSchedules) {
  // The first two start and ask in one step; who has more ways to start does so in a step of its
  // own.
  for (const std::uint64_t bound : {8U, 30U, 40U, 1024U}) {
    for (const When when : {When::at_the_start, When::after_an_answer}) {
      const Scenario scenario = drawing(Draw{bound, bound - 1, when, Draws::by_choose});
      const Verdict verdict = explore(scenario);
      ASSERT_EQ(verdict.outcome, Outcome::violated);
      const Result<sim::Run> again = replay(scenario, make_schedule(verdict.run));
      ASSERT_TRUE(again) << again.error().detail();
      EXPECT_EQ(describe(*again), describe(verdict.run));
      const Result<ShortSchedule> line = parse_short(print_short(verdict.run, {}));
      ASSERT_TRUE(line) << line.error().detail();
      const Result<sim::Run> from_line = replay(scenario, *line);
      ASSERT_TRUE(from_line) << from_line.error().detail();
      EXPECT_EQ(describe(*from_line), describe(verdict.run));
    }
  }
}

// --- jitter --------------------------------------------------------------------------------------

Task<void> draws_at_ends(Client& me, std::uint64_t bound, std::uint64_t bad) {
  JitterAtItsEnds ends(me);
  const OwnerToken token = ends.fresh();
  static_cast<void>(co_await me.store().set(any, token.text()));
  me.reach("bad", ends.below(bound) == bad);
}

Verdict drawing_at_ends(std::uint64_t bound, std::uint64_t bad) {
  Scenario scenario("ends");
  scenario.client([=](Client& me) { return draws_at_ends(me, bound, bad); }).require(never("bad"));
  return explore(scenario);
}

TEST(Choices, OfJitterMayBeCutToItsEndsAndTheVerdictSaysSo) {
  EXPECT_EQ(drawing_at_ends(1'000'000, 0).outcome, Outcome::violated);
  EXPECT_EQ(drawing_at_ends(1'000'000, 999'999).outcome, Outcome::violated);
  const Verdict between = drawing_at_ends(1'000'000, 5);
  EXPECT_EQ(between.outcome, Outcome::proved);
  EXPECT_THAT(between.trusts, ElementsAre("jitter of A at its ends alone"));
  EXPECT_THAT(describe(between), HasSubstr("trusts: jitter of A at its ends alone"));
  EXPECT_THAT(drawing_at_ends(2, 5).trusts, IsEmpty());
}

// The production lock with the jitter that it has in production.
Task<void> waits_with_jitter(Client& me, bool cuts) {
  JitterAtItsEnds ends(me);
  LeaseLock lock(me.store(), me.time());
  WaitPolicy policy = catalogue::simulated_wait_policy();
  policy.jitter = true;
  LockClient client(me.store(), lock, me.time(), cuts ? ends : me.tokens(), nullptr, policy);
  AcquireOptions options;
  options.ttl = Ttl(seconds{1});
  options.wait = seconds{1};
  const Result<AcquireOutcome> outcome = co_await client.acquire(*LockName::parse("lock"), options);
  const Lease* held = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (held == nullptr) co_return;
  const Lease lease = *held;
  me.enter("lock", lease.fencing());
  co_await me.leave("lock");
  static_cast<void>(co_await client.release(lease));
}

Verdict waiting_with_jitter(bool cuts) {
  Scenario scenario("jitter");
  scenario.clients(2, [=](Client& me) { return waits_with_jitter(me, cuts); })
      .instants(2)
      .faults(FaultBudget().allow(Fault::unreachable))
      .require(no_orphan("lock"));
  return explore(scenario);
}

TEST(Choices, OfProductionCodeAreCutOnlyOnRequest) {
  const Verdict whole = waiting_with_jitter(false);
  EXPECT_EQ(whole.outcome, Outcome::invalid) << describe(whole);
  EXPECT_THAT(whole.reason, HasSubstr("give a sim::JitterAtItsEnds to production code"));
  const Verdict cut = waiting_with_jitter(true);
  EXPECT_EQ(cut.outcome, Outcome::proved) << describe(cut);
  EXPECT_THAT(cut.trusts, ElementsAre("jitter of A, B at its ends alone"));
}

}  // namespace
}  // namespace interlock::sim
