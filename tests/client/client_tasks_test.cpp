// A client's coroutines: on its loop, waited for, and what they throw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using test::eventually;
using ::testing::HasSubstr;

Task<void> increment(Client* client, int* counter, bool* inside) {
  const LockName name = *LockName::parse("counter");
  AcquireResult lock = co_await client->acquire_async(name);
  EXPECT_TRUE(lock) << lock.why_not();
  EXPECT_FALSE(*inside);
  *inside = true;
  const TimePoint later = client->loop().now() + Duration(100);
  co_await client->loop().sleep_until(later);
  *inside = false;
  ++*counter;
  const Result<ReleaseOutcome> released = co_await lock->release_async();
  EXPECT_TRUE(released);
}

// What a lambda has captured would be gone if only its call were given.
TEST(ClientTasks, LambdasLiveUntilTheirTasksHaveEnded) {
  Client client(memory::backend());
  std::promise<std::string> said;
  const auto alive = std::make_shared<int>(1);
  {
    auto captured = alive;
    client.spawn([&client, &said, captured, text = std::string(100, 'x')]() -> Task<void> {
      co_await client.loop().sleep_until(client.loop().now() + milliseconds{20});
      AcquireResult lock = co_await client.acquire_async("deploy");
      said.set_value(lock ? text : lock.why_not());
    });
  }
  EXPECT_EQ(said.get_future().get(), std::string(100, 'x'));
  EXPECT_TRUE(eventually([&] { return alive.use_count() == 1; }));
}

TEST(ClientTasks, TheResultOfALambdaIsThatOfItsTask) {
  Client client(memory::backend());
  const auto held = client.wait_for([&client, name = std::string("deploy")]() -> Task<bool> {
    AcquireResult lock = co_await client.acquire_async(name);
    co_return static_cast<bool>(lock);
  });
  EXPECT_TRUE(held);
  EXPECT_THROW(client.wait_for([]() -> Task<void> {
    throw std::runtime_error("mine");
    co_return;
  }),
               std::runtime_error);
}

TEST(ClientTasks, CoroutinesOnTheLoopExcludeEachOther) {
  int counter = 0;
  bool inside = false;
  {
    Client client(memory::backend());
    for (int i = 0; i < 30; ++i) client.spawn(increment(&client, &counter, &inside));
  }
  EXPECT_EQ(counter, 30);
}

Task<int> answer(Client* client) {
  co_await client->loop().sleep_until(client->loop().now() + milliseconds(1));
  co_return 42;
}

TEST(ClientTasks, WaitsForATaskAndGivesItsResult) {
  Client client(memory::backend());
  EXPECT_EQ(client.wait_for(answer(&client)), 42);
}

Task<int> fail(Client* client, std::string with) {
  const LockName name = *LockName::parse("a");
  const AcquireResult lock = co_await client->acquire_async(name);
  EXPECT_TRUE(lock);
  throw std::runtime_error(with);
  co_return 0;
}

Task<void> fail_later(Client* client) {
  static_cast<void>(co_await fail(client, "a handler threw"));
}

TEST(ClientTasks, WaitForThrowsWhatTheTaskThrewAndTheLockIsReleased) {
  Client client(memory::backend());
  EXPECT_THROW(static_cast<void>(client.wait_for(fail(&client, "with a result"))),
               std::runtime_error);
  EXPECT_THROW(client.wait_for(fail_later(&client)), std::runtime_error);
  EXPECT_EQ(client.wait_for(answer(&client)), 42);
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(client.try_acquire("a")); }));
}

class ExceptionSink final : public EventSink {
 public:
  void on_event(const Event&) noexcept override {}
  bool on_exception(std::exception_ptr thrown) noexcept override {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const std::runtime_error& error) {
      heard_ = error.what();
    }
    return true;
  }
  const std::string& heard() const { return heard_; }

 private:
  std::string heard_;
};

TEST(ClientTasks, TheEventSinkHearsWhatASpawnedTaskThrew) {
  ExceptionSink events;
  ClientOptions options;
  options.events = &events;
  {
    Client client(memory::backend(), options);
    client.spawn(fail_later(&client));
  }
  EXPECT_EQ(events.heard(), "a handler threw");
}

TEST(ClientTasks, WithoutAnEventSinkStandardErrorSaysWhatASpawnedTaskThrew) {
  ::testing::internal::CaptureStderr();
  {
    Client client(memory::backend());
    client.spawn(fail_later(&client));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("a handler threw: catch it"));
}

Task<void> fail_in_colour(Client* client) {
  static_cast<void>(co_await fail(client,
                                  "\x1b[31mred\nnext \xc2\x9b"
                                  "2J\xe2\x80\xae"));
}

TEST(ClientTasks, WhatATaskThrewSendsNoControlCharacterToTheTerminal) {
  ::testing::internal::CaptureStderr();
  {
    Client client(memory::backend());
    client.spawn(fail_in_colour(&client));
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("?[31mred?next ?2J?: catch it"));
}

}  // namespace
}  // namespace interlock
