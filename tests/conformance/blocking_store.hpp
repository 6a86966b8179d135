// For tests on stores that answer inside submit(): operations without a coroutine, results without
// unpacking, and the least time and token sources that a client needs.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>

#include "interlock/posix/clock.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"
#include "interlock/token_source.hpp"

namespace interlock::testing_support {

template <class T>
Task<Result<T>> as_task(OperationAwaiter<T>* awaiter) {
  co_return co_await *awaiter;
}

// Submits an operation of a blocking store and gives its answer.
template <class T>
Result<T> now(OperationAwaiter<T> awaiter) {
  return run(as_task(&awaiter));
}

// A Result that holds a value which matches.
MATCHER_P(Holds, inner, "") {
  if (!arg.has_value()) {
    *result_listener << "it failed: " << to_string(arg.error().code()) << ": "
                     << arg.error().detail();
    return false;
  }
  return testing::ExplainMatchResult(inner, *arg, result_listener);
}

// A Result that is an error with this code.
MATCHER_P(FailsWith, code, "fails with " + std::string(to_string(code))) {
  if (arg.has_value()) {
    *result_listener << "it did not fail";
    return false;
  }
  *result_listener << to_string(arg.error().code()) << ": " << arg.error().detail();
  return arg.error().code() == code;
}

using posix::local_now;

// An interruption often lives in the frame of the wait that it ends, as in LockClient: here it is
// freed as soon as the wait is over. The sanitizers see a store that still touches it then.
inline void interrupt_waits_that_own_the_interruption(KeyValueStore& store, int times) {
  const auto subscription = now(store.subscribe(Channel("interrupted")));
  ASSERT_TRUE(subscription);
  for (int i = 0; i < times; ++i) {
    Operation operation(OperationKind::interrupt);
    operation.subscription = *subscription;
    auto interruption = std::make_unique<PendingOperation>(std::move(operation));
    std::thread other(
        [&store, pending = interruption.get()] { static_cast<void>(store.submit(*pending)); });
    const TimePoint until = local_now() + std::chrono::seconds{20};
    EXPECT_THAT(now(store.await_message(*subscription, until)), Holds(false));
    interruption.reset();
    EXPECT_LT(local_now(), until);
    other.join();
  }
}

class BlockingTime final : public TimeSource {
 public:
  TimePoint now() override { return local_now(); }
  bool park(PendingSleep& sleep) override {
    std::this_thread::sleep_for(sleep.until() - local_now());
    return false;
  }
  void wake(PendingSleep&) override {}
};

// Unique if the prefixes are.
class NumberedTokens final : public TokenSource {
 public:
  explicit NumberedTokens(std::string prefix) : prefix_(std::move(prefix)) {}
  OwnerToken fresh() override {
    return OwnerToken("il1:" + prefix_ + "-" + std::to_string(++count_));
  }
  std::uint64_t below(std::uint64_t bound) override { return ++count_ % bound; }

 private:
  std::string prefix_;
  std::uint64_t count_ = 0;
};

}  // namespace interlock::testing_support
