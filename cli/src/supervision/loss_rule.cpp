#include "supervision/loss_rule.hpp"

#include <algorithm>

namespace interlock::cli {

LossRule::LossDecision LossRule::look(TimePoint now,
                                      TimePoint certain_until,
                                      bool store_says_lost) {
  LossDecision step;
  if (!lost_since_) {
    if (!store_says_lost) {
      if (certain_until_ != certain_until) postponed_.reset();
      certain_until_ = certain_until;
    }
    // After KILL there is no grace to wait for, so the renewal gets all the time.
    const bool graceful = !on_lost_.ignored() && on_lost_.signal() != SIGKILL;
    const TimePoint last = kill_time(certain_until);
    TimePoint act_at = graceful ? last - kill_after_ : last;
    // Longer than the delays of scheduling on a busy machine.
    constexpr milliseconds late{50};
    if (graceful && !postponed_ && now >= act_at + late && now < last) {
      postponed_ = now + (last - now) / 2;
    }
    act_at = postponed_.value_or(act_at);
    if (!store_says_lost && now < act_at) {
      step.next = act_at;
      return step;
    }
    lost_since_ = now;
    // Fixed from here on: a renewal that succeeds now does not call the signal back. If the lease
    // is over as well, because this process was frozen, no grace is left.
    const bool in_time = !certain_until_ || now < *certain_until_;
    kill_at_ = !store_says_lost ? last : in_time ? now + kill_after_ : now;
    if (on_lost_.ignored()) return step;
    if (now < kill_at_) step.signal = on_lost_.signal();
    killed_ = on_lost_.signal() == SIGKILL && step.signal.has_value();
  }
  if (on_lost_.ignored() || killed_) return step;
  if (now < kill_at_) {
    step.next = kill_at_;
    return step;
  }
  step.signal = SIGKILL;
  killed_ = true;
  return step;
}

void LossRule::expire(TimePoint then) {
  if (lost_since_ && *lost_since_ <= then) return;
  lost_since_ = then;
  kill_at_ = then;
  killed_ = true;
}

std::optional<TimePoint> LossRule::deadline() const {
  if (on_lost_.ignored()) return std::nullopt;
  if (lost_since_) return kill_at_;
  if (!certain_until_) return std::nullopt;
  return kill_time(*certain_until_);
}

TimePoint LossRule::kill_time(TimePoint certain_until) const {
  return on_lost_.ignored() ? certain_until : certain_until - kill_early_;
}

bool LossRule::lost_by_clock() const {
  return lost_since_ && certain_until_ && *lost_since_ >= kill_time(*certain_until_);
}

void LossRule::conclude(TimePoint ended, TimePoint certain_until, bool store_says_lost) {
  if (lost_since_) return;
  if (store_says_lost || ended >= certain_until) lost_since_ = ended;
}

}  // namespace interlock::cli
