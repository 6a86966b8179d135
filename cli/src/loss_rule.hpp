// When a command must be told to stop, and when it must be stopped.
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

// The grace lies inside the lease: the signal goes out `kill_after` before the lease can end, KILL
// when it can, so that the command is gone before anyone else is admitted. The local clock alone
// decides, so a store that does not answer cannot delay it. Only when the store says that the lock
// is gone already (erased, broken) does the grace begin at that moment.
class LossRule {
 public:
  LossRule(OnLost on_lost, Duration kill_after) : on_lost_(on_lost), kill_after_(kill_after) {}

  class Step {
   public:
    std::optional<int> signal;      // send this to the command now
    std::optional<TimePoint> next;  // look again then, at the latest
  };

  // To be asked again whenever something may have changed. Each signal is given once. Who asks
  // late, within the grace, because this process did not run, gets half of what is left for a
  // renewal before the signal: the lease has not been renewed because nobody ran who could.
  Step look(TimePoint now, TimePoint certain_until, bool store_says_lost);

  // When the command has ended by itself: was its lock still certain at that moment?
  void conclude(TimePoint ended, TimePoint certain_until, bool store_says_lost);

  // The command was killed because its lease was over, by somebody who watches in our place. `then`
  // may be before a loss that we noticed, because we did not run: it counts.
  void expire(TimePoint then);

  // When the command must be killed, as far as is known now, should we not be there to do it. None:
  // never, or nothing is known yet.
  std::optional<TimePoint> deadline() const;

  // The end of the lease as it was seen last before the loss. None: nobody looked before that.
  std::optional<TimePoint> certain_until() const noexcept { return certain_until_; }

  // The lock could not be kept while the command ran; from then on it stays so.
  bool lost() const noexcept { return lost_since_.has_value(); }
  std::optional<TimePoint> lost_since() const noexcept { return lost_since_; }

 private:
  OnLost on_lost_;
  Duration kill_after_;
  std::optional<TimePoint> certain_until_;  // as it was before the store said anything
  std::optional<TimePoint> postponed_;      // the signal, in this lease
  std::optional<TimePoint> lost_since_;
  TimePoint kill_at_{};
  bool killed_ = false;
};

}  // namespace interlock::cli
