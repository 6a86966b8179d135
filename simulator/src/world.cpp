#include "world.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "interlock/detail/assert.hpp"
#include "interlock/lock_keys.hpp"
#include "symmetry.hpp"
#include "witness.hpp"

namespace interlock::sim {
namespace {

milliseconds whole_milliseconds(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration);
}

ClientView client_view(Engine& engine, const WideState& state, std::size_t client) {
  const ProcessTable& table = engine.process(client);
  const ProcessTable::Info info = table.info(state[client]);
  ClientView view;
  view.name = engine.scenario().processes()[client].name;
  if (info.not_started) {
    view.status = ClientView::Status::not_started;
  } else if (info.crashed) {
    view.status = ClientView::Status::crashed;
  } else if (info.finished) {
    view.status = ClientView::Status::done;
  } else {
    view.status = ClientView::Status::running;
    for (const std::uint32_t id : table.automaton().waits(table.local(state[client]))) {
      const Wait& wait = table.wait(id);
      if (wait.kind == Wait::Kind::nothing) continue;
      view.next = renamed(describe(wait), Names::swap(engine.class_of(client), client));
      break;
    }
  }
  for (const MonitorTable::Lock& lock : engine.monitor().locks(state[engine.monitor_lane()])) {
    if ((engine.monitor().believers(lock) >> client & 1) != 0) view.inside.push_back(lock.name);
    if ((lock.waiting >> client & 1) != 0 && !info.finished) view.wants.push_back(lock.name);
  }
  return view;
}

void view_keys(Engine& engine, const WideState& state, std::size_t server, Snapshot& view) {
  const auto time = static_cast<std::int32_t>(state[engine.time_lane()]);
  const std::int32_t ticks =
      engine.budgets().server_clock(state[engine.budget_lane()], server, time);
  const Scenario& scenario = engine.scenario();
  const StoreTime now = ServerTicks::time(Instants::of(scenario), ticks);
  for (const StoreTable::Stored& stored :
       engine.stores().entries(state[engine.store_lane(server)])) {
    KeyView key;
    key.server = server;
    key.key = stored.key.text();
    key.value = stored.entry.value;
    if (stored.entry.expiry) {
      key.remaining = *stored.entry.expiry - whole_milliseconds(now.time_since_epoch());
    }
    view.keys.push_back(std::move(key));
  }
}

bool all_finished(Engine& engine, const WideState& state) {
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    const ProcessTable::Info& info = engine.process(client).info(state[client]);
    if (!info.finished || info.moves > 0) return false;
  }
  return true;
}

bool orphan(Engine& engine, const WideState& state, const std::string& key) {
  if (!all_finished(engine, state)) return false;
  engine.happenings().note(Happening::Kind::ends);
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    if (engine.stores().stays(state[engine.store_lane(server)], key)) return true;
  }
  return false;
}

// It waits for a message, none is on its way, and it will go on for longer than `within`.
bool waits_in_vain(Engine& engine,
                   const WideState& state,
                   std::size_t client,
                   const Property& property) {
  const ProcessTable& table = engine.process(client);
  if (!table.info(state[client]).deaf) return false;
  const auto time = static_cast<std::int32_t>(state[engine.time_lane()]);
  const Scenario& scenario = engine.scenario();
  const Duration within = property.within + scenario.apart() - Duration(1);
  const auto instants = static_cast<std::int32_t>(within / scenario.apart());
  const ClockInstants now = engine.budgets().clocks(state[engine.budget_lane()], client, time);
  return !table.message_due_within(state[client], now, instants);
}

bool unheard_grant(Engine& engine, const WideState& state, const Property& property) {
  for (const StoreTable::Stored& stored : engine.stores().entries(state[engine.store_lane(0)])) {
    if (stored.key.text() != property.subject) continue;
    const std::uint32_t holder = mentions(stored.entry.value);
    for (std::size_t client = 0; client < engine.clients(); ++client) {
      if ((holder >> client & 1) != 0 && waits_in_vain(engine, state, client, property))
        return true;
    }
  }
  return false;
}

// One bit for each client that is done and has not crashed.
std::uint32_t gone(const Engine& engine, const WideState& state) {
  std::uint32_t gone = 0;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    const ProcessTable::Info& info = engine.process(client).info(state[client]);
    if (info.finished && !info.crashed) gone |= 1U << client;
  }
  return gone;
}

// Whether a fault may keep a client's last request from the store, or carry one out after its end.
bool may_take_last_requests(const FaultBudget& faults) {
  constexpr std::array<Fault, 6> take{Fault::unreachable,    Fault::lost_request, Fault::rejected,
                                      Fault::late_execution, Fault::duplicate,    Fault::failover};
  return std::any_of(take.begin(), take.end(), [&](Fault each) { return faults.limit(each) > 0; });
}

bool gone_leave_something(Engine& engine, const WideState& state, const Property& property) {
  if (may_take_last_requests(engine.scenario().faults())) return false;
  const std::uint32_t clients = gone(engine, state);
  if (clients == 0) return false;
  const Key key(property.subject);
  const Key queue = queue_key(key);
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    for (const StoreTable::Stored& stored :
         engine.stores().entries(state[engine.store_lane(server)])) {
      if (stored.key != key && stored.key != queue) continue;
      if ((mentions(stored.entry.value) & clients) != 0) return true;
    }
  }
  return false;
}

bool lost_wake_up(Engine& engine, const WideState& state, const Property& property) {
  if (engine.stores().has_key(state[engine.store_lane(0)], property.subject)) return false;
  const std::vector<MonitorTable::Lock>& locks =
      engine.monitor().locks(state[engine.monitor_lane()]);
  const bool released = std::any_of(locks.begin(), locks.end(), [&](const auto& lock) {
    return lock.released && lock.name == property.subject;
  });
  if (!released) return false;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    if (waits_in_vain(engine, state, client, property)) return true;
  }
  return false;
}

}  // namespace

Snapshot snapshot(Engine& engine, const WideState& state) {
  Snapshot view;
  view.time = engine.scenario().apart() * state[engine.time_lane()];
  view.faults = engine.budgets()[state[engine.budget_lane()]].total;
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    view_keys(engine, state, server, view);
  }
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    view.clients.push_back(client_view(engine, state, client));
  }
  for (const MonitorTable::Resource& resource :
       engine.monitor().resources(state[engine.monitor_lane()])) {
    ResourceView one;
    one.name = resource.name;
    one.greatest_fencing = resource.greatest;
    if (resource.writer >= 0) {
      one.last_writer =
          engine.scenario().processes()[static_cast<std::size_t>(resource.writer)].name;
    }
    view.resources.push_back(std::move(one));
  }
  return view;
}

namespace {

bool is_about_states(const Property& property) {
  return property.kind == Property::Kind::no_orphan ||
         property.kind == Property::Kind::no_lost_wake_up ||
         property.kind == Property::Kind::no_unheard_grant ||
         property.kind == Property::Kind::gone_leave_nothing ||
         property.kind == Property::Kind::predicate;
}

bool breaks(Engine& engine, const WideState& state, const Property& property) {
  INTERLOCK_ASSERT(is_about_states(property));
  if (property.kind == Property::Kind::no_orphan) return orphan(engine, state, property.subject);
  if (property.kind == Property::Kind::no_lost_wake_up) {
    return lost_wake_up(engine, state, property);
  }
  if (property.kind == Property::Kind::no_unheard_grant) {
    return unheard_grant(engine, state, property);
  }
  if (property.kind == Property::Kind::gone_leave_nothing) {
    return gone_leave_something(engine, state, property);
  }
  return !property.holds(snapshot(engine, state));
}

}  // namespace

std::uint16_t check_state(Engine& engine, const WideState& state) {
  const std::vector<Property>& properties = engine.scenario().properties();
  for (std::size_t at = 0; at < properties.size(); ++at) {
    if (!is_about_states(properties[at]) || !breaks(engine, state, properties[at])) continue;
    return static_cast<std::uint16_t>(at + 1);
  }
  return 0;
}

bool looks_at_states(const Scenario& scenario) {
  const std::vector<Property>& all = scenario.properties();
  return std::any_of(all.begin(), all.end(), is_about_states);
}

std::uint16_t number_of_deadlock(const Scenario& scenario) {
  const std::vector<Property>& all = scenario.properties();
  const auto at = std::find_if(all.begin(), all.end(), [](const Property& property) {
    return property.kind == Property::Kind::deadlock;
  });
  return at == all.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(at - all.begin() + 1);
}

std::uint16_t broken_in(Engine& engine, const WideState& state) {
  const std::uint16_t broken = check_state(engine, state);
  if (broken != 0) return broken;
  auto emit = [](const WideState&, const Brief&) {};
  Expander<WideState, Brief, decltype(emit)> expander(engine, emit);
  return expander.is_deadlock(state) ? number_of_deadlock(engine.scenario()) : std::uint16_t{0};
}

namespace {

StepKind kind_of(const Detail& detail) {
  if (detail.action.is(Action::Kind::time)) return StepKind::time;
  if (detail.action.is(Action::Kind::start)) return StepKind::start;
  if (detail.wait == Detail::none) {
    return detail.action.fault() ? StepKind::fault : StepKind::start;
  }
  switch (detail.move) {
    case TaskMove::Kind::start:
      return StepKind::start;
    case TaskMove::Kind::operation:
    case TaskMove::Kind::subscribe:
    case TaskMove::Kind::unsubscribe:
      return StepKind::operation;
    case TaskMove::Kind::message:
    case TaskMove::Kind::refused_message:
    case TaskMove::Kind::sleep:
      return StepKind::wake;
    case TaskMove::Kind::deliver:
      return StepKind::deliver;
    case TaskMove::Kind::leave:
      return StepKind::leave;
    case TaskMove::Kind::write:
      return StepKind::write;
    case TaskMove::Kind::late:
      return StepKind::late;
  }
  return StepKind::fault;
}

std::string what_of(Engine& engine, const RunStep& step, const Detail& detail) {
  const Duration apart = engine.scenario().apart();
  if (step.kind == StepKind::time) {
    return "time +" + std::to_string(whole_milliseconds(apart).count()) + " ms";
  }
  if (step.kind == StepKind::start) return "start";
  if (detail.wait == Detail::none) return std::string(to_string(*step.fault));
  if (step.operation) return describe(*step.operation);
  return describe(engine.process(*step.client).wait(detail.wait));
}

// What is in the first list and not in the second one.
std::vector<std::string> missing_in(const std::vector<std::string>& some,
                                    const std::vector<std::string>& others) {
  std::vector<std::string> missing;
  std::copy_if(some.begin(), some.end(), std::back_inserter(missing), [&](const auto& one) {
    return std::find(others.begin(), others.end(), one) == others.end();
  });
  return missing;
}

// What changed that a reader should not have to look for.
std::string note_of(const RunStep& step, const Snapshot& before, const Snapshot& after) {
  std::string note;
  const auto add = [&note](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
  const bool goes = step.kind == StepKind::leave || step.fault == Fault::crash;
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
  }
  return note;
}

bool is_about_client(const Detail& detail) {
  if (detail.action.is(Action::Kind::time)) return false;
  const auto fault = detail.action.fault();
  if (!fault) return true;
  if (fault == Fault::pause) return false;
  return detail.wait != Detail::none || detail.action.slot() == 0;
}

}  // namespace

RunStep tell(Engine& engine,
             const WideState& before,
             const WideState& after,
             const Detail& detail) {
  RunStep step;
  step.kind = kind_of(detail);
  step.fault = detail.action.fault();
  step.code = detail.action.code();
  step.applied = detail.applied;
  step.delivered = detail.delivered;
  step.choice = detail.action.choice();
  if (is_about_client(detail)) step.client = detail.action.actor();
  if (detail.wait != Detail::none) {
    const Wait& wait = engine.process(*step.client).wait(detail.wait);
    step.task = wait.task;
    step.server = wait.server;
    if (wait.kind == Wait::Kind::operation) {
      const std::uint32_t operation = engine.operation_of(*step.client, detail.wait);
      step.operation = engine.stores().operation(operation);
    }
  } else if (step.kind == StepKind::fault && !step.client) {
    step.server = detail.action.actor();
  }
  step.what = what_of(engine, step, detail);
  if (detail.reply != Detail::none) {
    Reply reply = engine.vocabulary().replies[detail.reply];
    // Of the store: in everybody's words. What was told instead, or held back: in the client's.
    if (step.applied && detail.operation != Detail::none) step.answer = reply;
    if (step.client && step.kind == StepKind::deliver) {
      reply = renamed(reply, Names::swap(engine.class_of(*step.client), *step.client));
    }
    const bool silent = (step.kind == StepKind::wake && reply) || step.kind == StepKind::leave ||
                        detail.move == TaskMove::Kind::subscribe ||
                        detail.move == TaskMove::Kind::unsubscribe;
    if (!silent) step.reply = describe(reply);
  }
  if (step.fault == Fault::lost_reply) step.reply = "(lost) indeterminate";
  step.after = snapshot(engine, after);
  step.note = note_of(step, snapshot(engine, before), step.after);
  if (step.fault == Fault::failover && engine.scenario().replica() != Replica()) {
    step.note = "a replica takes over " + engine.scenario().which_replica();
  }
  const std::uint16_t broken = detail.violation != 0 ? detail.violation : broken_in(engine, after);
  if (broken != 0) step.violates = engine.scenario().properties()[broken - 1U].name;
  return step;
}

std::vector<PossibleStep> possible_steps(Engine& engine, const WideState& state) {
  std::vector<PossibleStep> steps;
  auto emit = [&steps](const WideState& next, const Detail& detail) {
    steps.push_back(PossibleStep{next, detail});
  };
  Expander<WideState, Detail, decltype(emit)> expander(engine, emit);
  expander.ordinary(state);
  expander.faulty(state);
  return steps;
}

namespace {

// Null only if no verdict is possible: to tell a run is to learn more of the clients, and what is
// learned may show that they cannot be trusted.
std::optional<PossibleStep> step_named(Engine& engine, const WideState& state, Action action) {
  const std::vector<PossibleStep> steps = possible_steps(engine, state);
  const auto at = std::find_if(steps.begin(), steps.end(), [action](const PossibleStep& step) {
    return step.detail.action == action;
  });
  if (at != steps.end()) return *at;
  INTERLOCK_ASSERT(!engine.why_no_verdict().empty());
  return std::nullopt;
}

// Which key of the world is the one with this number in the search: its name may hold an owner
// token.
std::size_t key_behind(Engine& engine,
                       const WideState& world,
                       const WideState& searched,
                       const Action& action,
                       const Names& real) {
  const std::size_t lane = engine.store_lane(action.actor());
  const Key& key = engine.stores().entries(searched[lane])[action.variant()].key;
  const Key behind(renamed(key.text(), real));
  const std::vector<StoreTable::Stored>& entries = engine.stores().entries(world[lane]);
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const auto& stored) { return stored.key == behind; });
  return static_cast<std::size_t>(at - entries.begin());
}

// The same action for the clients behind the names.
Action with_real_names(Engine& engine,
                       const WideState& world,
                       const WideState& searched,
                       Action action,
                       const Names& real) {
  const auto fault = action.fault();
  if (fault == Fault::eviction) {
    const std::size_t key = key_behind(engine, world, searched, action, real);
    return Action(Fault::eviction, action.actor(), action.slot(), key);
  }
  const bool about_server =
      fault && action.slot() == 1 && *fault >= Fault::restart && *fault != Fault::drift;
  if (about_server || action.is(Action::Kind::time) || fault == Fault::pause) return action;
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
  for (const Scenario::Process& process : engine.scenario().processes()) {
    run.clients.push_back(process.name);
  }
  run.before = snapshot(engine, state);
  return run;
}

std::vector<PossibleStep> follow_path(Engine& engine,
                                      const WideState& first,
                                      const std::vector<Action>& path) {
  Symmetry symmetry(engine);
  std::vector<PossibleStep> taken;
  WideState world = first;
  WideState searched = first;
  Names real;  // for each client of the search, who it is
  const auto arrange = [&] {
    Names went;
    symmetry.arrange(searched, &went);
    real = went.inverse().then(real);
  };
  arrange();
  for (const Action action : path) {
    const auto in_world =
        step_named(engine, world, with_real_names(engine, world, searched, action, real));
    const auto in_search = step_named(engine, searched, action);
    if (!in_world || !in_search) break;
    taken.push_back(*in_world);
    world = in_world->next;
    searched = in_search->next;
    arrange();
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

Run tell_steps(Engine& engine, const std::vector<PossibleStep>& steps, std::string& failure) {
  Witness witness(engine);
  auto world = engine.initial<WideState>();
  Run run = begin_run(engine, world);
  for (const PossibleStep& step : steps) {
    if (failure.empty()) failure = witness.follow(world, step.next, step.detail);
    run.steps.push_back(tell(engine, world, step.next, step.detail));
    if (engine.endless) date(run);
    world = step.next;
  }
  return run;
}

}  // namespace

Run tell_run(Engine& engine, const std::vector<Action>& path, std::string& failure) {
  const auto steps = follow_path(engine, engine.initial<WideState>(), path);
  failure = engine.why_no_verdict();
  return tell_steps(engine, steps, failure);
}

Run tell_actions(Engine& engine, const std::vector<Action>& actions, std::string& failure) {
  std::vector<PossibleStep> steps;
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
  Run run = tell_run(engine, rounds, failure);
  run.steps.resize(path.size());
  run.steps.back().violates = property;
  run.loop = loop;
  return run;
}

}  // namespace interlock::sim
