#include "sampling/series.hpp"

#include <algorithm>

namespace interlock::sim {

template <class GoesOn>
Series::RunEnd Series::walk(WalkedStates& walked, GoesOn goes_on) {
  path.clear();
  std::uint32_t state = walked.begin_run();
  while (violated == 0) {
    if (!goes_on()) return RunEnd::left;
    const NextStep next = chooser_->look(state, path.size());
    if (next == NextStep::unknown) return RunEnd::unknown;
    if (next == NextStep::none) return RunEnd::ended;
    if (path.size() == steps_most_) return RunEnd::cut_off;
    const std::optional<std::uint32_t> step = chooser_->next();
    if (!step) return RunEnd::ended;
    const std::uint16_t broken = walked.broken_by(state, *step);
    if (broken == WalkedStates::not_judged) return RunEnd::unknown;
    violated = broken;
    path.push_back(walked.step(*step).action);
    state = walked.step(*step).next;
  }
  return RunEnd::ended;
}

template <class GoesOn>
void Series::one_run(WalkedStates& walked, GoesOn goes_on) {
  if (!chooser_->begin_run()) {
    ended_ = true;
    return;
  }
  if (!repeats_) ++runs;
  const RunEnd end = walk(walked, goes_on);
  stuck_ = end == RunEnd::unknown;
  if (stuck_) return take_back_run();
  steps += path.size();
  longest = std::max(longest, path.size());
  ended_ = !chooser_->failure().empty();
  repeats_ = !ended_ && chooser_->repeats(path.size()) && violated == 0 && end != RunEnd::left;
  if (!repeats_ && end == RunEnd::cut_off) ++cut_off;
}

void Series::take_back_run() {
  chooser_->take_back_run();
  if (!repeats_) --runs;
}

void Series::take_run(WalkedStates& walked, const std::function<bool()>& goes_on) {
  one_run(walked, [&goes_on] { return goes_on(); });
}

void Series::take_known_runs(WalkedStates& walked, std::uint64_t more) {
  const std::uint64_t enough = steps + more;
  do {
    one_run(walked, [] { return true; });
  } while (!is_over() && !stuck_ && steps < enough);
}

}  // namespace interlock::sim
