#include "run/ask_strategy.hpp"

#include "process/thrown.hpp"

namespace interlock::sim {

bool begins_run(Strategy& strategy, std::uint64_t run, std::string& failure) {
  std::string thrown;
  const bool begins = begin_run(strategy, run, thrown);
  if (!thrown.empty()) failure = "the strategy threw '" + thrown + "' when a run was to begin";
  return begins && thrown.empty();
}

std::optional<std::size_t> choice_of(Strategy& strategy,
                                     const Run& so_far,
                                     const std::vector<RunStep>& choices,
                                     std::string& failure) {
  std::string thrown;
  const std::size_t chosen = choose(strategy, so_far, choices, thrown);
  const std::string where = " at step " + std::to_string(so_far.steps.size() + 1);
  if (!thrown.empty()) {
    failure = "the strategy threw '" + thrown + "'" + where;
    return std::nullopt;
  }
  if (chosen == Strategy::end_of_run) return std::nullopt;
  if (chosen < choices.size()) return chosen;
  failure = "the strategy chose number " + std::to_string(chosen) + where + ", which has " +
            std::to_string(choices.size()) + " choices: they are numbered from 0";
  return std::nullopt;
}

}  // namespace interlock::sim
