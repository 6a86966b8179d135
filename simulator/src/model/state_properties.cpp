#include "model/state_properties.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "interlock/detail/assert.hpp"
#include "interlock/store/lock_keys.hpp"
#include "model/arrangements.hpp"
#include "model/expand.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

bool all_finished(Engine& engine, const WideState& state) {
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    const ProcessTable::ConfigInfo& info = engine.process(client).info(state[client]);
    if (!info.finished || info.moves > 0) return false;
  }
  return true;
}

bool orphan(Engine& engine, const WideState& state, const std::string& key) {
  if (!all_finished(engine, state)) return false;
  engine.happenings().note(HappeningKind::ends);
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    if (engine.stores().stays(state[engine.store_component(server)], key)) return true;
  }
  return false;
}

bool waits_for_message(const Engine& engine, const WideState& state, std::size_t client) {
  return engine.process(client).waits_for_message(state[client]);
}

// The client waits for a message, none is on its way, and the wait lasts longer than `within`.
bool waits_in_vain(Engine& engine,
                   const WideState& state,
                   std::size_t client,
                   const Property& property) {
  const ProcessTable& table = engine.process(client);
  if (!table.info(state[client]).awaits_message) return false;
  const auto time = static_cast<std::int32_t>(state[engine.time_component()]);
  const Scenario& scenario = engine.scenario();
  const Duration within = property.within + scenario.apart() - Duration(1);
  const auto instants = static_cast<std::int32_t>(within / scenario.apart());
  const ClockInstants now = engine.budgets().clocks(state[engine.budget_component()], client, time);
  return !table.message_due_within(state[client], now, instants);
}

// For whose tokens properties take a client: not for those of a life that has ended.
Lives lives_in(const Engine& engine, const WideState& state) {
  Lives lives{};
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    lives[client] = engine.process(client).life(state[client]);
  }
  return lives;
}

bool unheard_grant(Engine& engine, const WideState& state, const Property& property) {
  for (const StoreTable::Stored& stored :
       engine.stores().entries(state[engine.store_component(0)])) {
    if (stored.key.text() != property.subject) continue;
    const std::uint32_t holder = mentions(stored.entry.value, lives_in(engine, state));
    for (std::size_t client = 0; client < engine.clients(); ++client) {
      const bool holds = (holder >> client & 1) != 0;
      if (holds && waits_for_message(engine, state, client)) {
        engine.happenings().note(HappeningKind::hears, property.subject);
      }
      if (holds && waits_in_vain(engine, state, client, property)) return true;
    }
  }
  return false;
}

// One bit for each client that is done and has not crashed.
std::uint32_t gone(const Engine& engine, const WideState& state) {
  std::uint32_t gone = 0;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    const ProcessTable::ConfigInfo& info = engine.process(client).info(state[client]);
    if (info.finished && !info.crashed) gone |= 1U << client;
  }
  return gone;
}

bool gone_leave_something(Engine& engine, const WideState& state, const Property& property) {
  if (may_take_last_requests(engine.scenario().faults())) return false;
  const std::uint32_t clients = gone(engine, state);
  if (clients == 0) return false;
  const Key key(property.subject);
  const Key queue = queue_key(key);
  const Lives lives = lives_in(engine, state);
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    for (const StoreTable::Stored& stored :
         engine.stores().entries(state[engine.store_component(server)])) {
      if (stored.key != key && stored.key != queue) continue;
      if ((mentions(stored.entry.value, lives) & clients) != 0) return true;
    }
  }
  return false;
}

bool lost_wake_up(Engine& engine, const WideState& state, const Property& property) {
  if (engine.stores().has_key(state[engine.store_component(0)], property.subject)) return false;
  const std::vector<MonitorTable::Lock>& locks =
      engine.monitor().locks(state[engine.monitor_component()]);
  const bool released = std::any_of(locks.begin(), locks.end(), [&](const auto& lock) {
    return lock.released && lock.name == property.subject;
  });
  if (!released) return false;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    if (waits_in_vain(engine, state, client, property)) return true;
  }
  return false;
}

bool is_about_states(const Property& property) {
  return property.kind == PropertyKind::no_orphan ||
         property.kind == PropertyKind::no_lost_wake_up ||
         property.kind == PropertyKind::no_unheard_grant ||
         property.kind == PropertyKind::gone_leave_nothing ||
         property.kind == PropertyKind::predicate;
}

bool breaks(Engine& engine, const WideState& state, const Property& property) {
  INTERLOCK_ASSERT(is_about_states(property));
  if (property.kind == PropertyKind::no_orphan) return orphan(engine, state, property.subject);
  if (property.kind == PropertyKind::no_lost_wake_up) {
    return lost_wake_up(engine, state, property);
  }
  if (property.kind == PropertyKind::no_unheard_grant) {
    return unheard_grant(engine, state, property);
  }
  if (property.kind == PropertyKind::gone_leave_nothing) {
    return gone_leave_something(engine, state, property);
  }
  return engine.predicates().ask(property, snapshot(engine, state)) ==
         Predicates::PredicateAnswer::broken;
}

// Time and the servers are the world: none moves.
std::optional<std::size_t> mover(Action action) {
  const bool of_world = action.is(ActionKind::time) || action.fault() == Fault::pause;
  if (of_world || action.is_about_server()) return std::nullopt;
  return action.actor();
}

bool breaks(Engine& engine, const Property& property, const StepView& step) {
  const Predicates::PredicateAnswer answer = engine.predicates().ask(property, step);
  if (answer != Predicates::PredicateAnswer::is_not_about_it) {
    engine.happenings().note(HappeningKind::applies, property.name);
  }
  return answer == Predicates::PredicateAnswer::broken;
}

}  // namespace

StepView step_view(Engine& engine, const WideState& before, Action action, const WideState& after) {
  StepView step;
  step.before = snapshot(engine, before);
  step.after = snapshot(engine, after);
  step.client = mover(action);
  step.fault = action.fault();
  return step;
}

Breach breach_in_some_arrangement(Engine& engine, const WideState& state) {
  Breach breach;
  const std::vector<Property>& properties = engine.scenario().properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (!is_about_states(properties[at])) continue;
    bool broken = false;
    if (properties[at].kind == PropertyKind::predicate) {
      Arrangements arrangements(engine, snapshot(engine, state));
      broken = arrangements.any([&](const Snapshot& world) {
        return engine.predicates().ask(properties[at], world) ==
               Predicates::PredicateAnswer::broken;
      });
      if (broken) breach.permutation = arrangements.permutation();
    } else {
      broken = breaks(engine, state, properties[at]);
    }
    if (!broken) continue;
    breach.property = static_cast<std::uint16_t>(at + 1);
    return breach;
  }
  return breach;
}

Breach breach_of_step(Engine& engine,
                      const WideState& before,
                      Action action,
                      const WideState& after) {
  Breach breach;
  if (!looks_at_steps(engine.scenario())) return breach;
  const StepView seen = step_view(engine, before, action, after);
  const std::vector<Property>& properties = engine.scenario().properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (properties[at].kind != PropertyKind::step_predicate) continue;
    Arrangements arrangements(engine, seen);
    const bool broken = arrangements.any(
        [&](const StepView& step) { return breaks(engine, properties[at], step); });
    if (!broken) continue;
    breach.property = static_cast<std::uint16_t>(at + 1);
    breach.permutation = arrangements.permutation();
    return breach;
  }
  return breach;
}

std::uint16_t check_step(Engine& engine,
                         const WideState& before,
                         Action action,
                         const WideState& after) {
  if (!looks_at_steps(engine.scenario())) return 0;
  const StepView seen = step_view(engine, before, action, after);
  const std::vector<Property>& properties = engine.scenario().properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    const bool looks = properties[at].kind == PropertyKind::step_predicate;
    if (looks && breaks(engine, properties[at], seen)) return static_cast<std::uint16_t>(at + 1);
  }
  return 0;
}

std::uint16_t check_state(Engine& engine, const WideState& state) {
  const std::vector<Property>& properties = engine.scenario().properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (!is_about_states(properties[at]) || !breaks(engine, state, properties[at])) continue;
    return static_cast<std::uint16_t>(at + 1);
  }
  return 0;
}

bool may_take_last_requests(const FaultBudget& faults) {
  return allows_some_of<&FaultKind::may_take_last_request>(faults);
}

bool looks_at_states(const Scenario& scenario) {
  const std::vector<Property>& all = scenario.properties();
  return std::any_of(all.begin(), all.end(), is_about_states);
}

bool looks_at_steps(const Scenario& scenario) {
  return scenario.requires_kind(PropertyKind::step_predicate);
}

bool requires_only_liveness(const Scenario& scenario) {
  const std::vector<Property>& all = scenario.properties();
  return std::all_of(all.begin(), all.end(),
                     [](const Property& property) { return property.is_liveness(); });
}

std::uint16_t number_of_deadlock(const Scenario& scenario) {
  const std::vector<Property>& all = scenario.properties();
  const auto at = std::find_if(all.begin(), all.end(), [](const Property& property) {
    return property.kind == PropertyKind::deadlock;
  });
  return at == all.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(at - all.begin() + 1);
}

std::string broken_before_first_step(const Property& property) {
  return "'" + property.name + "' is broken before the first step: mend the scenario";
}

std::uint16_t broken_by(Engine& engine,
                        const WideState& before,
                        const Transition& detail,
                        const WideState& after) {
  std::uint16_t broken = detail.violation;
  if (broken == 0) broken = check_step(engine, before, detail.action, after);
  return broken != 0 ? broken : broken_in(engine, after);
}

std::uint16_t broken_in(Engine& engine, const WideState& state) {
  const std::uint16_t broken = check_state(engine, state);
  if (broken != 0) return broken;
  auto emit = [](const WideState&, const Transition&) {};
  Expander<WideState, Transition, decltype(emit)> expander(engine, emit);
  return expander.is_deadlock(state) ? number_of_deadlock(engine.scenario()) : std::uint16_t{0};
}

}  // namespace interlock::sim
