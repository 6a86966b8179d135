#include "model/snapshot.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "model/action.hpp"

namespace interlock::sim {
namespace {

ClientView client_view(Engine& engine, const WideState& state, std::size_t client) {
  const ProcessTable& table = engine.process(client);
  const ProcessTable::ConfigInfo info = table.info(state[client]);
  ClientView view;
  view.name = engine.scenario().processes()[client].name;
  view.restarts = table.life(state[client]);
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
      if (wait.kind == WaitKind::nothing) continue;
      view.next = renamed(describe(wait), Permutation::swap(engine.class_of(client), client));
      break;
    }
  }
  for (const MonitorTable::Lock& lock : engine.monitor().locks(state[engine.monitor_component()])) {
    if ((engine.monitor().believers(lock) >> client & 1) != 0) view.inside.push_back(lock.name);
    if ((lock.waiting >> client & 1) != 0 && !info.finished) view.wants.push_back(lock.name);
  }
  for (const MonitorTable::Ghost& ghost :
       engine.monitor().ghosts(state[engine.monitor_component()])) {
    if (ghost.client == client) view.ghosts.push_back(GhostView{ghost.name, ghost.value});
  }
  return view;
}

void view_keys(Engine& engine, const WideState& state, std::size_t server, Snapshot& view) {
  const auto time = static_cast<std::int32_t>(state[engine.time_component()]);
  const std::int32_t ticks =
      engine.budgets().server_clock(state[engine.budget_component()], server, time);
  const Scenario& scenario = engine.scenario();
  const StoreTime now = ServerTicks::time(Instants::of(scenario), ticks);
  for (const StoreTable::Stored& stored :
       engine.stores().entries(state[engine.store_component(server)])) {
    KeyView key;
    key.server = server;
    key.key = stored.key.text();
    key.value = stored.entry.value;
    if (stored.entry.expiry) {
      key.remaining =
          *stored.entry.expiry - std::chrono::duration_cast<milliseconds>(now.time_since_epoch());
    }
    view.keys.push_back(std::move(key));
  }
}

}  // namespace

Snapshot snapshot(Engine& engine, const WideState& state) {
  Snapshot view;
  view.time = engine.scenario().apart() * state[engine.time_component()];
  view.faults = engine.budgets()[state[engine.budget_component()]].total;
  for (std::size_t server = 0; server < engine.servers(); ++server) {
    view_keys(engine, state, server, view);
  }
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    view.clients.push_back(client_view(engine, state, client));
  }
  for (const MonitorTable::Resource& resource :
       engine.monitor().resources(state[engine.monitor_component()])) {
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

const KeyView& evicted_key(const Snapshot& before, const RunStep& step) {
  const auto on_server = [&](const KeyView& key) { return key.server == step.server; };
  const auto first = std::ranges::find_if(before.keys, on_server);
  return *(first + static_cast<std::ptrdiff_t>(Action::from_code(step.code).variant()));
}

}  // namespace interlock::sim
