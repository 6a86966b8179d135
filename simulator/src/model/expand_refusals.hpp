// Why steps are not possible: told where it is decided, to an Emit that asks (Expander).
#pragma once

#include <algorithm>

#include "model/expander.hpp"

namespace interlock::sim {

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse(Action step, Obstacle why, std::int32_t instants) {
  if constexpr (says_why) {
    if (why != Obstacle::none) emit_.refuse(Refusal{step, why, instants});
  }
}

// Says why a move is not enabled.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_move(const TaskMove& move, std::size_t client) {
  if constexpr (says_why) {
    const Action step(ActionKind::move, client, move.slot);
    if (move.kind == TaskMoveKind::deliver) return refuse(step, Obstacle::break_to_come);
    const ClockInstants now = clocks(client);
    const std::int32_t clock = move.wall ? now.wall : now.monotonic;
    const bool sleeps = move.kind == TaskMoveKind::sleep;
    refuse(step, sleeps ? Obstacle::sleeps : Obstacle::no_message,
           move.due == Instants::never ? Refusal::for_ever : move.due - clock);
  }
}

// A request that a client has left behind is no move of its own.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_client_without_moves(const ProcessTable::ConfigInfo& info,
                                                       std::size_t client) {
  if constexpr (says_why) {
    for (std::uint32_t at = 0; at < info.moves; ++at) {
      if (engine_.process(client).move(info.first_move + at).kind != TaskMoveKind::late) return;
    }
    refuse(Action(ActionKind::move, client), end_of(info));
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_fault(Fault fault,
                                        std::size_t actor,
                                        std::size_t slot,
                                        Obstacle why) {
  if constexpr (says_why) {
    const std::size_t server = slot == 1 ? actor : 0;
    refuse(Action(fault, actor, slot),
           std::max(why, engine_.budgets().obstacle(budget_, fault, server)));
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_requests(std::size_t client, Obstacle why) {
  refuse_store_faults(client, why);
  refuse_write_faults(client, why == Obstacle::no_request ? Obstacle::no_write : why);
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_store_faults(std::size_t client, Obstacle why) {
  if constexpr (says_why) {
    for (const Fault fault : faults_of<FaultTarget::request>) {
      if (!fault_kind(fault).happens_to_writes) refuse_fault(fault, client, 0, why);
    }
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_write_faults(std::size_t client, Obstacle why) {
  if constexpr (says_why) {
    for (const Fault fault : faults_with<&FaultKind::happens_to_writes>) {
      refuse_fault(fault, client, 0, why);
    }
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_faults_of_client(std::size_t client, Obstacle why) {
  refuse_requests(client, why);
  if constexpr (says_why) {
    for (const Fault fault : faults_of<FaultTarget::client>) refuse_fault(fault, client, 0, why);
    for (const Fault fault : faults_of<FaultTarget::clock>) refuse_fault(fault, client, 0, why);
  }
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::refuse_faults_of_server(std::size_t server, Obstacle why) {
  if constexpr (says_why) {
    for (const Fault fault : faults_of<FaultTarget::server>) refuse_fault(fault, server, 1, why);
    for (const Fault fault : faults_of<FaultTarget::clock>) refuse_fault(fault, server, 1, why);
  }
}

}  // namespace interlock::sim
