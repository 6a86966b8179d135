// When to ask a command to stop, and when to kill it.
#pragma once

#include <csignal>
#include <optional>

#include "interlock/vocabulary.hpp"

namespace interlock::cli {

// What happens to the command when its lock cannot be kept.
class OnLost {
 public:
  static OnLost send(int signal) { return OnLost(signal); }
  static OnLost ignore() { return OnLost(0); }

  bool ignored() const noexcept { return signal_ == 0; }
  int signal() const noexcept { return signal_; }

 private:
  explicit OnLost(int signal) : signal_(signal) {}
  int signal_;
};

// The grace is inside the lease: KILL is sent `kill_early` before the lease can end, because
// processes need a moment to end, and the signal `kill_after` before KILL. So the command has ended
// before another client can get the lock. The local clock alone decides, so a store that does not
// answer cannot delay it. Only if the store says that the lock is gone already (erased, broken)
// does the grace begin at that moment.
class LossRule {
 public:
  LossRule(OnLost on_lost, Duration kill_after, Duration kill_early)
      : on_lost_(on_lost), kill_after_(kill_after), kill_early_(kill_early) {}

  class LossDecision {
   public:
    std::optional<int> signal;      // send this to the command now
    std::optional<TimePoint> next;  // look again then, at the latest
  };

  // Call it again whenever something may have changed. It returns each signal once. If it is called
  // late, within the grace, because this process did not run, half of the remaining time is left
  // for a renewal before the signal: the lease was not renewed because this process could not run.
  LossDecision look(TimePoint now, TimePoint certain_until, bool store_says_lost);

  // When the command has ended by itself: was its lock still certain at that moment?
  void conclude(TimePoint ended, TimePoint certain_until, bool store_says_lost);

  // The watcher killed the command at `then`, because its lease was over. `then` may be before a
  // loss that we noticed, because we did not run: it counts.
  void expire(TimePoint then);

  // When the watcher must kill the command if this process cannot, as far as is known now. None:
  // never, or nothing is known yet.
  std::optional<TimePoint> deadline() const;

  // The end of the lease as it was last seen before the loss. None: look() was not called before
  // that.
  std::optional<TimePoint> certain_until() const noexcept { return certain_until_; }

  // The loss was noticed when the lease was over, or so nearly over that KILL was due: what the
  // store says about the key afterwards is not the cause.
  bool lost_by_clock() const;

  // Whether the lock was lost while the command ran. Once true, it stays true.
  bool lost() const noexcept { return lost_since_.has_value(); }
  std::optional<TimePoint> lost_since() const noexcept { return lost_since_; }

 private:
  // When the command must be killed if the lease can end at `certain_until`. For a loss that is
  // ignored: that end.
  TimePoint kill_time(TimePoint certain_until) const;

  OnLost on_lost_;
  Duration kill_after_;
  Duration kill_early_;
  std::optional<TimePoint> certain_until_;  // as it was before the store said anything
  std::optional<TimePoint> postponed_;      // the signal, in this lease
  std::optional<TimePoint> lost_since_;
  TimePoint kill_at_{};
  bool killed_ = false;
};

}  // namespace interlock::cli
