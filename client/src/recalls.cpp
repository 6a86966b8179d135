#include "recalls.hpp"

#include <algorithm>
#include <utility>

#include "interlock/detail/wake_up_channel.hpp"

namespace interlock {

RecallListener::RecallListener(KeyValueStore& store,
                               EventLoop& loop,
                               TaskGroup& tasks,
                               const WaitPolicy& policy,
                               OwnerToken fresh,
                               std::function<void()> on_recall)
    : store_(store),
      loop_(loop),
      tasks_(tasks),
      policy_(policy),
      channel_(detail::wake_up_channel_of(fresh)),
      on_recall_(std::move(on_recall)) {}

void RecallListener::listen() {
  if (listens_.load(std::memory_order_relaxed) || listens_.exchange(true)) return;
  tasks_.spawn(subscribe_and_hear());
}

Task<void> RecallListener::subscribe_and_hear() {
  Duration pause = policy_.backoff_first;
  while (!ending_.requested()) {
    const Result<SubscriptionId> subscribed = co_await store_.subscribe(channel_);
    if (subscribed) {
      pause = policy_.backoff_first;
      // Another process may have sent its message before the client listened, and sends it only
      // once.
      on_recall_();
      co_await hear(*subscribed);
    }
    if (ending_.requested()) break;
    co_await sleep(pause);
    pause = std::min(pause * 2, policy_.backoff_longest);
  }
}

// Returns when the subscription has ended with its connection.
Task<void> RecallListener::hear(SubscriptionId subscription) {
  constexpr Duration listens_for = std::chrono::hours{1};
  for (;;) {
    const TimePoint until = loop_.now() + listens_for;
    const Result<bool> heard = co_await store_.await_message(subscription, until);
    if (!heard || ending_.requested()) co_return;
    if (*heard) on_recall_();
  }
}

Task<void> RecallListener::sleep(Duration pause) {
  const TimePoint until = loop_.now() + pause;
  TimeSource::SleepAwaiter nap = loop_.sleep_until(until);
  const Cancellation::Waiting waiting(&ending_, [&] { loop_.wake(nap); });
  co_await nap;
}

}  // namespace interlock
