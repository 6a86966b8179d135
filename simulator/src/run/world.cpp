#include "run/world.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "interlock/detail/assert.hpp"
#include "model/state_properties.hpp"
#include "model/symmetry.hpp"
#include "run/histories.hpp"
#include "run/owed.hpp"
#include "run/witness.hpp"

namespace interlock::sim {
namespace {

StepKind kind_of(const TransitionTrace& detail) {
  if (detail.action.is(ActionKind::time)) return StepKind::time;
  if (detail.action.is(ActionKind::start)) return StepKind::start;
  if (detail.wait == TransitionTrace::none) {
    return detail.action.fault() ? StepKind::fault : StepKind::start;
  }
  switch (detail.move) {
    case TaskMoveKind::start:
      return StepKind::start;
    case TaskMoveKind::operation:
    case TaskMoveKind::subscribe:
    case TaskMoveKind::unsubscribe:
      return StepKind::operation;
    case TaskMoveKind::message:
    case TaskMoveKind::refused_message:
    case TaskMoveKind::sleep:
      return StepKind::wake;
    case TaskMoveKind::deliver:
      return StepKind::deliver;
    case TaskMoveKind::leave:
      return StepKind::leave;
    case TaskMoveKind::write:
      return StepKind::write;
    case TaskMoveKind::late:
      return StepKind::late;
  }
  return StepKind::fault;
}

std::string what_of(Engine& engine, const RunStep& step, const TransitionTrace& detail) {
  const Duration apart = engine.scenario().apart();
  if (step.kind == StepKind::time) {
    return "time +" + std::to_string(std::chrono::duration_cast<milliseconds>(apart).count()) +
           " ms";
  }
  if (step.kind == StepKind::start) return "start";
  if (detail.wait == TransitionTrace::none) {
    const FaultKind& kind = fault_kind(*step.fault);
    const std::size_t missed = kind.misses_writes ? detail.action.missed_writes() : 1;
    std::string word(kind.word);
    return missed == 1 ? word : word + ", " + std::to_string(missed) + " writes missed";
  }
  if (step.operation) return request_text(*step.operation);
  return describe(engine.process(*step.client).wait(detail.wait));
}

// The elements of the first list that the second does not have.
std::vector<std::string> missing_in(const std::vector<std::string>& some,
                                    const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  std::copy_if(some.begin(), some.end(), std::back_inserter(missing), [&](const auto& one) {
    return std::find(others.begin(), others.end(), one) == others.end();
  });
  return missing;
}

// Changes that a reader of the run would have to search for.
std::string note_of(const RunStep& step, const Snapshot& before, const Snapshot& after) {
  std::string note;
  const auto add = [&note](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
  const bool goes = step.kind == StepKind::leave || step.fault == Fault::crash ||
                    step.fault == Fault::client_restart;
  for (std::size_t client = 0; client < after.clients.size(); ++client) {
    const ClientView& is = after.clients[client];
    const ClientView& was = before.clients[client];
    for (const std::string& lock : missing_in(is.inside, was.inside)) {
      // A clock that is set back can make a lease that was over last again.
      add(is.name + (step.kind == StepKind::fault ? " again believes to hold " : " enters ") +
          lock);
    }
    for (const std::string& lock : missing_in(was.inside, is.inside)) {
      if (!goes) add(is.name + "'s lease of " + lock + " ends");
    }
    for (const GhostView& ghost : is.ghosts) {
      if (was.ghost(ghost.name) == ghost.value) continue;
      add(is.name + " notes " + ghost.name + " = " + std::to_string(ghost.value));
    }
  }
  for (const HistoryEvent& event : step.history) {
    add(after.clients[event.client].name + " " + describe(event));
  }
  return note;
}

// What a client that begins again still has on its way; empty: nothing.
std::string still_to_arrive(Engine& engine, const WideState& after, std::size_t client) {
  std::string requests;
  for (const std::uint32_t wait : engine.process(client).requests_on_way(after[client])) {
    requests += requests.empty() ? "still on its way: " : ", ";
    const Wait& sent = engine.process(client).wait(wait);
    const bool is_write = sent.kind == WaitKind::write;
    requests += is_write
                    ? describe(sent)
                    : request_text(engine.stores().operation(engine.operation_of(client, wait)));
  }
  return requests;
}

bool is_about_client(const TransitionTrace& detail) {
  if (detail.action.is(ActionKind::time)) return false;
  const auto fault = detail.action.fault();
  if (!fault) return true;
  if (fault == Fault::pause) return false;
  return detail.wait != TransitionTrace::none || detail.action.slot() == 0;
}

}  // namespace

RunStep tell(Engine& engine,
             const WideState& before,
             const WideState& after,
             const TransitionTrace& detail) {
  RunStep step;
  step.kind = kind_of(detail);
  step.fault = detail.action.fault();
  step.code = detail.action.code();
  step.applied = detail.applied;
  step.delivered = detail.delivered;
  step.choice = detail.action.choice();
  if (is_about_client(detail)) step.client = detail.action.actor();
  if (detail.wait != TransitionTrace::none) {
    const Wait& wait = engine.process(*step.client).wait(detail.wait);
    step.task = wait.task;
    step.server = wait.server;
    if (wait.kind == WaitKind::operation) {
      const std::uint32_t operation = engine.operation_of(*step.client, detail.wait);
      step.operation = engine.stores().operation(operation);
    }
  } else if (step.kind == StepKind::fault && !step.client) {
    step.server = detail.action.actor();
  }
  step.what = what_of(engine, step, detail);
  if (detail.reply != TransitionTrace::none) {
    Reply reply = engine.vocabulary().replies[detail.reply];
    // The store's answer is in everybody's words. An answer that was held back is in the words of
    // the client's automaton.
    if (step.applied && detail.operation != TransitionTrace::none) step.answer = reply;
    if (step.client && step.kind == StepKind::deliver) {
      reply = renamed(reply, Permutation::swap(engine.class_of(*step.client), *step.client));
    }
    const bool leaves = detail.wait != TransitionTrace::none &&
                        engine.process(*step.client).wait(detail.wait).kind == WaitKind::leave;
    const bool silent = (step.kind == StepKind::wake && reply) || leaves ||
                        detail.move == TaskMoveKind::subscribe ||
                        detail.move == TaskMoveKind::unsubscribe;
    if (!silent) step.reply = describe(reply);
  }
  if (step.fault == Fault::lost_reply) step.reply = "(lost) indeterminate";
  step.after = snapshot(engine, after);
  step.history = history_of(engine, before, detail, after);
  step.note = note_of(step, snapshot(engine, before), step.after);
  if (detail.action.lost() == Action::Lost::request) {
    step.note = "the request is lost when its connection breaks";
  } else if (detail.action.lost() == Action::Lost::answer) {
    step.note = "the answer is lost when its connection breaks";
  }
  if (step.fault == Fault::failover && engine.scenario().replica() != Replica()) {
    const Scenario& scenario = engine.scenario();
    const std::size_t most = scenario.replica().missed_writes;
    const std::size_t missed = std::min(detail.action.missed_writes(), most);
    step.note = "a replica takes over " + scenario.which_replica(missed);
  }
  if (step.fault == Fault::client_restart) {
    step.note = still_to_arrive(engine, after, *step.client);
  }
  const std::uint16_t broken = broken_by(engine, before, detail, after);
  if (broken == 0) return step;
  const Property& property = engine.scenario().properties()[broken - 1U];
  step.violates = property.name;
  if (property.kind == PropertyKind::linearizability) {
    step.note += (step.note.empty() ? "" : ", ") + what_fits_no_order(step, property.subject);
  }
  return step;
}

namespace {

// Null only if no verdict is possible: telling a run learns more of the clients, and that may show
// that they break a promise.
std::optional<TracedStep> step_named(Engine& engine, const WideState& state, Action action) {
  std::optional<TracedStep> step = possible_step<TransitionTrace>(engine, state, action);
  INTERLOCK_ASSERT(step || !engine.why_no_verdict().empty());
  return step;
}

// Null if the client behind the name cannot take the step, too. The search has found the step for
// another client, and took the two for identical; so no verdict is possible.
std::optional<TracedStep> step_behind(Engine& engine, const WideState& world, Action action) {
  std::optional<TracedStep> step = possible_step<TransitionTrace>(engine, world, action);
  if (!step && engine.why_no_verdict().empty()) {
    engine.audited().failure =
        "a client is not identical to the others: it cannot take a step that the search has found "
        "for one of them, so something depends on the order of their names or of their tokens";
  }
  return step;
}

// The number in the world of a key that has another number in the search: its name may hold an
// owner token, and clients have other names there.
std::size_t key_behind(Engine& engine,
                       const WideState& world,
                       const WideState& searched,
                       const Action& action,
                       const Permutation& real) {
  const std::size_t component = engine.store_component(action.actor());
  const Key& key = engine.stores().entries(searched[component])[action.variant()].key;
  const Key behind(renamed(key.text(), real));
  const std::vector<StoreTable::Stored>& entries = engine.stores().entries(world[component]);
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const auto& stored) { return stored.key == behind; });
  return static_cast<std::size_t>(at - entries.begin());
}

// The same action for the clients behind the names.
Action with_real_names(Engine& engine,
                       const WideState& world,
                       const WideState& searched,
                       Action action,
                       const Permutation& real) {
  const auto fault = action.fault();
  if (fault && fault_kind(*fault).hits_one_key) {
    const std::size_t key = key_behind(engine, world, searched, action, real);
    return Action(*fault, action.actor(), action.slot(), key);
  }
  const bool about_world = action.is(ActionKind::time) || fault == Fault::pause;
  if (action.is_about_server() || about_world) return action;
  action = action.with_actor(real[action.actor()]);
  if (fault == Fault::lost_message) {
    action = action.with_subscriber(real[action.subscriber() - 1] + 1);
  }
  return action;
}

}  // namespace

Run begin_run(Engine& engine, const WideState& state) {
  Run run;
  run.scenario = engine.scenario().name();
  run.clocks_start_at = engine.scenario().first();
  run.apart = engine.scenario().apart();
  for (const Scenario::ClientProgram& process : engine.scenario().processes()) {
    run.clients.push_back(process.name);
  }
  run.before = snapshot(engine, state);
  return run;
}

std::vector<TracedStep> follow_path(Engine& engine,
                                    const WideState& first,
                                    const std::vector<Action>& path,
                                    Permutation real) {
  Symmetry symmetry(engine);
  std::vector<TracedStep> taken;
  WideState world = first;
  WideState searched = first;
  const auto canonicalize = [&] {
    Permutation went;
    symmetry.canonicalize(searched, &went);
    real = went.inverse().then(real);
  };
  canonicalize();
  for (const Action action : path) {
    const auto in_search = step_named(engine, searched, action);
    const auto in_world =
        step_behind(engine, world, with_real_names(engine, world, searched, action, real));
    if (!in_world || !in_search) break;
    taken.push_back(*in_world);
    world = in_world->next;
    searched = in_search->next;
    canonicalize();
  }
  return taken;
}

void date(Run& run) {
  const std::size_t last = run.steps.size() - 1;
  RunStep& step = run.steps[last];
  step.after.time = last == 0 ? run.before.time : run.steps[last - 1].after.time;
  if (step.kind == StepKind::time || step.fault == Fault::pause) {
    step.after.time += run.apart;
  }
}

namespace {

Run tell_steps(Engine& engine, const std::vector<TracedStep>& steps, std::string& failure) {
  Witness witness(engine);
  auto world = engine.initial<WideState>();
  Run run = begin_run(engine, world);
  for (const TracedStep& step : steps) {
    if (failure.empty()) failure = witness.follow(world, step.next, step.detail);
    run.steps.push_back(tell(engine, world, step.next, step.detail));
    if (engine.endless) date(run);
    world = step.next;
  }
  return run;
}

// A predicate may name one of the identical clients that the search has taken as one another: the
// same run, with each of them in the place of the one for which the predicate does not hold.
std::vector<TracedStep> follow_to_breach(Engine& engine, const std::vector<Action>& path) {
  const auto first = engine.initial<WideState>();
  std::vector<TracedStep> steps = follow_path(engine, first, path);
  if (steps.empty() || steps.back().detail.violation != 0) return steps;
  const WideState& before = steps.size() > 1 ? steps[steps.size() - 2].next : first;
  Breach breach = breach_of_step(engine, before, steps.back().detail.action, steps.back().next);
  if (breach.property == 0) breach = breach_in_some_arrangement(engine, steps.back().next);
  if (breach.property == 0 || breach.permutation.identity()) return steps;
  return follow_path(engine, first, path, breach.permutation);
}

}  // namespace

Run tell_run(Engine& engine, const std::vector<Action>& path, std::string& failure) {
  const auto steps = follow_to_breach(engine, path);
  failure = engine.why_no_verdict();
  return tell_steps(engine, steps, failure);
}

Run tell_actions(Engine& engine, const std::vector<Action>& actions, std::string& failure) {
  std::vector<TracedStep> steps;
  auto world = engine.initial<WideState>();
  for (const Action action : actions) {
    const auto step = step_named(engine, world, action);
    if (!step) break;
    steps.push_back(*step);
    world = step->next;
  }
  failure = engine.why_no_verdict();
  return tell_steps(engine, steps, failure);
}

namespace {

// Null: the property is of another kind.
const Property* leads_to_named(const Engine& engine, const std::string& name) {
  for (const Property& property : engine.scenario().properties()) {
    if (property.kind == PropertyKind::leads_to && property.name == name) return &property;
  }
  return nullptr;
}

std::vector<WideState> states_of(Engine& engine,
                                 const std::vector<TracedStep>& steps,
                                 std::size_t count) {
  std::vector<WideState> states{engine.initial<WideState>()};
  for (std::size_t at = 0; at < count; ++at) states.push_back(steps[at].next);
  return states;
}

}  // namespace

Run tell_lasso(Engine& engine,
               const std::vector<Action>& path,
               std::size_t loop,
               const std::string& property,
               std::string& failure) {
  constexpr std::size_t more_rounds = 3;
  std::vector<Action> rounds = path;
  for (std::size_t round = 0; round < more_rounds; ++round) {
    rounds.insert(rounds.end(), path.begin() + static_cast<std::ptrdiff_t>(loop), path.end());
  }
  const auto steps = follow_to_breach(engine, rounds);
  failure = engine.why_no_verdict();
  Run run = tell_steps(engine, steps, failure);
  const bool is_whole = run.steps.size() == rounds.size();
  run.steps.resize(path.size());
  run.loop = loop;
  run.fairness = engine.scenario().fairness_in_words();
  const Property* const owing = leads_to_named(engine, property);
  if (owing != nullptr && is_whole) {
    run.owed_since = owed_for_ever(engine, *owing, states_of(engine, steps, path.size()), loop);
  }
  // If the run that is told owes nothing, the predicates have changed their mind.
  if (owing == nullptr || run.owed_since) run.steps.back().violates = property;
  return run;
}

}  // namespace interlock::sim
