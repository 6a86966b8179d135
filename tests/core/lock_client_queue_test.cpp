// A waiter with a place in a queue, and a lock that nobody hands over.
#include "interlock/protocols/queue_lock.hpp"

#include <string>
#include <vector>

#include "lock_client_world.hpp"

namespace interlock {
namespace {

using scripted::LockClientWorld;
using std::chrono::seconds;

constexpr auto run_script = OperationKind::run;
constexpr auto remaining = OperationKind::remaining;

class Queueing : public LockClientWorld {
 protected:
  // Another holds it and would hand it over; the waiter has taken its place.
  Task<Result<AcquireOutcome>> settled(std::int64_t ttl_ms = 30'000) {
    other_takes(ttl_ms, "il1:other/fair");
    auto task = fair_client.acquire(scripted::lock_name("deploy"), AcquireOptions(), &cancellation);
    task.start();
    EXPECT_EQ(store.listeners(), 1u);
    EXPECT_EQ(store.count(run_script), 2);
    return task;
  }

  QueueLock queue{store, time};
  LockClient fair_client{store, queue, time, tokens, &sink};
};

TEST_F(Queueing, AWaiterLooksOncePerIntervalAndKeepsItsPlace) {
  auto task = settled();
  for (int second = 1; second <= 20; ++second) {
    time.advance(seconds{1});
    EXPECT_EQ(store.count(remaining), second / 5);
  }
  EXPECT_EQ(store.count(run_script), 2) << "a place is searched for only when it must be";
  time.advance(seconds{10} + milliseconds{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Queueing, AWaiterNoticesWithinAnIntervalThatNobodyHoldsTheLockAnyMore) {
  auto task = settled();
  time.advance(seconds{1});
  store.lose_key("deploy");
  time.advance(seconds{4} - Duration{1});
  EXPECT_FALSE(task.done());
  time.advance(Duration{1});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
}

TEST_F(Queueing, AWaiterClaimsIfItCannotReadTheRemainingTtl) {
  auto task = settled();
  store.next(remaining, scripted::Fate::unavailable);
  time.advance(seconds{5});
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.count(run_script), 3);
  EXPECT_EQ(store.listeners(), 1u);
}

TEST_F(Queueing, AWaiterThatIsRousedClaimsAtOnce) {
  auto task = settled();
  time.advance(seconds{1});
  cancellation.rouse();
  time.settle();
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.count(run_script), 3);
  EXPECT_EQ(store.count(remaining), 0);
}

// A cluster moves the lock: its present server counts listeners of its own.
TEST_F(Queueing, AWaiterWhoseLockHasMovedListensAtItsNewServer) {
  auto task = settled();
  store.keys_are_at = 1;
  time.advance(seconds{5});
  EXPECT_FALSE(task.done());
  EXPECT_EQ(store.count(run_script), 3);
  EXPECT_EQ(store.count(OperationKind::subscribe), 2);
  EXPECT_EQ(store.count(OperationKind::unsubscribe), 1);
  EXPECT_EQ(store.subscriptions(), 1u);
  for (const Operation& each : store.log()) {
    if (each.kind == OperationKind::subscribe) {
      EXPECT_EQ(each.keys.front(), Key("deploy"));
    }
  }
}

TEST_F(Queueing, AChannelIsKeptForAWaiterAtTheSameServerAlone) {
  auto first = settled();
  cancellation.request();
  time.settle();
  ASSERT_TRUE(first.done());
  EXPECT_EQ(store.subscriptions(), 1u) << "kept";
  for (const std::uint32_t server : {1U, 0U}) {
    store.keys_are_at = server;
    Cancellation gives_up;
    const auto name = scripted::lock_name("deploy");
    auto next = fair_client.acquire(name, AcquireOptions(), &gives_up);
    next.start();
    EXPECT_FALSE(next.done());
    EXPECT_EQ(store.count(OperationKind::subscribe), 2) << "at server " << server;
    gives_up.request();
    time.settle();
    EXPECT_TRUE(next.done());
  }
}

TEST_F(Queueing, AChannelIsKeptAlsoIfAClaimCouldNotBeWithdrawn) {
  auto first = settled();
  store.lose_key("deploy");
  for (int each = 0; each < 3; ++each) store.next(run_script, scripted::Fate::reply_lost);
  time.advance(seconds{5});
  EXPECT_FALSE(first.done());
  store.weather = scripted::Fate::unavailable;
  cancellation.request();
  time.settle();
  ASSERT_TRUE(first.done());
  EXPECT_TRUE(failed_with(first.take(), Errc::indeterminate));
  store.weather = scripted::Fate::served;

  auto next = fair_client.acquire(scripted::lock_name("deploy"), AcquireOptions());
  next.start();
  EXPECT_FALSE(next.done());
  EXPECT_EQ(store.count(OperationKind::subscribe), 1);
  EXPECT_EQ(store.subscriptions(), 1u);
}

// --- an offer's message -------------------------------------------------------------------------

// Another holds the lock by the same protocol, and the waiter has its place in the queue.
class Offered : public LockClientWorld {
 protected:
  static constexpr auto deploy = "deploy";
  Offered() {
    auto taken = holder_client.acquire(scripted::lock_name(deploy), AcquireOptions());
    taken.start();
    held = std::get<Lease>(*taken.take());
  }
  Task<Result<AcquireOutcome>> waiting(bool takes_offers = true, std::int64_t ttl_ms = 30'000) {
    AcquireOptions options(scripted::ttl_of(ttl_ms));
    options.takes_offers = takes_offers;
    auto task = waiter_client.acquire(scripted::lock_name(deploy), options, &cancellation);
    task.start();
    EXPECT_EQ(store.listeners(), 1u);
    asked = time.now();
    return task;
  }
  // The message has come when this returns, unless `travels` is longer than nothing.
  void other_releases_it() {
    auto released = holder_client.release(*held);
    released.start();
    EXPECT_TRUE(released.done());
    sent_before = store.count(run_script);
  }
  int sent_since() const { return store.count(run_script) - sent_before; }
  // What somebody else says on the waiter's channel.
  void say(const std::string& text) {
    Operation operation(OperationKind::publish, Key(wake_up_channel()));
    operation.value = text;
    static_cast<void>(store.carry_out(operation));
    time.settle();
  }
  std::string wake_up_channel() {
    const std::string line = *store.text_at("{deploy}:interlock:queue");
    return line.substr(line.rfind(' ') + 1);
  }
  std::string waiter_owner() {
    const std::string line = *store.text_at("{deploy}:interlock:queue");
    return line.substr(0, line.find(' '));
  }
  static const Lease& lease_of(const Result<AcquireOutcome>& outcome) {
    return std::get<Lease>(*outcome);
  }
  std::string offer(const std::string& owner, std::int64_t fencing, int window_ms = 500) {
    return owner + " " + std::to_string(fencing) + " 1 0 " + std::to_string(window_ms);
  }
  std::int64_t counter() { return std::stoll(*store.text_at("{deploy}:interlock:fence")); }

  static QueuePolicy of_two() {
    QueuePolicy policy;
    policy.fencing_block = 2;
    return policy;
  }
  QueueLock holders{store, time, SafetyMargin(), of_two()};
  QueueLock queue{store, time};
  LockClient holder_client{store, holders, time, tokens};
  LockClient waiter_client{store, queue, time, tokens, &sink};
  std::optional<Lease> held;
  TimePoint asked;
  int sent_before = 0;
};

// 500 ms less 1 % and 5 ms.
constexpr Duration certain_part = milliseconds{490};

TEST_F(Offered, AWaiterEntersWithoutAsking) {
  auto task = waiting();
  time.advance(milliseconds{100});
  other_releases_it();
  time.settle();
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(granted(outcome));
  EXPECT_EQ(sent_since(), 0);
  EXPECT_TRUE(lease_of(outcome).is_by_offer());
  EXPECT_EQ(lease_of(outcome).owner().text(), holder());
  EXPECT_EQ(lease_of(outcome).certain_until(), asked + certain_part) << "counted from the request";
  EXPECT_EQ(lease_of(outcome).sent(), asked + milliseconds{100});
  EXPECT_EQ(lease_of(outcome).renewal_due(), asked + milliseconds{110});
  EXPECT_GT(lease_of(outcome).fencing(), held->fencing());
  EXPECT_EQ(lease_of(outcome).reserved(), 2) << "the tokens of the offer, not those of the waiter";
  EXPECT_EQ(sink.count(EventKind::acquired), 1);
}

TEST_F(Offered, ItsFirstRenewalMakesTheLeaseAsLongAsAnyOther) {
  auto task = waiting();
  other_releases_it();
  time.settle();
  const auto outcome = task.take();
  auto renewed = queue.renew(lease_of(outcome));
  renewed.start();
  const auto result = renewed.take();
  ASSERT_TRUE(result && std::holds_alternative<Lease>(*result));
  EXPECT_EQ(std::get<Lease>(*result).certain_until(), time.now() + milliseconds{29'695});
  EXPECT_FALSE(std::get<Lease>(*result).is_by_offer());
}

TEST_F(Offered, ItsPlaceStaysUntilTheReleaseAndGoesWithIt) {
  auto task = waiting();
  other_releases_it();
  time.settle();
  const auto outcome = task.take();
  EXPECT_TRUE(store.text_at("{deploy}:interlock:queue"));
  auto released = waiter_client.release(lease_of(outcome));
  released.start();
  EXPECT_FALSE(store.text_at("{deploy}:interlock:queue"));
  EXPECT_FALSE(holder());
}

// It is made by another client, whose policy may be another.
TEST_F(Offered, TheOfferSaysHowLongItLasts) {
  auto task = waiting();
  say(offer(waiter_owner(), counter() + 1, 300));
  ASSERT_TRUE(task.done());
  EXPECT_EQ(lease_of(task.take()).certain_until(), asked + milliseconds{292});
}

TEST_F(Offered, WithLessThanHalfOfTheOfferLeftItConfirms) {
  auto task = waiting();
  time.advance(certain_part / 2);
  other_releases_it();
  time.settle();
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(granted(outcome));
  EXPECT_EQ(sent_since(), 1);
  EXPECT_FALSE(lease_of(outcome).is_by_offer());
}

TEST_F(Offered, AWaiterThatWasFrozenBetweenOfferAndMessageConfirms) {
  auto task = waiting();
  other_releases_it();
  time.stall(milliseconds{300});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(sent_since(), 1);
}

TEST_F(Offered, AWaiterThatWantsItsWholeTtlConfirms) {
  auto task = waiting(false);
  other_releases_it();
  time.settle();
  ASSERT_TRUE(task.done());
  const auto outcome = task.take();
  ASSERT_TRUE(granted(outcome));
  EXPECT_EQ(sent_since(), 1);
  EXPECT_EQ(lease_of(outcome).certain_until(), time.now() + milliseconds{29'695});
}

// A late copy of its request would set the end of the key to that.
TEST_F(Offered, NoOfferIsLongerThanTheTtl) {
  auto task = waiting(true, 200);
  other_releases_it();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(lease_of(task.take()).certain_until(), asked + milliseconds{193});
}

TEST_F(Offered, AMessageThatIsNoOfferToItIsAWakeUp) {
  auto task = waiting();
  const std::string me = waiter_owner();
  const std::int64_t token = counter() + 1;
  const std::vector<std::string> texts{
      me,                              // of an earlier version
      offer("il1:other/fair", token),  // to another owner
      offer(me, token - 1),            // of before its latest request
      offer(me, token) + " more",      // of a later version
      offer(me, token, 0),
      me + " " + std::to_string(token) + " 0 0 500",
      me + " " + std::to_string(token) + " 1 2 500",
      me + " -1 1 0 500",
      me + " x 1 0 500",
      "",
  };
  for (const std::string& text : texts) {
    const int before = store.count(run_script);
    say(text);
    EXPECT_FALSE(task.done()) << text;
    EXPECT_EQ(store.count(run_script), before + 1) << text << ": it asks";
  }
}

// Without the counter nothing says that an offer is younger than the request.
TEST_F(Offered, AWaiterThatWasToldNoCounterConfirms) {
  store.lose_key("{deploy}:interlock:fence");
  auto task = waiting();
  other_releases_it();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(granted(task.take()));
  EXPECT_EQ(sent_since(), 1);
}

TEST_F(Offered, AnAcquireThatWasCancelledMeanwhileGivesTheOfferOn) {
  auto task = waiting();
  other_releases_it();
  cancellation.request();
  time.settle();
  ASSERT_TRUE(task.done());
  EXPECT_FALSE(granted(task.take()));
  EXPECT_FALSE(holder());
}

}  // namespace
}  // namespace interlock
