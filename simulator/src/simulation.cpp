#include "interlock/sim/simulation.hpp"

#include <optional>

#include "engine.hpp"
#include "search.hpp"
#include "witness.hpp"
#include "world.hpp"

namespace interlock::sim {

class Simulation::World {
 public:
  explicit World(Scenario of) : scenario(std::move(of)), engine(scenario, Limits()) { restart(); }

  void restart() {
    state = engine.initial<WideState>();
    witness.emplace(engine);
    run = begin_run(engine, state);
    now = run.before;
  }

  Scenario scenario;
  Engine engine;
  WideState state;
  std::optional<Witness> witness;
  Run run;
  Snapshot now;
};

Simulation::Simulation(Scenario scenario) : world_(std::make_unique<World>(std::move(scenario))) {}

Simulation::~Simulation() = default;

std::vector<RunStep> Simulation::choices() {
  std::vector<RunStep> choices;
  for (const PossibleStep& step : possible_steps(world_->engine, world_->state)) {
    choices.push_back(tell(world_->engine, world_->state, step.next, step.detail));
  }
  return choices;
}

Result<RunStep> Simulation::take(std::uint32_t code) {
  for (const PossibleStep& step : possible_steps(world_->engine, world_->state)) {
    if (step.detail.action.code() != code) continue;
    std::string failure = world_->witness->follow(world_->state, step.next, step.detail);
    if (!failure.empty()) return Error(Errc::rejected, std::move(failure));
    RunStep told = tell(world_->engine, world_->state, step.next, step.detail);
    world_->state = step.next;
    world_->now = told.after;
    world_->run.steps.push_back(told);
    return told;
  }
  return Error(Errc::invalid_argument, "taking step " + std::to_string(code) + " of '" +
                                           world_->scenario.name() +
                                           "': it is not possible now: ask for choices()");
}

WayOn Simulation::shortest_violation(const Limits& limits) {
  SearchResult found = search_narrow(world_->engine, limits, world_->state);
  if (found.end == SearchResult::End::too_narrow) {
    found = search_wide(world_->engine, limits, world_->state);
  }
  WayOn way;
  way.reason = found.reason;
  way.states = found.states;
  switch (found.end) {
    case SearchResult::End::complete:
      way.outcome = Outcome::proved;
      break;
    case SearchResult::End::failed:
      way.outcome = Outcome::invalid;
      break;
    case SearchResult::End::limited:
    case SearchResult::End::too_narrow:
      break;
    case SearchResult::End::violated:
      way.outcome = Outcome::violated;
      way.property = world_->scenario.properties()[found.violated - 1U].name;
      for (const PossibleStep& step : follow_path(world_->engine, world_->state, found.path)) {
        way.codes.push_back(step.detail.action.code());
      }
  }
  return way;
}

void Simulation::restart() {
  world_->restart();
}

const Snapshot& Simulation::now() const {
  return world_->now;
}

const Run& Simulation::run() const {
  return world_->run;
}

}  // namespace interlock::sim
