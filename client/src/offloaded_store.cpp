#include "offloaded_store.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "idle_looks.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/posix/signals_blocked.hpp"
#include "interlock/store/keyspace.hpp"

namespace interlock {
namespace {

// The same operation on the thread of the blocking store, with nobody waiting in it.
class OffloadedOperation : public PendingOperation {
 public:
  using PendingOperation::PendingOperation;
  using PendingOperation::take_reply;
};

// Answers on their way back to the loop. The jobs that the worker has posted keep this object alive
// after the worker.
class Answers {
 public:
  // True if a job must be posted to deliver it.
  bool add(PendingOperation& pending, Reply reply) {
    const std::lock_guard lock(mutex_);
    ready_.emplace_back(&pending, std::move(reply));
    return ready_.size() == 1;
  }

  void deliver() {
    std::vector<std::pair<PendingOperation*, Reply>> ready;
    {
      const std::lock_guard lock(mutex_);
      ready.swap(ready_);
    }
    for (auto& [pending, reply] : ready) pending->complete(std::move(reply));
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<PendingOperation*, Reply>> ready_;
};

}  // namespace

// A blocking store and the only thread that uses it. The other methods are the loop's.
class OffloadedStore::Worker {
 public:
  static Result<std::unique_ptr<Worker>> start(Backend& backend, Reactor& loop) {
    auto worker = std::make_unique<Worker>(backend, loop);
    auto thread = posix::thread_with_signals_blocked([&worker = *worker] { worker.work(); });
    if (!thread) return std::move(thread).error();
    worker->thread_ = *std::move(thread);
    return worker;
  }

  // To be started.
  Worker(Backend& backend, Reactor& loop) : store_(backend.open()), loop_(loop) {}

  ~Worker() {
    if (!thread_.joinable()) return;
    std::deque<PendingOperation*> not_begun;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      not_begun.swap(queue_);
    }
    interrupt();
    // Nobody waits for the answer any more. If another process keeps the file locked, the answer
    // would come only after the longest wait of an operation.
    interrupt(0);
    changed_.notify_one();
    thread_.join();
    answers_->deliver();
    for (PendingOperation* pending : not_begun) {
      pending->complete(Error(Errc::unavailable, "the client is being closed"));
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void add(PendingOperation& pending) {
    ++in_hand_;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&pending);
    }
    changed_.notify_one();
  }

  // Gives up waiting for a message. The only operation that a store takes from a foreign thread.
  void interrupt() {
    if (inner_subscription_ != 0) interrupt(inner_subscription_);
  }

  bool idle() const { return in_hand_ == 0 && inner_subscription_ == 0; }

  // What the loop calls the subscription that this worker serves.
  std::atomic<SubscriptionId> subscription = 0;
  int idle_looks = 0;  // since it was used

 private:
  void work() {
    for (;;) {
      PendingOperation* pending = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        pending = queue_.front();
        queue_.pop_front();
      }
      Reply reply = carry_out(pending->operation());
      --in_hand_;
      if (answers_->add(*pending, std::move(reply))) {
        loop_.post([answers = answers_] { answers->deliver(); });
      }
    }
  }

  void interrupt(SubscriptionId which) {
    Operation operation(OperationKind::interrupt);
    operation.subscription = which;
    OffloadedOperation offloaded(std::move(operation));
    INTERLOCK_ASSERT(store_->submit(offloaded) == Submitted::completed);
  }

  Reply carry_out(Operation operation) {
    const OperationKind kind = operation.kind;
    operation.subscription = inner_subscription_;
    OffloadedOperation offloaded(std::move(operation));
    INTERLOCK_ASSERT(store_->submit(offloaded) == Submitted::completed);
    Reply reply = offloaded.take_reply();
    if (kind == OperationKind::subscribe && reply) {
      inner_subscription_ = *reply->number();
      return Value(subscription.load());
    }
    if (kind == OperationKind::unsubscribe) inner_subscription_ = 0;
    return reply;
  }

  std::unique_ptr<KeyValueStore> store_;
  Reactor& loop_;
  std::shared_ptr<Answers> answers_ = std::make_shared<Answers>();
  std::atomic<SubscriptionId> inner_subscription_ = 0;  // in the store's count; 0: none
  std::atomic<int> in_hand_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PendingOperation*> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

Result<std::unique_ptr<KeyValueStore>> OffloadedStore::open(Backend& backend,
                                                            Reactor& loop,
                                                            Duration idle_limit) {
  auto commands = Worker::start(backend, loop);
  if (!commands) return std::move(commands).error();
  return std::unique_ptr<KeyValueStore>(
      new OffloadedStore(backend, loop, idle_limit, *std::move(commands)));
}

OffloadedStore::OffloadedStore(Backend& backend,
                               Reactor& loop,
                               Duration idle_limit,
                               std::unique_ptr<Worker> commands)
    : backend_(backend), loop_(loop), idle_limit_(idle_limit), commands_(std::move(commands)) {}

OffloadedStore::~OffloadedStore() = default;

Submitted OffloadedStore::submit(PendingOperation& pending) {
  const Operation& operation = pending.operation();
  if (is_immediate(operation.kind)) {
    commands_->add(pending);
    return Submitted::pending;
  }
  const Result<Worker*> found = operation.kind == OperationKind::subscribe
                                    ? free_listener()
                                    : listener_of(operation.subscription);
  if (!found) {
    pending.complete(found.error());
    return Submitted::completed;
  }
  Worker& listener = **found;
  if (operation.kind == OperationKind::interrupt) {
    listener.interrupt();
    pending.complete(Value());
    return Submitted::completed;
  }
  listener.add(pending);
  return Submitted::pending;
}

Result<OffloadedStore::Worker*> OffloadedStore::free_listener() {
  Worker* chosen = nullptr;
  for (const auto& listener : listeners_) {
    if (listener->idle()) chosen = listener.get();
  }
  if (chosen == nullptr) {
    if (listeners_.size() >= subscriptions_max) {
      return Error(Errc::unavailable, "subscribing: all listeners are in use");
    }
    auto started = Worker::start(backend_, loop_);
    if (!started) return std::move(started).error();
    chosen = listeners_.emplace_back(*std::move(started)).get();
    if (listeners_.size() == 1) look_soon();
  }
  chosen->idle_looks = 0;
  chosen->subscription = ++last_subscription_;
  return chosen;
}

void OffloadedStore::look_soon() {
  if (!look_timer_) look_timer_ = loop_.timer([this] { look(); });
  look_timer_->arm(idle_look_interval(idle_limit_));
}

void OffloadedStore::look() {
  for (const auto& listener : listeners_) {
    listener->idle_looks = listener->idle() ? listener->idle_looks + 1 : 0;
  }
  const auto closing_from = std::stable_partition(
      listeners_.begin(), listeners_.end(),
      [](const auto& listener) { return listener->idle_looks < idle_looks_until_closed; });
  std::vector<std::unique_ptr<Worker>> closing;
  std::move(closing_from, listeners_.end(), std::back_inserter(closing));
  listeners_.erase(closing_from, listeners_.end());
  if (!listeners_.empty()) look_soon();
  // The workers end here. Coroutines that their last answers resume may call this store again.
}

Result<OffloadedStore::Worker*> OffloadedStore::listener_of(SubscriptionId subscription) const {
  for (const auto& listener : listeners_) {
    if (listener->subscription == subscription) return listener.get();
  }
  return Error(Errc::rejected,
               "there is no subscription " + std::to_string(subscription) + ": subscribe first");
}

}  // namespace interlock
