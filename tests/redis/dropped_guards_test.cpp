// The end of a guard that nobody released: it sends the release, and does not wait for the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/eventually.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using test::FaultProxy;

// How often the sink was told of each kind.
class Told final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    const std::lock_guard lock(mutex_);
    kinds_.push_back(event.kind);
  }
  std::ptrdiff_t count(EventKind kind) const {
    const std::lock_guard lock(mutex_);
    return std::count(kinds_.begin(), kinds_.end(), kind);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<EventKind> kinds_;
};

class DroppedGuards : public ::testing::TestWithParam<bool> {
 protected:
  DroppedGuards() {
    redis::Options options =
        *redis::parse_url("redis://127.0.0.1:" + std::to_string(proxy_.port()));
    options.command_timeout = command_timeout;
    ClientOptions client;
    client.events = &told_;
    client.hand_over.sections = 1;
    client_.emplace(redis::backend(options), client);
    options_.fair = GetParam();
    options_.ttl = Ttl(std::chrono::minutes{10});
  }
  Guard acquire(const std::string& name = "lock") {
    AcquireResult result = client_->acquire(name, options_);
    EXPECT_TRUE(result) << result.why_not();
    return *std::move(result);
  }
  bool is_held(const std::string& name = "lock") { return plain_.command({"EXISTS", name}) == "1"; }

  static constexpr seconds command_timeout{20};
  test::RedisServer server_;
  test::PlainRedis plain_{server_};
  FaultProxy proxy_{server_.port()};
  Told told_;
  std::optional<Client> client_;
  LockOptions options_;
};
INSTANTIATE_TEST_SUITE_P(OfLocks, DroppedGuards, ::testing::Bool(), [](const auto& fair) {
  return fair.param ? "Fair" : "Unfair";
});

TEST_P(DroppedGuards, ReleaseAtOnceAndAreToldOfWithoutAnotherCall) {
  { const Guard guard = acquire(); }
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_TRUE(eventually([&] { return told_.count(EventKind::released) == 1; }));
  EXPECT_EQ(told_.count(EventKind::error), 0);
}

TEST_P(DroppedGuards, DoNotWaitForASilentServer) {
  std::optional<Guard> guard = acquire();
  proxy_.set(FaultProxy::Mode::swallow);
  const TimePoint began = local_now();
  guard.reset();
  EXPECT_LT(local_now() - began, command_timeout / 2);
  proxy_.set(FaultProxy::Mode::forward);
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_TRUE(eventually([&] { return told_.count(EventKind::released) == 1; }));
}

// It is released where its renewals are.
TEST_P(DroppedGuards, ThatWereRenewedDoNotWaitEither) {
  options_.ttl = Ttl(seconds{6});
  std::optional<Guard> guard = acquire();
  const TimePoint first_end = guard->certain_until();
  ASSERT_TRUE(eventually([&] { return guard->certain_until() > first_end; }));
  proxy_.set(FaultProxy::Mode::swallow);
  const TimePoint began = local_now();
  guard.reset();
  EXPECT_LT(local_now() - began, command_timeout / 2);
  proxy_.set(FaultProxy::Mode::forward);
  EXPECT_TRUE(eventually([&] { return told_.count(EventKind::released) == 1; }));
  EXPECT_FALSE(is_held());
}

// As in a loop over the same lock. A try that came before its own release would be told that the
// lock is held.
TEST_P(DroppedGuards, AreReleasedBeforeTheNextTryOfTheSameThread) {
  options_.wait = Duration::zero();
  for (int i = 0; i < 300; ++i) {
    const AcquireResult result = client_->acquire("lock", options_);
    ASSERT_TRUE(result) << i << ": " << result.why_not();
  }
  client_.reset();
  EXPECT_EQ(told_.count(EventKind::released), 300);
  EXPECT_FALSE(is_held());
}

TEST_P(DroppedGuards, OfAClientThatEndsAreReleasedAndToldOfBefore) {
  proxy_.delay(milliseconds{20});
  {
    const Guard one = acquire("one");
    const Guard two = acquire("two");
  }
  client_.reset();
  EXPECT_EQ(told_.count(EventKind::released), 2);
  EXPECT_FALSE(is_held("one"));
  EXPECT_FALSE(is_held("two"));
}

// The release is lost with its connection, and nobody uses the client any more.
TEST_P(DroppedGuards, WhoseReleaseIsLostAreReleasedAgain) {
  { const Guard guard = acquire(); }
  ASSERT_TRUE(eventually([&] { return told_.count(EventKind::released) == 1; }));
  {
    const Guard guard = acquire();
    proxy_.set(FaultProxy::Mode::swallow);
  }
  proxy_.cut();
  EXPECT_TRUE(is_held());
  proxy_.set(FaultProxy::Mode::forward);
  EXPECT_TRUE(eventually([&] { return !is_held(); }));
  EXPECT_TRUE(eventually([&] { return told_.count(EventKind::released) == 2; }));
  EXPECT_EQ(told_.count(EventKind::error), 1);
}

TEST_P(DroppedGuards, ThatWereLostAreToldOfAsAnError) {
  {
    const Guard guard = acquire();
    plain_.command({"DEL", "lock"});
  }
  client_.reset();
  EXPECT_EQ(told_.count(EventKind::released), 0);
  EXPECT_EQ(told_.count(EventKind::error), 1);
}

TEST_P(DroppedGuards, OfManyThreadsAreAllReleased) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const Guard own = acquire("own/" + std::to_string(thread));
        const Guard shared = acquire("shared");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  client_.reset();
  EXPECT_EQ(told_.count(EventKind::released), 8 * 50 * 2);
  EXPECT_EQ(told_.count(EventKind::error), 0);
  EXPECT_FALSE(is_held("shared"));
}

}  // namespace
}  // namespace interlock
