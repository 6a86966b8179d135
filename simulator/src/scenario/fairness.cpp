// Which steps a scenario chooses a fairness for, and the words for it.
#include "interlock/sim/fairness.hpp"

#include <algorithm>
#include <utility>

#include "base/names.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {
namespace {

bool is_inside(const Snapshot& world, std::size_t client, const std::string& lock) {
  const std::vector<std::string>& inside = world.clients[client].inside;
  return std::find(inside.begin(), inside.end(), lock) != inside.end();
}

// Empty: it is so without this choice.
std::string words_for(const ChosenFairness& chosen) {
  const FairSteps& steps = chosen.steps;
  const bool is_named = steps.kind == FairSteps::Which::named;
  if (chosen.fairness == Fairness::weak && !is_named) return {};
  const std::string who = describe(steps);
  switch (chosen.fairness) {
    case Fairness::none:
      return who + (is_named ? " may never come" : " may stop for ever");
    case Fairness::weak:
      return "weak fairness of " + who;
    case Fairness::strong:
      break;
  }
  return "strong fairness of " + who;
}

}  // namespace

std::string describe(const FairSteps& steps) {
  switch (steps.kind) {
    case FairSteps::Which::of_client:
      return client_name(steps.client);
    case FairSteps::Which::of_time:
      return "time";
    case FairSteps::Which::named:
      break;
  }
  return "'" + steps.name + "'";
}

FairSteps steps_of(std::size_t client) {
  FairSteps steps(FairSteps::Which::of_client);
  steps.client = client;
  return steps;
}

FairSteps steps_of_time() {
  return FairSteps(FairSteps::Which::of_time);
}

FairSteps steps_called(std::string name, FairSteps::Predicate are) {
  FairSteps named(FairSteps::Which::named);
  named.name = std::move(name);
  named.are = std::move(are);
  return named;
}

FairSteps entering(std::string lock, std::size_t client) {
  std::string name = client_name(client) + " enters " + lock;
  return steps_called(std::move(name), [lock = std::move(lock), client](const StepView& step) {
    return step.client == client && !is_inside(step.before, client, lock) &&
           is_inside(step.after, client, lock);
  });
}

Scenario& Scenario::fairness(Fairness fairness, FairSteps steps) {
  fairness_.push_back(ChosenFairness{fairness, std::move(steps)});
  return *this;
}

std::vector<std::string> Scenario::fairness_in_words() const {
  std::vector<std::string> words;
  if (!requires_liveness()) return words;
  for (const ChosenFairness& chosen : fairness_) {
    std::string one = words_for(chosen);
    if (!one.empty()) words.push_back(std::move(one));
  }
  std::sort(words.begin(), words.end());
  return words;
}

bool Scenario::asks_predicates() const noexcept {
  const bool names_steps = std::any_of(
      fairness_.begin(), fairness_.end(),
      [](const ChosenFairness& chosen) { return chosen.steps.kind == FairSteps::Which::named; });
  return requires_own() || (names_steps && requires_liveness());
}

}  // namespace interlock::sim
