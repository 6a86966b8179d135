// A LockClient in a scripted world, and another client whose moves cost no command.
#pragma once

#include <gtest/gtest.h>

#include "scripted_world.hpp"

namespace interlock::scripted {

class LockClientWorld : public testing::Test {
 protected:
  static constexpr std::string_view other = "il1:other";

  Task<Result<AcquireOutcome>> acquiring(std::optional<Duration> wait = std::nullopt,
                                         std::int64_t ttl_ms = 30'000) {
    AcquireOptions options(ttl_of(ttl_ms));
    options.wait = wait;
    auto task = client.acquire(lock_name("deploy"), options, &cancellation);
    task.start();
    return task;
  }
  static bool granted(const Result<AcquireOutcome>& outcome) {
    return outcome && std::holds_alternative<Lease>(*outcome);
  }
  static bool busy(const Result<AcquireOutcome>& outcome) {
    return outcome && std::holds_alternative<Busy>(*outcome);
  }

  // The other client's moves, at once.
  void other_takes(std::int64_t ttl_ms = 30'000, std::string_view owner = other) {
    Operation operation(OperationKind::claim, Key("deploy"));
    operation.value = owner;
    operation.ttl = milliseconds{ttl_ms};
    static_cast<void>(store.carry_out(operation));
  }
  void other_releases(std::string_view owner = other) {
    Operation operation(OperationKind::release, Key("deploy"));
    operation.value = owner;
    static_cast<void>(store.carry_out(operation));
  }
  std::optional<std::string> holder() { return store.text_at("deploy"); }

  // The other holds, and a waiter has settled down to wait for its message.
  Task<Result<AcquireOutcome>> settled_waiter(std::optional<Duration> wait = std::nullopt) {
    other_takes();
    auto task = acquiring(wait);
    EXPECT_EQ(store.listeners(), 1u);
    EXPECT_EQ(store.commands(), 3);  // claim, subscribe, claim
    return task;
  }

  FakeTime time;
  ScriptedStore store{time};
  FakeTokens tokens;
  RecordingSink sink;
  LeaseLock lock{store, time};
  Cancellation cancellation;
  LockClient client{store, lock, time, tokens, &sink};
};

}  // namespace interlock::scripted
