// What SharedLock and PermitLock ask, and what they make of the answers.
#include "interlock/protocols/group_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/protocols/queue_lock.hpp"
#include "scripted_world.hpp"

namespace interlock {
namespace {

using scripted::FakeTime;
using scripted::Fate;
using scripted::lock_name;
using scripted::ScriptedStore;
using scripted::ttl_of;
using testing::HasSubstr;

constexpr auto script = OperationKind::run;
const LockName name = lock_name("gpu");

class GroupLockTest : public testing::Test {
 protected:
  Result<AcquireOutcome> acquire(GroupLock& lock,
                                 const std::string& owner,
                                 std::int64_t ms = 1000) {
    return run(lock.try_acquire(name, OwnerToken(owner), ttl_of(ms)));
  }
  Lease granted(GroupLock& lock, const std::string& owner, std::int64_t ms = 1000) {
    const auto outcome = acquire(lock, owner, ms);
    EXPECT_TRUE(outcome && std::holds_alternative<Lease>(*outcome)) << owner;
    return std::get<Lease>(*outcome);
  }
  std::optional<Busy> busy(GroupLock& lock, const std::string& owner) {
    const auto outcome = acquire(lock, owner);
    if (!outcome || !std::holds_alternative<Busy>(*outcome)) return std::nullopt;
    return std::get<Busy>(*outcome);
  }
  std::optional<std::string> holder() { return store.text_at("gpu"); }

  FakeTime time;
  ScriptedStore store{time};
  SharedLock shared{store, time};
  PermitLock permits{store, time};
  QueueLock exclusive{store, time};
};

using SharedLockTest = GroupLockTest;
using PermitLockTest = GroupLockTest;

TEST_F(SharedLockTest, ReadersHaveItTogetherWithOneToken) {
  const Lease a = granted(shared, "il1:a/shared/fair");
  time.advance(milliseconds{10});
  const Lease b = granted(shared, "il1:b/shared/fair");
  EXPECT_EQ(a.fencing(), b.fencing());
  EXPECT_EQ(holder(), "il1:group:shared:" + std::to_string(a.fencing().value()) + "/fair");
  EXPECT_EQ(store.commands(), 2);
}

TEST_F(SharedLockTest, AWriterHasAGreaterTokenThanReadersBeforeAndASmallerThanThoseAfter) {
  const Lease before = granted(shared, "il1:a/shared/fair");
  ASSERT_TRUE(run(shared.release(before)));
  const Lease writer = std::get<Lease>(
      run(exclusive.try_acquire(name, OwnerToken("il1:w/fair"), ttl_of(1000))).value());
  EXPECT_GT(writer.fencing(), before.fencing());
  ASSERT_TRUE(run(exclusive.release(writer)));
  EXPECT_GT(granted(shared, "il1:b/shared/fair").fencing(), writer.fencing());
}

TEST_F(SharedLockTest, EachLeaseEndsByItsOwnTtl) {
  const Lease longer = granted(shared, "il1:a/shared/fair", 5000);
  const Lease shorter = granted(shared, "il1:b/shared/fair", 1000);
  time.advance(milliseconds{1001});
  const auto renewed = run(shared.renew(shorter));
  ASSERT_TRUE(renewed);
  EXPECT_EQ(std::get<LeaseLost>(*renewed).why, LossReason::gone);
  EXPECT_TRUE(std::holds_alternative<Lease>(run(shared.renew(longer)).value()));
  EXPECT_TRUE(holder().has_value());
}

TEST_F(SharedLockTest, TheLockEndsWithTheLastReader) {
  const Lease longer = granted(shared, "il1:a/shared/fair", 5000);
  granted(shared, "il1:b/shared/fair", 1000);
  EXPECT_EQ(*run(shared.release(longer)), ReleaseOutcome::released);
  EXPECT_TRUE(holder().has_value()) << "b has it";
  time.advance(milliseconds{1001});
  EXPECT_FALSE(holder().has_value()) << "b is dead";
}

TEST_F(SharedLockTest, OneWhoHasTheLockAloneIsToldFromOneWhoHasNone) {
  granted(shared, "il1:a/shared/fair");
  const Lease other(name, OwnerToken("il1:b/shared/fair"), FencingToken(1), ttl_of(1000),
                    time.now(), SafetyMargin());
  EXPECT_EQ(std::get<LeaseLost>(run(shared.renew(other)).value()).why, LossReason::gone);
  EXPECT_EQ(*run(shared.release(other)), ReleaseOutcome::not_holder);
  store.put("gpu", "il1:w/fair");
  EXPECT_EQ(std::get<LeaseLost>(run(shared.renew(other)).value()).why, LossReason::held_by_another);
}

TEST_F(SharedLockTest, IsGrantedAgainWhenTheReplyWasLost) {
  store.next(script, Fate::reply_lost);
  const Lease a = granted(shared, "il1:a/shared/fair");
  EXPECT_EQ(store.commands(), 2);
  EXPECT_EQ(*run(shared.release(a)), ReleaseOutcome::released);
  EXPECT_FALSE(holder().has_value());
}

TEST_F(SharedLockTest, ADowngradeKeepsOthersOutThatWantItAlone) {
  const Lease writer = std::get<Lease>(
      run(exclusive.try_acquire(name, OwnerToken("il1:w/fair"), ttl_of(1000))).value());
  const auto outcome = run(shared.downgrade(writer, OwnerToken("il1:r/shared/fair")));
  const Lease reader = std::get<Lease>(outcome.value());
  EXPECT_GT(reader.fencing(), writer.fencing());
  EXPECT_EQ(granted(shared, "il1:b/shared/fair").fencing(), reader.fencing());
  EXPECT_EQ(std::get<LeaseLost>(run(exclusive.renew(writer)).value()).why,
            LossReason::held_by_another);
  EXPECT_EQ(*run(shared.release(reader)), ReleaseOutcome::released);
  EXPECT_TRUE(holder().has_value()) << "b has it";
}

TEST_F(SharedLockTest, ALeaseThatIsNotThereIsNotDowngraded) {
  const Lease writer = std::get<Lease>(
      run(exclusive.try_acquire(name, OwnerToken("il1:w/fair"), ttl_of(1000))).value());
  store.put("gpu", "il1:other/fair");
  const auto outcome = run(shared.downgrade(writer, OwnerToken("il1:r/shared/fair")));
  EXPECT_EQ(std::get<Busy>(outcome.value()).holder, OwnerToken("il1:other/fair"));
  EXPECT_EQ(holder(), "il1:other/fair");
}

TEST_F(SharedLockTest, ALeaseThatHasEndedIsNotDowngradedThoughTheLockIsFree) {
  const Lease writer = std::get<Lease>(
      run(exclusive.try_acquire(name, OwnerToken("il1:w/fair"), ttl_of(1000))).value());
  time.advance(milliseconds{1001});
  const auto outcome = run(shared.downgrade(writer, OwnerToken("il1:r/shared/fair")));
  EXPECT_EQ(std::get<Busy>(outcome.value()).holder, OwnerToken(""));
  EXPECT_FALSE(holder().has_value());
}

TEST_F(PermitLockTest, AsManyAsThereArePermits) {
  const Lease a = granted(permits, "il1:a/permits:3of8/fair");
  const Lease b = granted(permits, "il1:b/permits:5of8/fair");
  EXPECT_GT(b.fencing(), a.fencing());
  EXPECT_EQ(holder(), "il1:group:8:8/fair");
  EXPECT_TRUE(busy(permits, "il1:c/permits:1of8/fair"));
  ASSERT_TRUE(run(permits.release(a)));
  EXPECT_FALSE(busy(permits, "il1:c/permits:1of8/fair"));
  EXPECT_EQ(holder(), "il1:group:8:6/fair");
}

TEST_F(PermitLockTest, TheFirstToEndIsWhatAWaiterWaitsFor) {
  granted(permits, "il1:a/permits:4of8/fair", 5000);
  granted(permits, "il1:b/permits:4of8/fair", 700);
  EXPECT_EQ(busy(permits, "il1:c/permits:1of8/fair")->remaining, milliseconds{700});
  time.advance(milliseconds{701});
  EXPECT_FALSE(busy(permits, "il1:c/permits:1of8/fair"));
}

TEST_F(PermitLockTest, AnotherNumberOfPermitsIsTold) {
  granted(permits, "il1:a/permits:3of4/fair");
  const auto outcome = acquire(permits, "il1:b/permits:1of8/fair");
  ASSERT_TRUE(failed_with(outcome, Errc::invalid_argument));
  EXPECT_THAT(outcome.error().detail(), HasSubstr("'gpu'"));
  EXPECT_THAT(outcome.error().detail(), HasSubstr("there are 4"));
  EXPECT_TRUE(busy(permits, "il1:c/permits:2of4/fair"));
}

TEST_F(PermitLockTest, FreshOwnersWantWhatTheLockWasToldToWant) {
  permits.wants(Permits(2, 3));
  EXPECT_EQ(permits.owner_mark(), "/permits:2of3/fair");
}

TEST(Permits, HaveRanges) {
  EXPECT_TRUE(Permits::parse(1, 1));
  EXPECT_TRUE(Permits::parse(Permits::most, Permits::most));
  for (const auto& [wanted, all] : {std::pair{0, 1}, {2, 1}, {-1, 1}, {1, 0}, {1, 1'000'001}}) {
    const auto refused = Permits::parse(wanted, all);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_THAT(refused.error().detail(), HasSubstr("choose 1 to"));
  }
}

}  // namespace
}  // namespace interlock
