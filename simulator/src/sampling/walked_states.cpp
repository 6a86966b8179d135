#include "sampling/walked_states.hpp"

#include <algorithm>
#include <array>

#include "model/state_properties.hpp"

namespace interlock::sim {

// A task of a client, or time.
std::uint32_t WalkedStates::mover_of(const Action& action) {
  if (action.is(ActionKind::time)) return time_itself;
  return static_cast<std::uint32_t>(action.actor() * 16 + action.slot() + 1);
}

std::uint32_t WalkedStates::begin_run() {
  if (!learns_) return 0;
  if (!are_worth_keeping()) forget();
  return number_of(engine_.initial<WideState>());
}

bool WalkedStates::are_worth_keeping() const {
  constexpr std::size_t few = 4096;  // they fit into a cache
  if (states_.size() > states_most_ || steps_.size() > 4 * states_most_) return false;
  return states_.size() < few || worked_out_ * 2 < taken_;
}

void WalkedStates::forget() {
  states_ = StateSet<WideState>();
  out_of_memory_ = out_of_memory_ || !states_.has_memory();
  ordinary_.clear();
  faulty_.clear();
  groups_.clear();
  steps_.clear();
  after_.clear();
  taken_ = 0;
  worked_out_ = 0;
}

std::uint32_t WalkedStates::number_of(const WideState& state) {
  if (out_of_memory_) return 0;
  const std::uint32_t known = states_.find(state);
  if (known != StateSet<WideState>::absent) return known;
  const std::uint32_t hash = StateSet<WideState>::hash(state);
  std::array<std::uint32_t, StateSet<WideState>::parts> more{};
  more[StateSet<WideState>::part_of(hash)] = 1;
  out_of_memory_ = !states_.reserve(more);
  if (out_of_memory_) return 0;
  states_.insert(state, hash, Origin());
  ordinary_.emplace_back();
  faulty_.emplace_back();
  return static_cast<std::uint32_t>(states_.size() - 1);
}

std::uint32_t WalkedStates::add(const BriefStep& step) {
  WalkedStep walked;
  walked.action = step.detail.action;
  walked.violation = step.detail.violation;
  steps_.push_back(walked);
  after_.push_back(step.next);
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

WalkedStates::StepGroups WalkedStates::known(std::vector<StepGroups>& all,
                                             std::uint32_t state,
                                             StepKinds kinds) {
  if (out_of_memory_) return {0, 0};
  if (all[state].is_known() || !learns_) return all[state];
  const StepGroups groups = work_out(state, kinds);  // may move `all`
  return all[state] = groups;
}

WalkedStates::StepGroups WalkedStates::work_out(std::uint32_t state, StepKinds kinds) {
  ++learned_;
  ++worked_out_;
  const WideState from = states_[state];
  const std::vector<BriefStep> all = possible_steps<Transition>(engine_, from, kinds);
  const auto group_of = [&](const BriefStep& step) {
    const Action action = step.detail.action;
    return kinds == StepKinds::faulty ? action.kind_number() : mover_of(action);
  };
  StepGroups groups{static_cast<std::uint32_t>(groups_.size()), 0};
  for (const BriefStep& step : all) {
    const std::uint32_t of = group_of(step);
    const auto mine = groups_.begin() + groups.first;
    const auto is_of = [of](const StepGroup& group) { return group.of == of; };
    if (std::any_of(mine, groups_.end(), is_of)) continue;
    StepGroup group{of, static_cast<std::uint32_t>(steps_.size()), 0};
    for (const BriefStep& other : all) {
      if (group_of(other) != of) continue;
      add(other);
      ++group.count;
    }
    groups_.push_back(group);
    ++groups.count;
  }
  return groups;
}

std::uint16_t WalkedStates::broken_by(std::uint32_t before, std::uint32_t step) {
  if (out_of_memory_) return 0;
  if (learns_) ++taken_;
  if (steps_[step].broken != not_judged || !learns_) return steps_[step].broken;
  ++learned_;
  Transition detail;
  detail.action = steps_[step].action;
  detail.violation = steps_[step].violation;
  const WideState from = states_[before];
  const WideState to = after_[step];
  steps_[step].next = number_of(to);
  return steps_[step].broken = sim::broken_by(engine_, from, detail, to);
}

}  // namespace interlock::sim
