// The contract of a store, as one suite that every store passes: memory, SQLite, Redis, and the
// simulated one, so that what is proved on the last holds on the others.
//
// To put a store to the test, link the target `store_conformance` and write
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(WorldFactory([] {
//     return std::make_unique<BlockingWorld>(memory::backend());
//   })));
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "blocking_store.hpp"
#include "interlock/store/backend.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"

namespace interlock::testing_support {

// An empty store with its surroundings: who drives tasks, and how time passes.
class StoreWorld {
 public:
  virtual ~StoreWorld() = default;

  // One more connection to the store. Closed before the world ends.
  virtual std::unique_ptr<KeyValueStore> open() = 0;

  // Runs a task over one of the stores to its end; in virtual time this lets time pass as needed.
  virtual void complete(Task<void> task) = 0;

  // Lets `waiting` run until it waits, and then `meanwhile`, which is what will end the wait. Both
  // have come to their end on return.
  virtual void complete_together(Task<void> waiting, Task<void> meanwhile) = 0;

  virtual TimePoint local_now() = 0;
  // Lets at least this much time pass, at the store as well.
  virtual void advance(Duration time) = 0;

  // Whether publish() tells how many subscriptions heard it; otherwise it answers 0.
  virtual bool counts_listeners() const { return true; }
};

// Makes a world for each test. A class of its own, so that a failure does not print its bytes.
class WorldFactory {
 public:
  using Make = std::function<std::unique_ptr<StoreWorld>()>;
  explicit WorldFactory(Make make) : make_(std::move(make)) {}
  std::unique_ptr<StoreWorld> operator()() const { return make_(); }
  friend void PrintTo(const WorldFactory&, std::ostream* out) { *out << "a store"; }

 private:
  Make make_;
};

// Stores that answer inside submit(), in real time.
class BlockingWorld : public StoreWorld {
 public:
  explicit BlockingWorld(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

  std::unique_ptr<KeyValueStore> open() override { return backend_->open(); }
  void complete(Task<void> task) override { run(std::move(task)); }
  void complete_together(Task<void> waiting, Task<void> meanwhile) override {
    std::thread waits([&] { run(std::move(waiting)); });
    // Likely, and never surely, long enough for the wait to begin. The answers are the same either
    // way; only which path leads to them is a matter of luck.
    std::this_thread::sleep_for(milliseconds{30});
    run(std::move(meanwhile));
    waits.join();
  }
  TimePoint local_now() override { return testing_support::local_now(); }
  void advance(Duration time) override { std::this_thread::sleep_for(time); }

 private:
  std::shared_ptr<Backend> backend_;
};

class StoreConformance : public testing::TestWithParam<WorldFactory> {
 protected:
  StoreConformance() : world_(GetParam()()), store_(world_->open()) {}

  StoreWorld& world() { return *world_; }
  KeyValueStore& store() { return *store_; }
  // A second connection.
  KeyValueStore& other_store() {
    if (!other_store_) other_store_ = world_->open();
    return *other_store_;
  }

  template <class T>
  Result<T> ask(OperationAwaiter<T> operation) {
    std::optional<Result<T>> answer;
    world_->complete(submit(&operation, &answer));
    return std::move(*answer);
  }

  // The answer of `waiting`; `meanwhile` must succeed.
  template <class T, class U>
  Result<T> ask_while(OperationAwaiter<T> waiting, OperationAwaiter<U> meanwhile) {
    std::optional<Result<T>> answer;
    std::optional<Result<U>> ended;
    world_->complete_together(submit(&waiting, &answer), submit(&meanwhile, &ended));
    EXPECT_TRUE(ended->has_value());
    return std::move(*answer);
  }

  // The fencing token of a claim that must be granted.
  FencingToken claim(KeyValueStore& at, Key lock, OwnerToken owner, Ttl ttl) {
    const Result<ClaimReply> reply = ask(at.claim(std::move(lock), std::move(owner), ttl));
    EXPECT_THAT(reply, Holds(testing::VariantWith<Claimed>(testing::_)));
    if (!reply || !std::holds_alternative<Claimed>(*reply)) return FencingToken();
    return std::get<Claimed>(*reply).fencing;
  }

  // Lets a ttl that has just begun end: a key is gone strictly after its last millisecond.
  void outlast(milliseconds ttl) { world_->advance(ttl + milliseconds{2}); }

  TimePoint in(Duration time) { return world_->local_now() + time; }

  // For waits that something else ends. Reaching it is a failure, so it may be long.
  static constexpr Duration long_time = std::chrono::seconds{20};
  // For waits that nothing ends.
  static constexpr Duration short_time = milliseconds{40};

 private:
  template <class T>
  static Task<void> submit(OperationAwaiter<T>* operation, std::optional<Result<T>>* answer) {
    Result<T> result = co_await *operation;
    answer->emplace(std::move(result));
  }

  std::unique_ptr<StoreWorld> world_;
  std::unique_ptr<KeyValueStore> store_;
  std::unique_ptr<KeyValueStore> other_store_;
};

}  // namespace interlock::testing_support
