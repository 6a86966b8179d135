// A store with a quarantine: what a client asks of it, and how it waits. What its scripts do:
// tests/redis/quarantine_scripts_test.cpp. What that is good for:
// tests/simulator/quarantine_test.cpp.
#include "interlock/quarantine.hpp"

#include <initializer_list>

#include "interlock/protocols/group_lock.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "lock_client_world.hpp"

namespace interlock {
namespace {

using scripted::LockClientWorld;
using std::chrono::seconds;

class Quarantined : public LockClientWorld {
 protected:
  static Quarantine of_a_minute() { return Quarantine(Ttl(seconds{60})); }
  static AcquireOptions waiting() { return AcquireOptions(Ttl(seconds{30})); }
  // The store has one incarnation, and its first quarantine is over.
  void is_known() { store.put("interlock:incarnation", "1 0 60000"); }
  void fails_over() { store.put("interlock:incarnation", "0 0 60000"); }

  LeaseLock plain{store, time, SafetyMargin(), of_a_minute()};
  QueueLock fair{store, time, SafetyMargin(), QueuePolicy(), of_a_minute()};
  LockClient plain_client{store, plain, time, tokens, &sink};
  LockClient fair_client{store, fair, time, tokens, &sink};
};

TEST_F(Quarantined, ATtlLongerThanTheLongestIsRefusedAndNothingIsSent) {
  for (LockProtocol* const protocol : std::initializer_list<LockProtocol*>{&plain, &fair}) {
    const Result<AcquireOutcome> outcome = run(protocol->try_acquire(
        scripted::lock_name("deploy"), tokens.fresh(), Ttl(seconds{60} + milliseconds{1})));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code(), Errc::invalid_argument);
    EXPECT_EQ(outcome.error().detail(),
              "ttl of 60001 ms is longer than the longest of this store's quarantine, 60000 ms: "
              "choose a shorter one, or raise the longest for all clients of the store");
  }
  EXPECT_TRUE(store.log().empty());
}

TEST_F(Quarantined, AWaiterOfEitherLockEntersWhenItIsOver) {
  is_known();
  for (LockClient* const each : {&plain_client, &fair_client}) {
    fails_over();
    auto task = each->acquire(scripted::lock_name("deploy"), waiting(), &cancellation);
    task.start();
    ASSERT_FALSE(task.done());
    EXPECT_TRUE(sink.events.back().busy->holder.is_quarantine());
    EXPECT_EQ(sink.events.back().busy->remaining, seconds{60});
    time.advance(seconds{60} - milliseconds{1});
    ASSERT_FALSE(task.done());
    time.advance(milliseconds{2});
    ASSERT_TRUE(task.done());
    const Result<AcquireOutcome> outcome = task.take();
    ASSERT_TRUE(granted(outcome));
    ASSERT_TRUE(run(each->release(std::get<Lease>(*outcome))));
  }
}

TEST_F(Quarantined, AnOldPrimaryThatGrantsOnMakesItLonger) {
  is_known();
  fails_over();
  LeaseLock patient(store, time, SafetyMargin(), Quarantine(Ttl(seconds{60}), seconds{12}));
  const auto outcome =
      run(patient.try_acquire(scripted::lock_name("deploy"), tokens.fresh(), Ttl(seconds{60})));
  ASSERT_TRUE(busy(outcome));
  EXPECT_EQ(std::get<Busy>(*outcome).remaining, seconds{72});
}

TEST_F(Quarantined, AHolderRenewsAndReleasesInIt) {
  is_known();
  const auto outcome =
      run(fair.try_acquire(scripted::lock_name("deploy"), tokens.fresh(), Ttl(seconds{30})));
  ASSERT_TRUE(granted(outcome));
  const Lease lease = std::get<Lease>(*outcome);
  fails_over();
  const auto renewed = run(fair.renew(lease));
  ASSERT_TRUE(renewed);
  EXPECT_TRUE(std::holds_alternative<Lease>(*renewed));
  EXPECT_EQ(run(fair.release(lease)).value(), ReleaseOutcome::released);
  EXPECT_EQ(holder(), std::nullopt);
}

// Its answer was lost: the key may be the only one that knows of the grant.
TEST_F(Quarantined, AnOwnersRepeatedClaimIsGrantedInItWithTheSameToken) {
  is_known();
  const OwnerToken owner = tokens.fresh();
  for (LockProtocol* const protocol : std::initializer_list<LockProtocol*>{&plain, &fair}) {
    const auto first =
        run(protocol->try_acquire(scripted::lock_name("deploy"), owner, Ttl(seconds{30})));
    ASSERT_TRUE(granted(first));
    fails_over();
    const auto again =
        run(protocol->try_acquire(scripted::lock_name("deploy"), owner, Ttl(seconds{30})));
    ASSERT_TRUE(granted(again));
    EXPECT_EQ(std::get<Lease>(*again).fencing(), std::get<Lease>(*first).fencing());
    ASSERT_TRUE(run(protocol->release(std::get<Lease>(*again))));
    is_known();
  }
}

TEST_F(Quarantined, AReleaseInItOffersTheLockToNobodyAndAWaiterKeepsItsPlace) {
  is_known();
  const auto outcome =
      run(fair.try_acquire(scripted::lock_name("deploy"), tokens.fresh(), Ttl(seconds{30})));
  auto waiter = fair_client.acquire(scripted::lock_name("deploy"), waiting(), &cancellation);
  waiter.start();
  fails_over();
  ASSERT_TRUE(run(fair.release(std::get<Lease>(*outcome))));
  time.settle();
  EXPECT_FALSE(waiter.done());
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_TRUE(store.entry(queue_key(Key("deploy"))).has_value());
  time.advance(seconds{60} + milliseconds{1});
  EXPECT_TRUE(waiter.done());
}

// What a downgrade admits would be a new grant.
TEST_F(Quarantined, ADowngradeInItAdmitsNobodyElse) {
  is_known();
  const LockName name = scripted::lock_name("deploy");
  SharedLock shared(store, time, SafetyMargin(), QueuePolicy(), of_a_minute());
  LockClient readers(store, shared, time, tokens, &sink);
  const auto outcome = run(fair.try_acquire(name, tokens.fresh(), Ttl(seconds{30})));
  auto waiter = readers.acquire(name, waiting(), &cancellation);
  waiter.start();
  fails_over();
  const OwnerToken owner("il1:me/shared/fair");
  ASSERT_TRUE(granted(run(shared.downgrade(std::get<Lease>(*outcome), owner))));
  time.settle();
  EXPECT_FALSE(waiter.done());
  time.advance(seconds{60} + milliseconds{1});
  EXPECT_TRUE(waiter.done());
}

// A message of before the failover could come after the answer of the server that has taken over.
TEST_F(Quarantined, NobodyEntersByAMessage) {
  is_known();
  Busy answer(OwnerToken("il1:other/fair"), seconds{30}, std::nullopt);
  answer.asked = time.now();
  answer.last_given = FencingToken(1);
  const OwnerToken owner("il1:me/fair");
  const std::string offer = owner.text() + " 5 1 0 500";
  const LockName name = scripted::lock_name("deploy");
  EXPECT_FALSE(fair.lease_by_message(name, owner, Ttl(seconds{30}), answer, offer));
  QueueLock unguarded(store, time);
  EXPECT_TRUE(unguarded.lease_by_message(name, owner, Ttl(seconds{30}), answer, offer));
}

TEST_F(Quarantined, AnOfferLastsNoLongerThanTheLongestTtl) {
  QueuePolicy slow;
  slow.claim_window = seconds{90};
  QueueLock slow_lock(store, time, SafetyMargin(), slow, of_a_minute());
  is_known();
  const auto outcome =
      run(slow_lock.try_acquire(scripted::lock_name("deploy"), tokens.fresh(), Ttl(seconds{30})));
  ASSERT_TRUE(run(slow_lock.release(std::get<Lease>(*outcome))));
  EXPECT_EQ(store.log().back().arguments[3], "60000");
}

TEST(Quarantine, AFieldThatIsOutOfItsRangeIsNamed) {
  EXPECT_FALSE(Quarantine(Ttl(seconds{60}), seconds{12}).wrong());
  const auto error = Quarantine(Ttl(seconds{60}), milliseconds{-1}).wrong();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->detail(),
            "Quarantine::old_primary of -1 ms is out of range: choose 0 to 365 days");
}

}  // namespace
}  // namespace interlock
