// What can go wrong in a state.
#pragma once

#include "model/expander.hpp"

namespace interlock::sim {

template <class S, class D, class Emit>
void Expander<S, D, Emit>::faults_of_client(const S& state, std::size_t client) {
  ProcessTable& table = engine_.process(client);
  const ProcessTable::ConfigInfo info = table.info(state[client]);
  if (info.finished) return refuse_faults_of_client(client, end_of(info));
  if (info.not_started) {
    refuse_fault(Fault::crash, client, 0, Obstacle::not_started);
    refuse_fault(Fault::client_restart, client, 0, Obstacle::not_started);
    // A clock may be wrong before its client begins.
    faults_of_clock(state, client);
    const ProcessTable::Results results = table.step(
        state[client], Edit::none, Automaton::start_slot, engine_.nil, clocks(client), false);
    if (!starts_at_once(results)) refuse_requests(client, Obstacle::starts_apart);
    for (std::uint32_t at = 0; starts_at_once(results) && at < results.count; ++at) {
      S begun = state;
      D detail;
      begin(begun, client, table.result(results.first + at), detail);
      const ProcessTable::ConfigInfo first = table.info(begun[client]);
      if (!first_move_is_operation(client, first)) {
        refuse_requests(client, Obstacle::starts_apart);
        continue;
      }
      // A copy: the table may grow while its steps are being learned.
      const TaskMove move = table.move(first.first_move);
      faults_of_request(begun, client, move, Action::starting(at), detail);
    }
    return;
  }
  for (const Fault fault : {Fault::crash, Fault::client_restart}) {
    if (allows(fault, client)) end_life(state, client, fault);
  }
  if (info.moves == 0) refuse_requests(client, Obstacle::no_request);
  for (std::uint32_t at = 0; at < info.moves; ++at) {
    const TaskMove move = table.move(info.first_move + at);
    faults_of_request(state, client, move, 0, D());
  }
  faults_of_clock(state, client);
}

// A restart comes once for each set of the requests on their way that arrive later: the branch, bit
// by bit.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::end_life(const S& state, std::size_t client, Fault fault) {
  const bool restarts = fault == Fault::client_restart;
  const Engine::Restarts how =
      restarts ? engine_.restarts(client, state[client]) : Engine::Restarts();
  for (std::uint32_t arrive = 0; arrive < how.ways; ++arrive) {
    S next = spent(state, fault);
    D detail;
    detail.action = Action(fault, client).with_choice(arrive);
    // What the client has called has begun if a request of it may still arrive.
    const bool has_sent = (arrive & how.awaited) != 0;
    if (has_sent) begin_calls(next, client);
    if constexpr (D::tells) detail.leaves_behind = has_sent;
    next.set(client, engine_.after_crash(client, next[client], restarts, arrive));
    monitor(next, restarts ? engine_.restart_cause : engine_.crash_cause, client, detail);
    emit_(next, detail);
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::faults_of_request(
    const S& before, std::size_t client, const TaskMove& move, std::size_t variant, D detail) {
  if (move.kind == TaskMoveKind::write) return faults_of_write(before, client, move, detail);
  refuse_write_faults(client, Obstacle::no_write);
  const bool message = move.kind == TaskMoveKind::message;
  const bool connection =
      move.kind == TaskMoveKind::subscribe || move.kind == TaskMoveKind::unsubscribe || message;
  if (move.kind != TaskMoveKind::operation && !connection) {
    const bool is_sent = move.kind == TaskMoveKind::deliver;
    return refuse_requests(client, is_sent ? Obstacle::request_is_sent : Obstacle::no_request);
  }
  S state = before;
  begin_calls(state, client);
  // A wait for a message that fails is the end of its subscription.
  const Edit edit = message ? Edit::unsubscribe : Edit::none;
  describe_move(detail, move);
  if constexpr (D::tells) detail.operation = engine_.operation_of(client, move.wait);
  const auto with = [&](Fault fault) {
    D one = detail;
    one.action = Action(fault, client, move.slot, variant);
    return one;
  };
  if (allows(Fault::unreachable, client)) {
    answer(spent(state, Fault::unreachable), client, move.slot, edit, engine_.unavailable,
           with(Fault::unreachable));
  }
  if (allows(Fault::lost_request, client)) {
    answer(spent(state, Fault::lost_request), client, move.slot, edit, engine_.indeterminate,
           with(Fault::lost_request));
  }
  if (allows(Fault::rejected, client)) {
    answer(spent(state, Fault::rejected), client, move.slot, edit, engine_.rejected,
           with(Fault::rejected));
  }
  if (connection) {
    for (const Fault fault :
         {Fault::lost_reply, Fault::late_execution, Fault::duplicate, Fault::lost_message}) {
      refuse_fault(fault, client, 0, Obstacle::no_answer_to_lose);
    }
    return;
  }
  if (allows(Fault::lost_reply, client)) {
    operation(spent(state, Fault::lost_reply), client, move, with(Fault::lost_reply), Edit::none,
              engine_.indeterminate, no_skip);
  }
  if (allows(Fault::late_execution, client)) {
    answer(spent(state, Fault::late_execution), client, move.slot, Edit::leave_behind,
           engine_.indeterminate, with(Fault::late_execution));
  }
  if (allows(Fault::duplicate, client)) {
    operation(spent(state, Fault::duplicate), client, move, with(Fault::duplicate),
              Edit::leave_behind, D::none, no_skip);
  }
  if (allows(Fault::lost_message, client)) {
    lost_messages(state, client, move, with(Fault::lost_message));
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::faults_of_write(const S& before,
                                           std::size_t client,
                                           const TaskMove& move,
                                           D detail) {
  refuse_store_faults(client, Obstacle::no_request);
  S begun = before;
  begin_calls(begun, client);
  describe_move(detail, move);
  for (const Fault fault : faults_with<&FaultKind::happens_to_writes>) {
    if (!allows(fault, client)) continue;
    D one = detail;
    one.action = Action(fault, client, move.slot);
    const S sent = spent(begun, fault);
    const Edit edit = fault == Fault::lost_write ? Edit::none : Edit::leave_behind;
    if (fault == Fault::duplicate_write) {
      write(sent, client, move, edit, one);
    } else {
      answer(sent, client, move.slot, edit, engine_.indeterminate, one);
    }
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::lost_messages(const S& state,
                                         std::size_t client,
                                         const TaskMove& move,
                                         D detail) {
  const std::size_t component = engine_.store_component(move.server);
  const std::int32_t now =
      engine_.budgets().server_clock(budget_, move.server, static_cast<std::int32_t>(time_));
  const StoreTable::Effect step = engine_.stores().apply(
      state[component], engine_.operation_of(client, move.wait), client, now);
  const auto refuse_it = [&](Obstacle why) { refuse_fault(Fault::lost_message, client, 0, why); };
  if (step.messages == 0) return refuse_it(Obstacle::sends_no_message);
  depended_on_others_ = true;
  bool is_heard = false;
  for (std::size_t other = 0; other < engine_.clients(); ++other) {
    if (!engine_.process(other).info(state[other]).subscribed) continue;
    is_heard = true;
    D one = detail;
    one.action = one.action.with_subscriber(other + 1);
    operation(spent(state, Fault::lost_message), client, move, one, Edit::none, D::none, other);
  }
  if (!is_heard) refuse_it(Obstacle::nobody_listens);
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::faults_of_clock(const S& state, std::size_t client) {
  const auto set = [&](Fault fault, std::uint32_t budget) {
    S next = state;
    next.set(engine_.budget_component(), budget);
    D detail;
    detail.action = Action(fault, client);
    settle(next, detail);
    emit_(next, detail);
  };
  BudgetTable& budgets = engine_.budgets();
  if (allows(Fault::clock_jump, client)) {
    set(Fault::clock_jump, budgets.move_wall(budget_, Fault::clock_jump, client, 1));
  }
  if (allows(Fault::clock_back, client)) {
    set(Fault::clock_back, budgets.move_wall(budget_, Fault::clock_back, client, -1));
  }
  if (allows(Fault::drift, client)) set(Fault::drift, budgets.drift(budget_, client));
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::server_fault(const S& state,
                                        Fault fault,
                                        std::size_t server,
                                        std::size_t variant,
                                        std::uint32_t store,
                                        bool reconnect) {
  S next = state;
  const int ahead = fault == Fault::failover ? engine_.scenario().replica().instants_ahead : 0;
  BudgetTable& budgets = engine_.budgets();
  next.set(engine_.budget_component(),
           reconnect ? budgets.break_connections(budget_, fault, server, ahead)
                     : budgets.spend(budget_, fault));
  next.set(engine_.store_component(server), store);
  age_stores(next, budget_of(next), static_cast<std::int32_t>(time_));
  D detail;
  if constexpr (D::is_independent) {
    if (reconnect) {
      detail.to_others = ToOthers::reconnect;
      detail.server = static_cast<std::uint8_t>(server);
    }
  } else {
    for (std::size_t client = 0; reconnect && client < engine_.clients(); ++client) {
      next.set(client, engine_.after_reconnecting(client, next[client], server));
    }
  }
  detail.action = Action(fault, server, 1, variant);
  monitor(next, engine_.stores().cause_of_change(state[engine_.store_component(server)], store), 0,
          detail);
  emit_(next, detail);
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::faults_of_server(const S& state, std::size_t server) {
  StoreTable& stores = engine_.stores();
  const std::uint32_t store = state[engine_.store_component(server)];
  const auto breaks = [&](Fault fault) { return allows_break(fault, server); };
  const auto comes_back = [&](Fault fault, std::uint32_t data, std::size_t variant = 0) {
    server_fault(state, fault, server, variant, stores.reborn(store, data), true);
  };
  if (breaks(Fault::restart)) comes_back(Fault::restart, store);
  if (breaks(Fault::restart_empty)) comes_back(Fault::restart_empty, stores.empty());
  if (breaks(Fault::failover)) {
    const std::vector<std::uint32_t> seen = stores.seen_by_replica(store);
    for (std::size_t more = 0; more < seen.size(); ++more) {
      comes_back(Fault::failover, seen[more], more);
    }
  }
  if (allows(Fault::eviction, server, 1)) {
    const std::size_t keys = engine_.countable(
        stores.keys(store), engine_.capacity().widths().evicted_keys, "keys on one server");
    if (keys == 0) refuse_fault(Fault::eviction, server, 1, Obstacle::no_keys);
    for (std::size_t key = 0; key < keys; ++key) {
      server_fault(state, Fault::eviction, server, key, stores.evict(store, key), false);
    }
  }
  const auto set = [&](Fault fault, int by) {
    S next = state;
    const std::uint32_t budget = engine_.budgets().move_server(budget_, fault, server, by);
    next.set(engine_.budget_component(), budget);
    age_stores(next, budget, static_cast<std::int32_t>(time_));
    D detail;
    detail.action = Action(fault, server, 1);
    emit_(next, detail);
  };
  if (allows(Fault::clock_jump, server, 1)) set(Fault::clock_jump, 1);
  if (allows(Fault::clock_back, server, 1)) set(Fault::clock_back, -1);
}

}  // namespace interlock::sim
