#include "search/fair_steps.hpp"

#include <optional>

#include "model/state_properties.hpp"

namespace interlock::sim {
namespace {

using Which = FairSteps::Which;

// Calls back with each choice that has a predicate: its number among all, and its bit.
template <class Call>
void each_named(const Scenario& scenario, Call call) {
  const std::vector<ChosenFairness>& all = scenario.all_fairness();
  StepMarks bit = 1;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at].steps.kind != Which::named) continue;
    call(at, bit);
    bit = static_cast<StepMarks>(bit << 1U);
  }
}

Agents agents_of(const FairSteps& steps) {
  Agents agents;
  if (steps.kind == Which::of_time) agents.add(Agent::time);
  if (steps.kind != Which::of_client) return agents;
  for (std::size_t slot = 0; slot < Agent::task_slots; ++slot) {
    agents.add(static_cast<std::uint8_t>(steps.client << 4 | slot));
  }
  return agents;
}

// Whether the step does nothing but tell its client an answer that the client waits for.
bool hears_answer(Engine& engine, const WideState& before, Action action) {
  if (!action.is(ActionKind::move) || action.late()) return false;
  const ProcessTable& table = engine.process(action.actor());
  const ProcessTable::ConfigInfo& info = table.info(before[action.actor()]);
  for (std::uint32_t at = 0; at < info.moves; ++at) {
    const TaskMove& move = table.move(info.first_move + at);
    if (move.slot == action.slot() && move.kind == TaskMoveKind::deliver) return true;
  }
  return false;
}

}  // namespace

FairnessRules rules_of(const Scenario& scenario) {
  FairnessRules rules;
  const std::vector<ChosenFairness>& all = scenario.all_fairness();
  rules.are_chosen = !all.empty();
  for (const ChosenFairness& chosen : all) {
    const bool need_not_come = chosen.fairness == Fairness::none;
    rules.may_rest = rules.may_rest || need_not_come;
    if (need_not_come && chosen.steps.kind == Which::of_time) rules.time_may_stop = true;
    if (chosen.fairness == Fairness::strong) rules.strong.unite(agents_of(chosen.steps));
  }
  each_named(scenario, [&](std::size_t at, StepMarks bit) {
    rules.ask_predicates = true;
    if (all[at].fairness == Fairness::weak) rules.weak_steps |= bit;
    if (all[at].fairness == Fairness::strong) rules.strong_steps |= bit;
  });
  return rules;
}

StepMarks marks_of(Engine& engine,
                   const WideState& before,
                   const Transition& detail,
                   const WideState& after) {
  const Scenario& scenario = engine.scenario();
  const std::vector<ChosenFairness>& all = scenario.all_fairness();
  StepMarks marks = 0;
  if (all.empty()) return marks;
  if (hears_answer(engine, before, detail.action)) marks |= FairnessRules::hears;
  const std::uint8_t agent = Agent::of(detail.action);
  for (const ChosenFairness& chosen : all) {
    const bool is_of_it = chosen.fairness == Fairness::none && agents_of(chosen.steps).has(agent);
    if (is_of_it) marks |= FairnessRules::need_not_come;
  }
  if (!scenario.asks_predicates()) return marks;
  std::optional<StepView> seen;
  each_named(scenario, [&](std::size_t at, StepMarks bit) {
    if (!seen) seen = step_view(engine, before, detail.action, after);
    if (!engine.predicates().is_of_chosen(at, *seen)) return;
    engine.happenings().note(HappeningKind::comes, all[at].steps.name);
    marks |= all[at].fairness == Fairness::none ? FairnessRules::need_not_come : bit;
  });
  return marks;
}

std::string names_of(const Scenario& scenario, StepMarks marks) {
  std::string names;
  each_named(scenario, [&](std::size_t at, StepMarks bit) {
    const bool need_not_come = (marks & FairnessRules::need_not_come) != 0 &&
                               scenario.all_fairness()[at].fairness == Fairness::none;
    if ((marks & bit) == 0 && !need_not_come) return;
    if (!names.empty()) names += "' or '";
    names += scenario.all_fairness()[at].steps.name;
  });
  return names;
}

}  // namespace interlock::sim
