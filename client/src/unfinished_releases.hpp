// The releases for which no caller waits: those that a client's loop sends for a guard that ended,
// and those that it repeats, because the store was out of reach when they were sent.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

#include "lock_kinds.hpp"
#include "task_group.hpp"

namespace interlock {

// Its mutex guards what wait() needs; the releases themselves belong to the loop's thread.
class UnfinishedReleases {
 public:
  // `kinds` are those of the loop's connection.
  UnfinishedReleases(TaskGroup& tasks, const LockKinds& kinds) : tasks_(tasks), kinds_(kinds) {}
  UnfinishedReleases(const UnfinishedReleases&) = delete;
  UnfinishedReleases& operator=(const UnfinishedReleases&) = delete;

  // --- any thread --------------------------------------------------------------------------------
  // A release is under way while one lives; wait() waits for it. In a coroutine it must be a local
  // variable: what a coroutine was called with lives on after the task has counted as ended.
  class UnderWay {
   public:
    explicit UnderWay(UnfinishedReleases& releases);
    UnderWay(UnderWay&& other) noexcept : releases_(std::exchange(other.releases_, nullptr)) {}
    UnderWay& operator=(UnderWay&&) = delete;
    ~UnderWay();

   private:
    UnfinishedReleases* releases_;  // null: moved from
  };

  // A lease that could not be released, or a claim that could not be withdrawn.
  void add(LockKind kind, Lease lease);
  // Returns when none is left, or `limit` has passed since the last of them was added.
  // Turns the loop meanwhile if it has no thread.
  void wait(Duration limit);

  // --- the loop's thread -------------------------------------------------------------------------
  // After this none is repeated any more.
  void end();

 private:
  Task<void> finish(LockKind kind, Lease lease, UnderWay under_way);

  TaskGroup& tasks_;
  const LockKinds& kinds_;
  // On the loop's thread.
  std::list<Cancellation*> under_way_;
  bool has_ended_ = false;

  std::mutex mutex_;
  // Below: under the mutex.
  std::condition_variable finished_;
  int count_ = 0;
  TimePoint last_added_{};
};

}  // namespace interlock
