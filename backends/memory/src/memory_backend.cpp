#include "interlock/memory/memory_backend.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "interlock/posix/clock.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/store/keyspace.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::memory {
namespace {

using posix::since_boot;

// Guarded by the mutex of the Hub that it belongs to.
class MemorySubscription {
 public:
  MemorySubscription(Channel to, bool texts) : channel(std::move(to)), wants_texts(texts) {}
  Channel channel;
  bool wants_texts;
  std::optional<Value> heard;  // the answer to the next wait
  bool interrupted = false;
  std::condition_variable changed;
};

// The state that all stores of one backend share. A thread that uses it holds its mutex.
class Hub final : public MemoryKeyspace, public posix::ForkGuard {
 public:
  explicit Hub(Clock clock) : clock_(std::move(clock)) { enter(); }
  ~Hub() override { leave(); }

  std::mutex& mutex() noexcept { return mutex_; }

  // One operation: time stands still in it.
  Reply carry_out(const Operation& operation) {
    set_now(clock_());
    forget_some_expired();
    return apply(*this, operation);
  }

  std::vector<Key> held_locks() {
    set_now(clock_());
    std::vector<Key> held;
    for (const auto& [key, entry] : entries()) {
      if (auto lock = lock_of_fencing_key(key)) held.push_back(std::move(*lock));
    }
    // After the loop, because find() removes expired entries.
    std::erase_if(held, [this](const Key& lock) { return !find(lock); });
    return held;
  }

  std::int64_t publish(const Channel& channel, const std::string& message) override {
    std::int64_t listeners = 0;
    for (MemorySubscription* subscription : subscriptions_) {
      if (subscription->channel != channel) continue;
      ++listeners;
      subscription->heard = subscription->wants_texts ? Value(message) : Value(std::int64_t{1});
      subscription->changed.notify_all();
    }
    return listeners;
  }
  bool knows_listeners() const override { return true; }
  bool may_be_heard(const Channel& channel) const override {
    return std::any_of(subscriptions_.begin(), subscriptions_.end(),
                       [&](const auto* each) { return each->channel == channel; });
  }

  void add(MemorySubscription& subscription) { subscriptions_.push_back(&subscription); }
  void remove(MemorySubscription& subscription) { std::erase(subscriptions_, &subscription); }

 private:
  void before_fork() override { mutex_.lock(); }
  void after_fork_in_parent() override { mutex_.unlock(); }
  // A child is another process: locks and subscriptions of the parent's threads do not belong to
  // it.
  void after_fork_in_child() override {
    clear();
    walked_to_ = Key();
    subscriptions_.clear();
    mutex_.unlock();
  }

  // Without this, keys that nobody asks for again, such as the fencing counter of a lock named
  // after an order, would stay for ever. Every operation checks more entries than one operation can
  // create.
  void forget_some_expired() {
    constexpr int entries_per_operation = 4;
    auto at = entries().lower_bound(walked_to_);
    for (int i = 0; i < entries_per_operation && at != entries().end(); ++i) {
      const Key key = at->first;
      const bool expired = is_expired(at->second, now());
      ++at;
      if (expired) erase(key);
    }
    walked_to_ = at == entries().end() ? Key() : at->first;
  }

  std::mutex mutex_;
  Clock clock_;
  Key walked_to_;
  std::vector<MemorySubscription*> subscriptions_;
};

class MemoryStore final : public KeyValueStore {
 public:
  explicit MemoryStore(std::shared_ptr<Hub> hub) : fork_(hub->process()), hub_(std::move(hub)) {}

  ~MemoryStore() override {
    if (fork_.in_child()) {
      // Threads of the parent may wait on the conditions in them, and a destructor would wait for
      // those threads.
      posix::leave_behind(std::move(subscriptions_));
      return;
    }
    const std::lock_guard lock(hub_->mutex());
    for (auto& [id, subscription] : subscriptions_) hub_->remove(*subscription);
  }

  Submitted submit(PendingOperation& pending) override {
    if (posix::refuses_in_child(fork_, pending)) return Submitted::completed;
    if (pending.operation().kind == OperationKind::interrupt) {
      // Completed first: it may live in the frame of the waiter, which may be gone as soon as the
      // waiter wakes.
      const SubscriptionId id = pending.operation().subscription;
      pending.complete(Value());
      interrupt_wait_on(id);
      return Submitted::completed;
    }
    // Completed without the mutex: completing may run a coroutine that comes back here.
    pending.complete(reply_to(pending.operation()));
    return Submitted::completed;
  }

 private:
  Reply reply_to(const Operation& operation) {
    std::unique_lock lock(hub_->mutex());
    switch (operation.kind) {
      case OperationKind::subscribe:
        return subscribe_to(Channel(operation.key.shared()), operation.texts);
      case OperationKind::await_message:
        return await_message_on(lock, operation.subscription, operation.until);
      case OperationKind::unsubscribe:
        if (MemorySubscription* subscription = find(operation.subscription)) {
          hub_->remove(*subscription);
          subscriptions_.erase(operation.subscription);
        }
        return Value();
      default:
        return hub_->carry_out(operation);
    }
  }

  void interrupt_wait_on(SubscriptionId id) {
    // Keeps the hub alive: the waiter may go on to destroy the store while the mutex is unlocked.
    const std::shared_ptr<Hub> hub = hub_;
    const std::lock_guard lock(hub->mutex());
    if (MemorySubscription* subscription = find(id)) {
      subscription->interrupted = true;
      subscription->changed.notify_all();
    }
  }

  MemorySubscription* find(SubscriptionId id) {
    const auto found = subscriptions_.find(id);
    return found == subscriptions_.end() ? nullptr : found->second.get();
  }

  Reply subscribe_to(Channel channel, bool texts) {
    const SubscriptionId id = ++last_id_;
    const auto& subscription =
        subscriptions_.emplace(id, std::make_unique<MemorySubscription>(std::move(channel), texts))
            .first->second;
    hub_->add(*subscription);
    return Value(id);
  }

  Reply await_message_on(std::unique_lock<std::mutex>& lock, SubscriptionId id, TimePoint until) {
    MemorySubscription* const subscription = find(id);
    if (subscription == nullptr) {
      return Error(Errc::rejected, "waiting for a message: there is no subscription " +
                                       std::to_string(id) + ": subscribe first");
    }
    // No condition variable waits by CLOCK_BOOTTIME. The clock of std::condition_variable stops
    // while the machine sleeps, so a long wait checks the clock now and then.
    constexpr Duration longest_nap = std::chrono::seconds{1};
    for (;;) {
      // Checks for an interruption first: a message must not hide it. The message stays for the
      // next call.
      if (std::exchange(subscription->interrupted, false)) return Value(std::int64_t{0});
      if (subscription->heard) {
        return *std::exchange(subscription->heard, std::nullopt);
      }
      const Duration left = until.time_since_epoch() - since_boot();
      if (left.count() <= 0) return Value(std::int64_t{0});
      subscription->changed.wait_for(lock, std::min(left, longest_nap));
    }
  }

  const posix::ForkMark fork_;
  std::shared_ptr<Hub> hub_;
  SubscriptionId last_id_ = 0;
  std::map<SubscriptionId, std::unique_ptr<MemorySubscription>> subscriptions_;
};

class MemoryBackend final : public Backend {
 public:
  explicit MemoryBackend(Clock clock) : hub_(std::make_shared<Hub>(std::move(clock))) {}

  std::unique_ptr<KeyValueStore> open() override { return std::make_unique<MemoryStore>(hub_); }
  std::unique_ptr<KeyValueStore> open_on(Reactor&) override { return nullptr; }
  std::string description() const override { return "memory:"; }

  Result<std::vector<Finding>> inspect() override {
    return std::vector<Finding>{
        Finding(Finding::Grade::warning, "reach",
                "locks exclude the threads of this process only, and are gone when it ends",
                "for several processes use sqlite:PATH or redis://HOST"),
        Finding(Finding::Grade::good, "clock", "setting the wall clock moves no expiry")};
  }

  Result<std::vector<Key>> held_locks() override {
    if (hub_->carried()) return posix::used_in_child("listing locks", "the store");
    const std::lock_guard lock(hub_->mutex());
    return hub_->held_locks();
  }

 private:
  std::shared_ptr<Hub> hub_;
};

}  // namespace

std::shared_ptr<Backend> backend(Clock clock) {
  if (!clock) clock = [] { return StoreTime(since_boot()); };
  return std::make_shared<MemoryBackend>(std::move(clock));
}

}  // namespace interlock::memory
