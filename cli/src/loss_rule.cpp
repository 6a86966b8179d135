#include "loss_rule.hpp"

#include <algorithm>

namespace interlock::cli {

LossRule::Step LossRule::look(TimePoint now, TimePoint certain_until, bool store_says_lost) {
  Step step;
  if (!lost_since_) {
    // With KILL there is nothing to wait for after the signal, so the renewal gets all the time.
    const bool graceful = !on_lost_.ignored() && on_lost_.signal() != SIGKILL;
    const TimePoint act_at = graceful ? certain_until - kill_after_ : certain_until;
    if (!store_says_lost && now < act_at) {
      step.next = act_at;
      return step;
    }
    lost_since_ = now;
    // Fixed from here on: a renewal that succeeds now does not call the signal back.
    kill_at_ = store_says_lost && now < certain_until ? now + kill_after_ : certain_until;
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

}  // namespace interlock::cli
