// acquire_then() and release_then(): for programs with an event loop of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "interlock/shared_mutex.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// What a callback was called with, and on which thread.
class Received {
 public:
  auto callback() {
    return [this](AcquireResult result) {
      EXPECT_TRUE(client_->loop().on_loop_thread());
      result_.set_value(std::move(result));
    };
  }
  AcquireResult take() { return result_.get_future().get(); }
  explicit Received(Client& client) : client_(&client) {}

 private:
  Client* client_;
  std::promise<AcquireResult> result_;
};

TEST(Callbacks, TellThatTheLockIsHeldAndThatItIsReleased) {
  Client client(memory::backend());
  Received held(client);
  client.acquire_then("a", {}, held.callback());
  AcquireResult lock = held.take();
  ASSERT_TRUE(lock) << lock.why_not();
  EXPECT_FALSE(client.try_acquire("a"));

  std::promise<Result<ReleaseOutcome>> released;
  client.release_then(*std::move(lock), [&](Result<ReleaseOutcome> result) {
    EXPECT_TRUE(client.loop().on_loop_thread());
    released.set_value(std::move(result));
  });
  EXPECT_EQ(released.get_future().get(), Result<ReleaseOutcome>(ReleaseOutcome::released));
  EXPECT_TRUE(client.try_acquire("a"));
}

// Counts the connections for threads; all else is that of a store in memory.
class CountsConnections final : public Backend {
 public:
  std::unique_ptr<KeyValueStore> open() override {
    ++opened;
    return memory_->open();
  }
  std::unique_ptr<KeyValueStore> open_on(Reactor& reactor) override {
    return memory_->open_on(reactor);
  }
  std::string description() const override { return memory_->description(); }
  Result<std::vector<Finding>> inspect() override { return memory_->inspect(); }
  Result<std::vector<Key>> held_locks() override { return memory_->held_locks(); }
  std::atomic<int> opened = 0;

 private:
  const std::shared_ptr<Backend> memory_ = memory::backend();
};

TEST(Callbacks, TheGuardThatTheyGotMakesNoConnectionForTheThreadOnWhichItEnds) {
  const auto backend = std::make_shared<CountsConnections>();
  Client client(backend);
  std::optional<AcquireResult> lock;
  Received held(client);
  client.acquire_then("a", {}, held.callback());
  lock.emplace(held.take());
  ASSERT_TRUE(*lock);
  const int opened = backend->opened;
  lock.reset();
  Received again(client);
  client.acquire_then("a", {}, again.callback());
  EXPECT_TRUE(again.take());
  EXPECT_EQ(backend->opened, opened);
}

TEST(Callbacks, TellWhoHoldsTheLock) {
  Client client(memory::backend());
  const AcquireResult other = client.acquire("a");
  LockOptions once;
  once.wait = Duration::zero();
  Received busy(client);
  client.acquire_then("a", once, busy.callback());
  EXPECT_NE(busy.take().busy(), nullptr);
}

TEST(Callbacks, TellErrorsOnTheLoopToo) {
  Client client(memory::backend());
  Received refused(client);
  client.acquire_then("", {}, refused.callback());
  const AcquireResult result = refused.take();
  ASSERT_NE(result.error(), nullptr);
  EXPECT_EQ(result.error()->code(), Errc::invalid_argument);
}

TEST(Callbacks, AStopEndsTheWait) {
  Client client(memory::backend());
  const AcquireResult other = client.acquire("a");
  std::stop_source stop;
  LockOptions options;
  options.stop = stop.get_token();
  Received cancelled(client);
  client.acquire_then("a", options, cancelled.callback());
  stop.request_stop();
  const AcquireResult result = cancelled.take();
  ASSERT_NE(result.error(), nullptr);
  EXPECT_EQ(result.error()->code(), Errc::cancelled);
}

class Thrown : public EventSink {
 public:
  void on_event(const Event&) noexcept override {}
  bool on_exception(std::exception_ptr thrown) noexcept override {
    thrown_.set_value(std::move(thrown));
    return true;
  }
  std::exception_ptr take() { return thrown_.get_future().get(); }

 private:
  std::promise<std::exception_ptr> thrown_;
};

TEST(Callbacks, WhatTheyThrowGoesToTheEventSinkAndTheLockIsReleased) {
  Thrown sink;
  ClientOptions options;
  options.events = &sink;
  Client client(memory::backend(), options);
  client.acquire_then("a", {}, [](const AcquireResult&) { throw std::runtime_error("mine"); });
  EXPECT_THROW(std::rethrow_exception(sink.take()), std::runtime_error);
  EXPECT_TRUE(client.acquire("a"));
}

TEST(Callbacks, OfAGuardThatHoldsNothingTellThat) {
  Client client(memory::backend());
  AcquireResult lock = client.acquire("a");
  ASSERT_TRUE(lock);
  Guard moved = *std::move(lock);
  const Guard owner = std::move(moved);
  std::promise<Result<ReleaseOutcome>> refused;
  client.release_then(std::move(moved),
                      [&](Result<ReleaseOutcome> result) { refused.set_value(std::move(result)); });
  EXPECT_TRUE(failed_with(refused.get_future().get(), Errc::invalid_argument));
  EXPECT_EQ(owner.state(), LeaseState::held);
}

Task<bool> acquires(Client* client, std::string name) {
  co_return static_cast<bool>(co_await client->acquire_async(name));
}

TEST(PlainNames, AreTakenByCoroutinesAndMutexes) {
  Client client(memory::backend());
  EXPECT_TRUE(client.wait_for(acquires(&client, "a")));
  EXPECT_FALSE(client.wait_for(acquires(&client, "")));
  Mutex mutex(client, "m");
  const std::lock_guard alone(mutex);
  SharedMutex shared(client, "s");
  const std::shared_lock reader(shared);
  EXPECT_THROW(Mutex(client, ""), LockFailure);
  EXPECT_THROW(SharedMutex(client, ""), LockFailure);
}

}  // namespace
}  // namespace interlock
