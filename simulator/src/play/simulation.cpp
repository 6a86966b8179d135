#include "interlock/sim/simulation.hpp"

#include <algorithm>
#include <optional>

#include "base/longest.hpp"
#include "interlock/sim/violation.hpp"
#include "model/engine.hpp"
#include "run/ask_strategy.hpp"
#include "run/expected_steps.hpp"
#include "run/owed.hpp"
#include "run/possible_steps.hpp"
#include "run/witness.hpp"
#include "run/world.hpp"
#include "search/fair_graph.hpp"
#include "search/fair_steps.hpp"
#include "search/search.hpp"

namespace interlock::sim {
namespace {

std::string nothing_is_broken(const Scenario& scenario) {
  std::string text = "nobody waits for ever in this loop";
  if (scenario.requires_kind(PropertyKind::leads_to)) {
    text += ", and nothing that a property leads to is still to come";
  }
  return text;
}

}  // namespace

class Simulation::World {
 public:
  // If the scenario has a mistake, an empty one takes its place, which has no steps.
  explicit World(Scenario of)
      : mistake(of.mistake()),
        scenario(mistake.empty() ? std::move(of) : Scenario(of.name())),
        guess_(scenario) {
    build();
  }

  void restart() {
    state = engine->initial<WideState>();
    witness.emplace(*engine);
    run = begin_run(*engine, state);
    now = run.before;
    states.assign(1, state);
    details.clear();
  }

  // The steps that are possible now.
  std::vector<TracedStep> possible() {
    std::vector<TracedStep> steps;
    do {
      steps = possible_steps<TransitionTrace>(*engine, state);
    } while (begun_anew());
    return steps;
  }
  // Where time has no end, a new step may show that something lasts longer than was assumed. Then
  // this takes the same steps again with the longer time, and the caller must ask again.
  bool begun_anew();
  Result<RunStep> take(std::uint32_t code);
  Result<std::string> close_loop(std::size_t from, const std::string& named);
  // What the run so far owes by each leads_to().
  OwedProperties owed();
  // Says which predicate or specification does not depend on what it is asked about alone, or
  // throws; empty: none was found.
  std::string wrong_predicate() {
    engine->ask_again();
    const std::string predicate = engine->predicates().failure();
    return predicate.empty() ? engine->wrong_specification() : predicate;
  }

  std::string mistake;
  Scenario scenario;
  std::optional<Engine> engine;
  WideState state;
  std::optional<Witness> witness;
  Run run;
  Snapshot now;
  std::vector<WideState> states;         // before each step, and now
  std::vector<TransitionTrace> details;  // of each step

 private:
  void build() {
    guess_.settle(scenario);
    witness.reset();
    engine.emplace(scenario, Limits());
    restart();
  }
  LongestGuess guess_;
  std::string unfairness(std::size_t from);
  std::string neglect(const FairnessJudge& judge) const;
  Possibilities possible(const WideState& at, const FairnessRules& rules);
  std::string agent_name(std::uint8_t agent) const;
  std::string why_no_loop(std::size_t from);
  bool starves(const Property& property, std::size_t from) const;
};

// Whether some client wants the property's lock throughout the loop.
bool Simulation::World::starves(const Property& property, std::size_t from) const {
  for (std::size_t client = 0; client < scenario.processes().size(); ++client) {
    bool waits = true;
    for (std::size_t at = from; at <= run.steps.size(); ++at) {
      const Snapshot& world = at == 0 ? run.before : run.steps[at - 1].after;
      const std::vector<std::string>& wants = world.clients[client].wants;
      waits = waits && std::find(wants.begin(), wants.end(), property.subject) != wants.end();
    }
    if (waits) return true;
  }
  return false;
}

OwedProperties Simulation::World::owed() {
  OwedProperties owed;
  for (const Property& property : scenario.properties()) {
    const bool asks = property.kind == PropertyKind::leads_to;
    owed.push_back(asks && owed_since(*engine, property, states));
  }
  return owed;
}

std::string Simulation::World::agent_name(std::uint8_t agent) const {
  if (agent == Agent::time) return "time could pass";
  return scenario.processes()[agent >> 4].name + " could move";
}

// What may happen next in this state.
Possibilities Simulation::World::possible(const WideState& at, const FairnessRules& rules) {
  Possibilities possible;
  auto emit = [](const WideState&, const Transition&) {};
  Expander<WideState, Transition, decltype(emit)> expander(*engine, emit);
  possible.needs_time = expander.awaits_time(at);
  const auto ask = [&](const WideState& before, const BriefStep& step) {
    const StepMarks marks = marks_of(*engine, before, step.detail, step.next);
    possible.add_action(marks, step.detail.reads_clock, rules);
    return marks;
  };
  for (const BriefStep& step : possible_steps<Transition>(*engine, at, StepKinds::ordinary)) {
    const StepMarks marks = ask(at, step);
    const std::uint8_t agent = Agent::of(step.detail.action);
    if ((marks & FairnessRules::need_not_come) == 0) possible.agents.add(agent);
    if ((marks & FairnessRules::hears) == 0) continue;
    for (const BriefStep& next :
         possible_steps<Transition>(*engine, step.next, StepKinds::ordinary)) {
      if (Agent::of(next.detail.action) == agent) ask(step.next, next);
    }
  }
  return possible;
}

// What has never come, although it was possible.
std::string Simulation::World::neglect(const FairnessJudge& judge) const {
  if (const auto agent = judge.neglected()) return agent_name(*agent) + " all along and never does";
  if (judge.neglected_steps() != 0) {
    return "'" + names_of(scenario, judge.neglected_steps()) +
           "' is possible all along and never comes";
  }
  if (const auto agent = FairnessJudge::first_of(judge.passed_over())) {
    return agent_name(*agent) + " again and again and never does";
  }
  return "'" + names_of(scenario, judge.steps_passed_over()) +
         "' is possible again and again and never comes";
}

// Why the world would not be fair; empty if it is.
std::string Simulation::World::unfairness(std::size_t from) {
  const FairnessRules rules = rules_of(scenario);
  FairnessJudge judge(rules);
  for (std::size_t at = from; at < states.size(); ++at) {
    judge.state(possible(states[at], rules));
    if (at == details.size()) continue;
    const TransitionTrace& step = details[at];
    judge.step(Agent::of(step.action), step.reads_clock,
               marks_of(*engine, states[at], step, states[at + 1]));
  }
  switch (judge.answer()) {
    case FairnessJudge::LoopVerdict::unfair:
    case FairnessJudge::LoopVerdict::fair_in_a_part:
      return neglect(judge);
    case FairnessJudge::LoopVerdict::time_ends:
      return "time has ended, and more of it might change what happens";
    case FairnessJudge::LoopVerdict::fair:
      break;
  }
  return {};
}

// Why it does not go on like this for ever, or is not asked whether it does; empty: it goes on.
std::string Simulation::World::why_no_loop(std::size_t from) {
  const std::string no = "the run does not go on like this for ever: ";
  if (from > run.steps.size()) return no + "it has no such step";
  if (const auto broken = violating_step(run)) {
    return "step " + std::to_string(*broken + 1) + " violates '" + violated_property(run) +
           "': what follows is not asked whether it goes on for ever; end the run there";
  }
  if (!(states[from] == state)) return no + "after its last step the world is another";
  if (engine->budgets().breaks_are_to_come(state[engine->budget_component()])) {
    return no + "the connection that has lost something is still to break";
  }
  const std::string unfair = unfairness(from);
  const std::string wrong = wrong_predicate();
  if (!wrong.empty()) return no + wrong;
  if (!unfair.empty()) return no + unfair;
  return {};
}

Result<std::string> Simulation::World::close_loop(std::size_t from, const std::string& named) {
  const std::string why_not = why_no_loop(from);
  if (!why_not.empty()) return Error(Errc::invalid_argument, why_not);
  const Property* broken = nullptr;
  std::optional<std::size_t> owed;
  for (const Property& property : scenario.properties()) {
    if (!property.is_liveness() || (broken != nullptr && property.name != named)) continue;
    std::optional<std::size_t> since;
    if (property.kind == PropertyKind::leads_to) {
      since = owed_for_ever(*engine, property, states, from);
      if (!wrong_predicate().empty()) return Error(Errc::rejected, wrong_predicate());
      if (!since) continue;
    } else if (!starves(property, from)) {
      continue;
    }
    broken = &property;
    owed = since;
  }
  if (broken == nullptr) return Error(Errc::invalid_argument, nothing_is_broken(scenario));
  run.loop = from;
  run.fairness = scenario.fairness_in_words();
  run.owed_since = owed;
  if (!run.steps.empty()) run.steps.back().violates = broken->name;
  return broken->name;
}

Simulation::Simulation(Scenario scenario) : world_(std::make_unique<World>(std::move(scenario))) {}

Simulation::~Simulation() = default;

bool Simulation::World::begun_anew() {
  guess_.learn(engine->longer_than_longest());
  if (!guess_.is_new()) return false;
  const std::vector<RunStep> taken = run.steps;
  build();
  for (const RunStep& step : taken) static_cast<void>(take(step.code));
  return true;
}

Result<RunStep> Simulation::World::take(std::uint32_t code) {
  for (const TracedStep& step : possible()) {
    if (step.detail.action.code() != code) continue;
    std::string failure = witness->follow(state, step.next, step.detail);
    if (!failure.empty()) return Error(Errc::rejected, std::move(failure));
    RunStep told = tell(*engine, state, step.next, step.detail);
    failure = wrong_predicate();
    if (!failure.empty()) return Error(Errc::rejected, std::move(failure));
    run.steps.push_back(std::move(told));
    state = step.next;
    if (engine->endless) date(run);
    now = run.steps.back().after;
    states.push_back(step.next);
    details.push_back(step.detail);
    return run.steps.back();
  }
  const std::string what =
      "taking step " + std::to_string(code) + " of '" + scenario.name() + "': ";
  if (!mistake.empty()) return Error(Errc::invalid_argument, what + mistake);
  return Error(Errc::invalid_argument, what + "it is not possible now: ask for choices()");
}

std::vector<RunStep> Simulation::choices() {
  std::vector<RunStep> choices;
  for (const TracedStep& step : world_->possible()) {
    choices.push_back(tell(*world_->engine, world_->state, step.next, step.detail));
  }
  return choices;
}

std::vector<ExpectedStep> Simulation::expected_steps() {
  if (!world_->mistake.empty()) return {};
  std::vector<ExpectedStep> expected;
  do {
    expected = sim::expected_steps(*world_->engine, world_->state);
  } while (world_->begun_anew());
  return expected;
}

Result<RunStep> Simulation::take(std::uint32_t code) {
  return world_->take(code);
}

Result<std::size_t> Simulation::follow(Strategy& strategy, std::size_t most) {
  std::string failure;
  std::size_t taken = 0;
  const bool begins = begins_run(strategy, 0, failure);
  for (; begins && run().steps.size() < most; ++taken) {
    const std::vector<RunStep> possible = choices();
    if (possible.empty()) break;
    const std::optional<std::size_t> chosen = choice_of(strategy, run(), possible, failure);
    if (!chosen) break;
    const Result<RunStep> step = take(possible[*chosen].code);
    if (!step) return step.error();
  }
  if (!failure.empty()) return Error(Errc::invalid_argument, std::move(failure));
  return taken;
}

WayOn Simulation::shortest_violation(const Limits& limits) {
  WayOn way;
  way.reason = world_->mistake;
  if (!way.reason.empty()) {
    way.outcome = Outcome::invalid;
    return way;
  }
  SearchResult found;
  do {
    const OwedProperties owed = world_->owed();
    found = search_narrow(*world_->engine, limits, world_->state, owed);
    if (found.end == SearchResult::End::too_narrow) {
      found = search_wide(*world_->engine, limits, world_->state, owed);
    }
  } while (world_->begun_anew());
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
      for (const TracedStep& step : follow_path(*world_->engine, world_->state, found.path)) {
        way.codes.push_back(step.detail.action.code());
      }
  }
  return way;
}

Result<std::string> Simulation::close_loop(std::size_t from, const std::string& property) {
  return world_->close_loop(from, property);
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

std::vector<std::vector<TaskLine>> Simulation::lines() const {
  std::vector<std::vector<TaskLine>> lines;
  for (std::size_t client = 0; client < world_->now.clients.size(); ++client) {
    const ClientView::Status status = world_->now.clients[client].status;
    const bool has_started = status != ClientView::Status::not_started;
    lines.emplace_back();
    if (has_started && status != ClientView::Status::running) continue;
    lines.back() = world_->witness->lines(world_->state, client, has_started);
  }
  return lines;
}

}  // namespace interlock::sim
