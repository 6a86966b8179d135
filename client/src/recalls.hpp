// How other processes make a client give back the locks that it keeps: by a message on one wake-up
// channel, whose name is in the owner tokens of the callers that keep their grants.
#pragma once

#include <atomic>
#include <functional>

#include "interlock/cancellation.hpp"
#include "interlock/client.hpp"
#include "interlock/store/key_value_store.hpp"
#include "task_group.hpp"

namespace interlock {

// The client does not look at the lock's name in a message, because SQLite's messages have no text:
// it gives back all grants that it keeps. No message is repeated.
class RecallListener {
 public:
  // `on_recall` is called on the loop's thread: for each message, and whenever the subscription was
  // made, because an earlier message is lost. All else outlives this.
  RecallListener(KeyValueStore& store,
                 EventLoop& loop,
                 TaskGroup& tasks,
                 const WaitPolicy& policy,
                 OwnerToken fresh,
                 std::function<void()> on_recall);

  // --- any thread --------------------------------------------------------------------------------
  const Channel& channel() const noexcept { return channel_; }
  // Begins to listen. Does nothing if it has begun.
  void listen();

  // --- the loop's thread -------------------------------------------------------------------------
  // The loop's connection is closed next.
  void end() { ending_.request(); }

 private:
  Task<void> subscribe_and_hear();
  Task<void> hear(SubscriptionId subscription);
  Task<void> sleep(Duration pause);

  KeyValueStore& store_;
  EventLoop& loop_;
  TaskGroup& tasks_;
  const WaitPolicy& policy_;
  const Channel channel_;
  const std::function<void()> on_recall_;
  std::atomic<bool> listens_ = false;
  Cancellation ending_;  // on the loop's thread
};

}  // namespace interlock
