// The end of a client while its threads and tasks are still busy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "places_in_queue.hpp"
#include "silent_store.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using test::places_in_queue;
using ::testing::HasSubstr;
using testing::SilentBackend;

LockOptions fair() {
  LockOptions options;
  options.fair = true;
  return options;
}

// Tells when somebody waits.
class Waits final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::waiting) ++count;
  }
  std::atomic<int> count = 0;
};

class Closing : public ::testing::Test {
 protected:
  explicit Closing(std::int64_t sections = HandOverPolicy().sections) {
    ClientOptions options;
    options.events = &waits_;
    options.hand_over.sections = sections;
    client_.emplace(backend_, options);
  }
  // Waits for a lock that another client holds, until this one is destroyed.
  std::thread waiter(const LockOptions& options) {
    return std::thread([this, options] {
      const AcquireResult result = client_->acquire("deploy", options);
      ASSERT_NE(result.error(), nullptr);
      EXPECT_EQ(result.error()->code(), Errc::cancelled) << result.why_not();
      ++cancelled_;
    });
  }
  Duration close() {
    const TimePoint began = local_now();
    client_.reset();
    return local_now() - began;
  }

  const std::shared_ptr<SilentBackend> backend_ =
      std::make_shared<SilentBackend>(memory::backend(), SilentBackend::OnLoops::offload);
  Waits waits_;
  Client other_{backend_};
  std::optional<Client> client_;
  std::atomic<int> cancelled_ = 0;
};

TEST_F(Closing, EndsTheWaitsOfOtherThreadsAtOnce) {
  const AcquireResult held = other_.acquire("deploy");
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(waiter(LockOptions()));
  ASSERT_TRUE(eventually([&] { return waits_.count >= 3; }));
  EXPECT_LT(close(), seconds(4));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled_, 3);
}

TEST_F(Closing, EndsTheWaitsOfThoseInLineToo) {
  const AcquireResult held = other_.acquire("deploy");
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(waiter(fair()));
  ASSERT_TRUE(eventually([&] { return waits_.count >= 3; }));
  EXPECT_LT(close(), seconds(4));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled_, 3);
  EXPECT_EQ(places_in_queue(*backend_, "deploy"), 0U);
}

class ClosingEachForItself : public Closing {
 protected:
  ClosingEachForItself() : Closing(1) {}
};

TEST_F(ClosingEachForItself, GivesUpTheirPlacesInTheQueue) {
  const AcquireResult held = other_.acquire("deploy", fair());
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(waiter(fair()));
  ASSERT_TRUE(eventually([&] { return places_in_queue(*backend_, "deploy") == 3; }));
  EXPECT_LT(close(), seconds(4));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(places_in_queue(*backend_, "deploy"), 0U);
}

// The place in the queue is given up in the background for as long as a release may take, 5 s.
TEST_F(ClosingEachForItself, IsHeldUpByAStoreThatAnswersNoMoreForALimitedTime) {
  const AcquireResult held = other_.acquire("deploy", fair());
  std::thread thread([this] {
    // Its place may be left behind, which is an error of its own.
    const AcquireResult result = client_->acquire("deploy", fair());
    EXPECT_NE(result.error(), nullptr);
  });
  ASSERT_TRUE(eventually([&] { return places_in_queue(*backend_, "deploy") == 1; }));
  backend_->fall_silent();
  EXPECT_LT(close(), seconds(9));
  thread.join();
  backend_->speak();
}

Task<void> sleep(Client* client, Duration length) {
  const TimePoint until = client->loop().now() + length;
  co_await client->loop().sleep_until(until);
}

TEST_F(Closing, SaysWhatItWaitsForIfATaskTakesLong) {
  ::testing::internal::CaptureStderr();
  client_->spawn(sleep(&*client_, seconds(11)));
  EXPECT_GE(close(), seconds(10));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("a Client that is destroyed waits for 1 task"));
}

TEST_F(Closing, LetsSpawnedTasksThatWaitForALockHaveIt) {
  std::optional<AcquireResult> held(other_.acquire("deploy"));
  bool served = false;
  const auto section = [](Client* client, bool* done) -> Task<void> {
    const LockName name = *LockName::parse("deploy");
    const AcquireResult lock = co_await client->acquire_async(name);
    *done = static_cast<bool>(lock);
  };
  client_->spawn(section(&*client_, &served));
  ASSERT_TRUE(eventually([&] { return waits_.count > 0; }));
  std::thread releasing([&] {
    std::this_thread::sleep_for(milliseconds(50));
    held.reset();
  });
  close();
  releasing.join();
  EXPECT_TRUE(served);
}

// The guard may find the client in any stage of its end. What it must not find is a loop that is
// gone, which the thread sanitizer sees.
TEST(ClosingWithTasks, GuardsThatTasksDropAtTheirEndAreReleased) {
  const std::shared_ptr<Backend> store = memory::backend();
  for (int times = 0; times < 30; ++times) {
    const auto hold = [](Client* by, int number) -> Task<void> {
      const AcquireResult held =
          co_await by->acquire_async(*LockName::parse("job/" + std::to_string(number)));
      EXPECT_TRUE(held);
      co_await by->loop().sleep_until(by->loop().now() + milliseconds{2});
    };
    {
      Client client(store);
      for (int number = 0; number < 3; ++number) client.spawn(hold(&client, number));
    }
    ASSERT_TRUE(store->held_locks()->empty()) << times;
  }
}

// Goes on until the flag is set, or for 10 s.
Task<void> sleep_until_set(Client* client, std::atomic<bool>* flag) {
  const TimePoint limit = client->loop().now() + seconds(10);
  while (!*flag && client->loop().now() < limit) {
    co_await client->loop().sleep_until(client->loop().now() + milliseconds(1));
  }
}

TEST_F(Closing, GuardsThatEndWhileItWaitsForATaskAreReleased) {
  std::optional<AcquireResult> held(client_->acquire("deploy"));
  std::optional<AcquireResult> dropped(client_->acquire("report"));
  ASSERT_TRUE(*held && *dropped);
  std::atomic<bool> is_over = false;
  client_->spawn(sleep_until_set(&*client_, &is_over));
  std::thread releasing([&] {
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ((*held)->state(), LeaseState::held);
    EXPECT_EQ((*held)->release(), Result<ReleaseOutcome>(ReleaseOutcome::released));
    dropped.reset();
    const auto is_free = [&](const char* name) {
      return static_cast<bool>(other_.try_acquire(name));
    };
    EXPECT_TRUE(eventually([&] { return is_free("deploy") && is_free("report"); }));
    is_over = true;
  });
  close();
  releasing.join();
}

TEST_F(Closing, GuardsThatAreLeftAreLostForTheReasonThatTheClientIsGone) {
  AcquireResult held = client_->acquire("deploy");
  ASSERT_TRUE(held);
  close();
  EXPECT_EQ(held->loss(), LossReason::client_gone);
  const Result<ReleaseOutcome> released = held->release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code(), Errc::invalid_argument);
}

TEST_F(Closing, EndsTheWaitsOfCallbacks) {
  std::optional<AcquireResult> held(other_.acquire("deploy"));
  std::optional<Errc> code;
  client_->acquire_then("deploy", {}, [&](const AcquireResult& result) {
    if (result.error() != nullptr) code = result.error()->code();
  });
  ASSERT_TRUE(eventually([&] { return waits_.count > 0; }));
  std::atomic<bool> is_closed = false;
  std::thread releasing([&] {  // lest it waits for ever
    if (!eventually([&] { return is_closed.load(); })) held.reset();
  });
  close();
  is_closed = true;
  releasing.join();
  EXPECT_EQ(code, Errc::cancelled);
}

TEST_F(Closing, EndsWhileAnotherThreadsGuardEnds) {
  for (int time = 0; time < 10; ++time) {
    if (!client_) client_.emplace(backend_);
    std::vector<AcquireResult> held;
    for (int lock = 0; lock < 500; ++lock) {
      held.push_back(client_->acquire("deploy-" + std::to_string(500 * time + lock)));
      ASSERT_TRUE(held.back());
    }
    std::thread releasing([&] { held.clear(); });
    close();
    releasing.join();
  }
}

}  // namespace
}  // namespace interlock
