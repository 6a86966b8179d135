// How a client asks its store: a thread on a connection of its own while one is free, and
// everything that waits on the connection of the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "blocking_calls.hpp"
#include "closable_store.hpp"
#include "interlock/cancellation.hpp"
#include "interlock/client.hpp"
#include "interlock/system_token_source.hpp"
#include "lock_kinds.hpp"
#include "queued_waiters.hpp"
#include "recalls.hpp"
#include "session_pool.hpp"
#include "task_group.hpp"
#include "unfinished_releases.hpp"

namespace interlock {

// The part of a lock's options that the protocols need.
AcquireOptions at_the_store(const LockOptions& options);

// It has no mutex of its own: each of its parts says what guards it.
class StoreAccess {
 public:
  // `store` is the connection of the loop, on whose thread it was opened. All else outlives this.
  StoreAccess(Backend& backend,
              std::unique_ptr<KeyValueStore> store,
              EventLoop& loop,
              TaskGroup& tasks,
              const BlockingCalls& calls,
              const ClientOptions& options,
              std::function<void()> on_recall);
  StoreAccess(const StoreAccess&) = delete;
  StoreAccess& operator=(const StoreAccess&) = delete;

  // --- any thread but the loop's: they block -----------------------------------------------------
  // `queues`: a try would be wasted, because another caller of this client holds the lock.
  enum class FirstRequest : std::uint8_t { tries, queues };
  // `keeps`: the caller may keep what it is granted, and others may recall that. `told_waiting`:
  // since when the caller has waited by itself, and has reported so; none: it has not.
  enum class Keeps : bool { no, yes };
  Result<AcquireOutcome> acquire(const LockName& name,
                                 const LockOptions& options,
                                 FirstRequest first,
                                 Keeps keeps = Keeps::no,
                                 std::optional<TimePoint> told_waiting = std::nullopt);
  Result<ReleaseOutcome> release(LockKind kind, const Lease& lease);
  // The same on a connection of the caller's. None: as many connections are in use as the options
  // allow.
  std::optional<Result<ReleaseOutcome>> release_here(LockKind kind, const Lease& lease);
  // Sends the release in the same way, and does not wait for the answer if the store can leave it
  // for later. Only the event sink gets the outcome. False: as many connections are in use as the
  // options allow.
  bool release_soon(LockKind kind, const Lease& lease);
  // Returns when every release was answered and none is left that the loop repeats, or `limit` has
  // passed since the last of them began.
  void wait_for_unfinished_releases(Duration limit);

  // --- any thread --------------------------------------------------------------------------------
  // For callers that may keep their grants: begins to listen for recalls. Does not block.
  void listen_for_recalls() { recalls_.listen(); }
  // For a release by release_async() for which nobody waits: wait_for_unfinished_releases() does.
  UnfinishedReleases::UnderWay release_begins() {
    return UnfinishedReleases::UnderWay(unfinished_);
  }
  // A release has reached the store, which may have offered the lock to a waiter.
  void on_released(LockKind kind, const LockName& name);
  void close_idle_connections() { sessions_.close_idle(); }

  // --- the loop's thread -------------------------------------------------------------------------
  // begin() is called first, end() last: after end() the loop's connection is closed, and what used
  // it is cancelled.
  void begin();
  void end();
  // Takes a place among the callers that queue, if the lock has a queue. Place and cancellation
  // outlive the task.
  Task<Result<AcquireOutcome>> acquire_async(std::optional<QueuedWaiters::QueuedCaller>& place,
                                             LockName name,
                                             const LockOptions& options,
                                             const std::shared_ptr<Cancellation>& cancellation,
                                             std::optional<TimePoint> told_waiting = std::nullopt);
  Task<Result<ReleaseOutcome>> release_async(LockKind kind, Lease lease);
  LockProtocol& protocol(LockKind kind) const { return kinds_.protocol(kind); }
  OwnerToken fresh_owner(const LockOptions& options, Keeps keeps);
  // The loop's connection, for requests beside those of locks.
  KeyValueStore& of_loop() noexcept { return store_; }

 private:
  class Waiter;
  OwnerToken fresh_owner_with_note(const LockOptions& options);
  Result<AcquireOutcome> wait_on_loop(const LockName& name,
                                      OwnerToken owner,
                                      LockKind kind,
                                      const AcquireOptions& options,
                                      const std::stop_token& stop);
  Task<void> wait(std::shared_ptr<Waiter> waiter);

  EventLoop& loop_;
  TaskGroup& tasks_;
  const BlockingCalls& calls_;
  const ClientOptions& options_;
  SystemTokenSource tokens_;
  // The connection of the loop and its users.
  ClosableStore store_;
  const LockKinds kinds_;
  UnfinishedReleases unfinished_;
  QueuedWaiters queued_;
  RecallListener recalls_;
  SessionPool sessions_;
};

}  // namespace interlock
