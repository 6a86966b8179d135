// What the metrics of real clients say: above all that what has begun to be counted as waiting or
// held ends, however it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/metrics.hpp"
#include "interlock/mutex.hpp"
#include "metrics_reader.hpp"
#include "silent_store.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using interlock::testing::SilentBackend;
using std::chrono::hours;
using std::chrono::seconds;
using test::eventually;

class ClientMetrics : public ::testing::Test {
 protected:
  ClientOptions options() {
    ClientOptions options;
    options.events = &metrics;
    // No timing decides a test.
    options.hand_over.within = hours{1};
    options.wait_policy.recheck_interval = hours{1};
    options.wait_policy.outage_limit = milliseconds{50};
    options.release_limit = milliseconds{50};
    return options;
  }
  double value(const std::string& sample) const {
    return test::metric(metrics, sample).value_or(std::nan(""));
  }
  bool becomes(const std::string& sample, double wanted) {
    return eventually([&] { return value(sample) == wanted; });
  }
  void erase_key(const char* key) {
    const auto erase = [](KeyValueStore* keys, Key of) -> Task<Result<bool>> {
      co_return co_await keys->erase(std::move(of));
    };
    const auto connection = store->open();
    EXPECT_TRUE(*run(erase(connection.get(), Key(key))));
  }

  Metrics metrics;
  std::shared_ptr<Backend> store = memory::backend();
  std::shared_ptr<SilentBackend> backend =
      std::make_shared<SilentBackend>(store, SilentBackend::OnLoops::offload);
};

// --- waiting: each way in which a wait can begin -------------------------------------------------

enum class WaitsFor : std::uint8_t { another_client, another_client_unfairly, another_caller };

class WaitingCount : public ClientMetrics, public ::testing::WithParamInterface<WaitsFor> {
 protected:
  LockOptions lock() const {
    LockOptions options;
    options.fair = GetParam() != WaitsFor::another_client_unfairly;
    options.enters_by_offer = false;
    return options;
  }
  // Somebody holds it, so that who waits for it waits as the parameter says.
  void SetUp() override { hold(options()); }
  void hold(const ClientOptions& with) {
    client = std::make_unique<Client>(backend, with);
    if (GetParam() == WaitsFor::another_caller) {
      held.emplace(client->acquire("a", lock()));
    } else {
      other = std::make_unique<Client>(store, ClientOptions());
      held.emplace(other->acquire("a", lock()));
    }
    ASSERT_TRUE(*held);
  }
  void TearDown() override { backend->speak(); }
  // Acquires in a thread of its own, which has begun to wait when this returns.
  std::jthread waiter(LockOptions wanted, std::function<void(AcquireResult)> then) {
    // By address: a test may let go of the client meanwhile, which ends the wait.
    std::jthread thread(
        [by = client.get(), wanted, then = std::move(then)] { then(by->acquire("a", wanted)); });
    EXPECT_TRUE(becomes("interlock_waiting", 1));
    return thread;
  }
  double not_acquired(const std::string& reason) const {
    return value("interlock_not_acquired_total{reason=\"" + reason + "\"}");
  }

  std::unique_ptr<Client> other;
  std::unique_ptr<Client> client;
  std::optional<AcquireResult> held;
};

TEST_P(WaitingCount, EndsWithAGrant) {
  const double acquired_before = value("interlock_acquire_seconds_count");
  std::jthread thread = waiter(lock(), [](AcquireResult lock) { EXPECT_TRUE(lock); });
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  thread.join();
  EXPECT_EQ(value("interlock_waiting"), 0);
  EXPECT_EQ(value("interlock_acquire_seconds_count"), acquired_before + 1);
  EXPECT_EQ(not_acquired("busy"), 0);
}

TEST_P(WaitingCount, EndsWithItsLimit) {
  LockOptions limited = lock();
  limited.wait = milliseconds{200};
  waiter(limited, [](AcquireResult lock) { EXPECT_NE(lock.busy(), nullptr); }).join();
  EXPECT_EQ(value("interlock_waiting"), 0);
  EXPECT_EQ(not_acquired("busy"), 1);
}

TEST_P(WaitingCount, EndsWithAStop) {
  std::stop_source stop;
  LockOptions stoppable = lock();
  stoppable.stop = stop.get_token();
  std::jthread thread = waiter(stoppable, [](AcquireResult lock) { EXPECT_FALSE(lock); });
  stop.request_stop();
  thread.join();
  EXPECT_EQ(value("interlock_waiting"), 0);
  EXPECT_EQ(not_acquired("cancelled"), 1);
}

TEST_P(WaitingCount, EndsWithAnError) {
  held.reset();
  ClientOptions alone = options();
  alone.hand_over.within = Duration::zero();  // each caller asks the store itself
  hold(alone);
  std::jthread thread = waiter(lock(), [](AcquireResult lock) {
    ASSERT_NE(lock.error(), nullptr);
    EXPECT_TRUE(is_out_of_reach(*lock.error())) << lock.error()->detail();
  });
  backend->fall_silent();
  // Wakes the waiter, which asks a store that does not answer.
  if (other) {
    EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  } else {
    static_cast<void>((*held)->release());
  }
  thread.join();
  EXPECT_EQ(value("interlock_waiting"), 0);
  EXPECT_EQ(not_acquired("indeterminate") + not_acquired("unavailable"), 1);
  EXPECT_GT(value(R"(interlock_store_errors_total{code="indeterminate"})") +
                value(R"(interlock_store_errors_total{code="unavailable"})"),
            0);
}

TEST_P(WaitingCount, EndsWithItsClient) {
  std::jthread thread = waiter(lock(), [](AcquireResult lock) { EXPECT_FALSE(lock); });
  client.reset();
  thread.join();
  EXPECT_EQ(value("interlock_waiting"), 0);
  EXPECT_EQ(not_acquired("cancelled"), 1);
}

TEST_P(WaitingCount, EndsInATaskAsInAThread) {
  std::atomic<bool> acquired = false;
  const auto take = [](Client* by, LockOptions with, std::atomic<bool>* done) -> Task<void> {
    const LockName name = *LockName::parse("a");
    AcquireResult lock = co_await by->acquire_async(name, with);
    EXPECT_TRUE(lock) << lock.why_not();
    *done = true;
  };
  client->spawn(take(client.get(), lock(), &acquired));
  EXPECT_TRUE(becomes("interlock_waiting", 1));
  EXPECT_EQ(*(*held)->release(), ReleaseOutcome::released);
  EXPECT_TRUE(eventually([&] { return acquired.load(); }));
  EXPECT_TRUE(becomes("interlock_waiting", 0));
  EXPECT_TRUE(becomes("interlock_held", 0));
}

INSTANTIATE_TEST_SUITE_P(Each,
                         WaitingCount,
                         ::testing::Values(WaitsFor::another_client,
                                           WaitsFor::another_client_unfairly,
                                           WaitsFor::another_caller),
                         [](const auto& instance) {
                           switch (instance.param) {
                             case WaitsFor::another_client:
                               return "InTheStoresQueue";
                             case WaitsFor::another_client_unfairly:
                               return "WithoutAQueue";
                             case WaitsFor::another_caller:
                               break;
                           }
                           return "InTheLocalQueue";
                         });

// The leader of the local queue waits for the store, and the caller behind it for the leader.
TEST_F(ClientMetrics, ACallerThatWaitsForOthersAndThenForTheStoreWaitsOnce) {
  Client other(store, ClientOptions());
  AcquireResult held = other.acquire("a");
  Client client(backend, options());
  std::jthread first([&] { EXPECT_TRUE(client.acquire("a")); });
  EXPECT_TRUE(becomes("interlock_waiting", 1));
  std::jthread second([&] { EXPECT_TRUE(client.acquire("a")); });
  EXPECT_TRUE(becomes("interlock_waiting", 2));
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  first.join();
  second.join();
  EXPECT_EQ(value("interlock_waiting"), 0);
}

class ShortestAcquire final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind != EventKind::acquired) return;
    const std::lock_guard lock(mutex_);
    shortest_ = std::min(shortest_, event.took);
  }
  Duration took() const {
    const std::lock_guard lock(mutex_);
    return shortest_;
  }

 private:
  mutable std::mutex mutex_;
  Duration shortest_ = Duration::max();
};

TEST_F(ClientMetrics, AnAcquireBeginsWithTheWaitForOtherCallersOfItsClient) {
  Client other(store, ClientOptions());
  AcquireResult held = other.acquire("a");
  ShortestAcquire shortest;
  MetricsOptions both;
  both.next = &shortest;
  Metrics counted(both);
  ClientOptions each_asks = options();
  each_asks.events = &counted;
  each_asks.hand_over.within = Duration::zero();
  Client client(backend, each_asks);
  const auto take = [&] { EXPECT_TRUE(client.acquire("a")); };
  const auto both_wait = [&] { return test::metric(counted, "interlock_waiting") == 2; };
  std::jthread first(take);
  std::jthread second(take);
  EXPECT_TRUE(eventually(both_wait));
  // Both wait for at least so long, the second of them for the first.
  std::this_thread::sleep_for(milliseconds{60});
  EXPECT_EQ(*held->release(), ReleaseOutcome::released);
  first.join();
  second.join();
  EXPECT_GE(shortest.took(), Duration(milliseconds{60}));
}

// --- held ----------------------------------------------------------------------------------------

TEST_F(ClientMetrics, AHoldEndsWithItsRelease) {
  Client client(backend, options());
  {
    AcquireResult released = client.acquire("a");
    const AcquireResult dropped = client.acquire("b");
    EXPECT_EQ(value("interlock_held"), 2);
    EXPECT_EQ(*released->release(), ReleaseOutcome::released);
    EXPECT_EQ(*released->release(), ReleaseOutcome::not_holder);
    EXPECT_EQ(value("interlock_held"), 1);
  }
  EXPECT_EQ(value("interlock_held"), 0);
  EXPECT_EQ(value("interlock_hold_seconds_count"), 2);
  EXPECT_TRUE(becomes("interlock_released_total", 2));
}

TEST_F(ClientMetrics, AHoldEndsOnceIfItIsLostAndThenReleased) {
  Client client(backend, options());
  AcquireResult held = client.acquire("a", LockOptions(Ttl(seconds{3})));
  erase_key("a");
  EXPECT_TRUE(becomes(R"(interlock_lost_total{reason="gone"})", 1));
  EXPECT_TRUE(becomes("interlock_held", 0));
  EXPECT_TRUE(held->release());
  EXPECT_EQ(value("interlock_held"), 0);
  EXPECT_EQ(value("interlock_hold_seconds_count"), 1);
}

TEST_F(ClientMetrics, AHoldEndsWhenItIsNotRenewedInTime) {
  Client client(backend, options());
  const AcquireResult held = client.acquire("a", LockOptions(Ttl(milliseconds{300})));
  backend->fall_silent();
  EXPECT_TRUE(becomes(R"(interlock_lost_total{reason="not_renewed_in_time"})", 1));
  EXPECT_TRUE(becomes("interlock_held", 0));
  EXPECT_EQ(value("interlock_at_risk_total"), 1);
  EXPECT_GT(value(R"(interlock_store_errors_total{code="indeterminate"})"), 0);
  backend->speak();
}

TEST_F(ClientMetrics, AHoldEndsWithItsClient) {
  auto client = std::make_unique<Client>(backend, options());
  const AcquireResult held = client->acquire("a");
  client.reset();
  EXPECT_EQ(value("interlock_held"), 0);
  EXPECT_EQ(value(R"(interlock_lost_total{reason="client_gone"})"), 1);
}

TEST_F(ClientMetrics, AHoldEndsAlthoughItsReleaseFails) {
  Client client(backend, options());
  AcquireResult held = client.acquire("a");
  backend->fall_silent();
  EXPECT_FALSE(held->release());
  EXPECT_EQ(value("interlock_held"), 0);
  backend->speak();
  EXPECT_TRUE(becomes("interlock_released_total", 1));
  EXPECT_EQ(value("interlock_hold_seconds_count"), 1);
}

TEST_F(ClientMetrics, AReleaseThatFindsTheLockGoneIsCountedAsSuch) {
  Client client(backend, options());
  AcquireResult held = client.acquire("a");
  erase_key("a");
  EXPECT_EQ(*held->release(), ReleaseOutcome::not_holder);
  EXPECT_EQ(value("interlock_release_found_lost_total"), 1);
  EXPECT_EQ(value(R"(interlock_store_errors_total{code="rejected"})"), 0);
}

TEST_F(ClientMetrics, EachSectionOfAHandedOverGrantIsAHold) {
  Client client(backend, options());
  std::optional<AcquireResult> held(client.acquire("a"));
  std::jthread next([&] { EXPECT_TRUE(client.acquire("a")); });
  EXPECT_TRUE(becomes("interlock_waiting", 1));
  held.reset();
  next.join();
  EXPECT_EQ(value("interlock_held"), 0);
  EXPECT_EQ(value("interlock_hold_seconds_count"), 2);
}

TEST_F(ClientMetrics, EachSectionOfAKeptGrantIsAHold) {
  {
    Client client(backend, options());
    MutexOptions keeping;
    keeping.keep = true;
    Mutex mutex(client, *LockName::parse("a"), keeping);
    for (int section = 0; section < 5; ++section) {
      mutex.lock();
      EXPECT_EQ(value("interlock_held"), 1);
      mutex.unlock();
    }
  }
  EXPECT_EQ(value("interlock_held"), 0);
  EXPECT_EQ(value("interlock_hold_seconds_count"), 5);
  EXPECT_EQ(value("interlock_acquire_seconds_count"), 5);
}

// --- renewals ------------------------------------------------------------------------------------

TEST_F(ClientMetrics, ARenewalLeavesAboutTwoThirdsOfTheLease) {
  Client client(backend, options());
  const AcquireResult held = client.acquire("a", LockOptions(Ttl(seconds{3})));
  EXPECT_TRUE(eventually([&] { return value("interlock_renewal_seconds_count") >= 2; }));
  // A busy machine renews later, but never sooner.
  EXPECT_LE(value("interlock_renewal_margin_lowest_ratio"), 0.67);
  EXPECT_GT(value("interlock_renewal_margin_lowest_ratio"), 0);
  EXPECT_EQ(value(R"(interlock_renewal_margin_ratio_bucket{le="1"})"),
            value("interlock_renewal_seconds_count"));
}

TEST_F(ClientMetrics, ATryThatFindsTheLockBusyIsCounted) {
  Client client(backend, options());
  const AcquireResult held = client.acquire("a");
  EXPECT_FALSE(client.try_acquire("a"));
  EXPECT_EQ(value(R"(interlock_not_acquired_total{reason="busy"})"), 1);
  EXPECT_EQ(value("interlock_waiting"), 0);
}

}  // namespace
}  // namespace interlock
