#include "run/owed.hpp"

namespace interlock::sim {
namespace {

using Answer = Predicates::PredicateAnswer;

Answer ask(Engine& engine, const Property& property, const WideState& state) {
  return engine.predicates().ask(property, snapshot(engine, state));
}

}  // namespace

std::optional<std::size_t> owed_since(Engine& engine,
                                      const Property& property,
                                      const std::vector<WideState>& states) {
  std::optional<std::size_t> since;
  for (std::size_t at = 0; at < states.size(); ++at) {
    const Answer answer = ask(engine, property, states[at]);
    if (answer == Answer::holds) since.reset();
    if (answer == Answer::broken && !since) since = at;
  }
  return since;
}

std::optional<std::size_t> owed_for_ever(Engine& engine,
                                         const Property& property,
                                         const std::vector<WideState>& states,
                                         std::size_t loop) {
  for (std::size_t at = loop; at < states.size(); ++at) {
    if (ask(engine, property, states[at]) == Answer::holds) return std::nullopt;
  }
  return owed_since(engine, property, states);
}

}  // namespace interlock::sim
