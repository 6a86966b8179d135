// How an answer reaches its client, in one step with the execution of its request or in a step of
// its own.
#pragma once

#include "model/expander.hpp"

namespace interlock::sim {

// An answer reaches its client at once, or also later, where that makes a difference: if the client
// reads a clock then, or has another task that may move first, or a predicate looks at the world
// meanwhile, or other clients could observe what the answer ends.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::answer(const S& state,
                                  std::size_t client,
                                  std::uint8_t slot,
                                  ProcessTable::Edit edit,
                                  std::uint32_t reply,
                                  const D& detail) {
  const Told told = answer_now(state, client, slot, edit, reply, detail);
  const bool alone = engine_.process(client).info(state[client]).waits <= 1;
  if (alone && !engine_.looks_between && !(told.reads_clock && clocks_may_change()) &&
      !is_missed(state, client, slot, edit, told)) {
    return;
  }
  answer_later(state, client, slot, edit, reply, detail);
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::answer_later(const S& state,
                                        std::size_t client,
                                        std::uint8_t slot,
                                        ProcessTable::Edit edit,
                                        std::uint32_t reply,
                                        D later) {
  ProcessTable& table = engine_.process(client);
  const ProcessTable::Results held =
      table.step(state[client], edit, slot, reply, ClockInstants(), true);
  S next = state;
  next.set(client, table.result(held.first).config);
  later.action = later.action.with_held();
  if constexpr (D::tells) {
    if (later.reply == D::none) later.reply = reply;
  }
  emit_(next, later);
}

// What a client begins with an answer may as well begin with its request. What ends with the
// answer, others may still observe until then: its subscriptions, which PUBLISH counts, and its
// belief that it holds a lock.
template <class S, class D, class Emit>
bool Expander<S, D, Emit>::is_missed(
    const S& state, std::size_t client, std::uint8_t slot, ProcessTable::Edit edit, Told told) {
  if (told.ends_belief) return true;
  // A client that has ended cannot restart, but one whose last answer is on its way can.
  if (told.ends_client && may_restart(state)) return true;
  return told.ends_client && engine_.process(client).listens_after(state[client], edit, slot);
}

template <class S, class D, class Emit>
typename Expander<S, D, Emit>::Told Expander<S, D, Emit>::answer_now(const S& state,
                                                                     std::size_t client,
                                                                     std::uint8_t slot,
                                                                     ProcessTable::Edit edit,
                                                                     std::uint32_t reply,
                                                                     D detail) {
  ProcessTable& table = engine_.process(client);
  const ProcessTable::Results results =
      table.step(state[client], edit, slot, reply, clocks(client), false);
  if constexpr (D::tells) {
    if (detail.reply == D::none) detail.reply = reply;
    detail.delivered = true;
    detail.slot = slot;
    detail.told = edit == Edit::deliver ? detail.reply : reply;
  }
  detail.reads_clock = detail.reads_clock || results.reads_clock;
  Told told;
  told.reads_clock = results.reads_clock;
  const std::uint32_t before = state[engine_.monitor_component()];
  for (std::uint32_t at = 0; at < results.count; ++at) {
    const ProcessTable::ProcessStep result = table.result(results.first + at);
    S next = state;
    next.set(client, result.config);
    D one = detail;
    one.action = one.action.with_choice(at);
    if constexpr (D::tells) {
      one.choices = result.choices;
      one.marks = result.marks;
    }
    const std::uint32_t cause = engine_.cause_of_marks(result.marks);
    told.ends_client = told.ends_client || table.info(result.config).finished;
    told.ends_belief = told.ends_belief || engine_.monitor().ends_belief(before, cause, client);
    monitor(next, cause, client, one);
    emit_(next, one);
  }
  return told;
}

// A connection that broke may have lost a message, and the store may not get another one: then
// the wait and its subscription end. PUBLISH tells others so before the client is told.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::message(const S& state,
                                   std::size_t client,
                                   const TaskMove& move,
                                   D detail) {
  if (!move.pending) {
    answer_now(state, client, move.slot, Edit::none, engine_.no, detail);
    return;
  }
  const std::uint32_t heard = move.text != 0 ? move.text : engine_.yes;
  answer_now(state, client, move.slot, Edit::take_message, heard, detail);
  if (!move.broken) return;
  detail.action = detail.action.with_subscription_ended();
  answer(state, client, move.slot, Edit::unsubscribe, engine_.unavailable, detail);
}

template <class S, class D, class Emit>
void Expander<S, D, Emit>::leave(const S& state,
                                 std::size_t client,
                                 const TaskMove& move,
                                 D detail) {
  S next = state;
  reach_section(next, client, move, detail);
  answer_now(next, client, move.slot, Edit::none, engine_.nil, detail);
  // No client learns that another has left, and a client that leaves later breaks the same
  // properties as before. But a predicate sees who is inside.
  if (engine_.looks_between) {
    answer_later(next, client, move.slot, Edit::none, engine_.nil, detail);
  }
}

// With Edit::leave_behind a second copy of the write stays on its way.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::write(
    const S& state, std::size_t client, const TaskMove& move, Edit edit, D detail) {
  S next = state;
  const bool accepted = reach_section(next, client, move, detail);
  if constexpr (D::tells) detail.applied = true;
  answer(next, client, move.slot, edit, accepted ? engine_.yes : engine_.no, detail);
}

// A request that was left behind is carried out, or a write arrives. The resource judges a write by
// what it has seen until now.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::late(const S& state,
                                std::size_t client,
                                const TaskMove& move,
                                D detail) {
  S next = state;
  ProcessTable& table = engine_.process(client);
  if (table.wait(move.wait).kind == WaitKind::write) {
    const bool accepted = reach_section(next, client, move, detail);
    if constexpr (D::tells) {
      detail.applied = true;
      detail.reply = accepted ? engine_.yes : engine_.no;
    }
  } else {
    apply(next, client, move, detail, no_skip);
  }
  const ProcessTable::Results results =
      table.step(next[client], Edit::drop_late, move.slot, 0, ClockInstants(), false);
  next.set(client, table.result(results.first).config);
  emit_(next, detail);
}

// A fault is kept for the break, so that answers on their way need not be remembered until then.
template <class S, class D, class Emit>
void Expander<S, D, Emit>::await_break(const S& state,
                                       std::size_t client,
                                       const TaskMove& move,
                                       D detail,
                                       ProcessTable::Edit edit,
                                       Action::Lost lost) {
  BudgetTable& budgets = engine_.budgets();
  const std::uint32_t budget = budget_of(state);
  if (!budgets.may_lose(budget, move.server)) return;
  ProcessTable& table = engine_.process(client);
  const auto after = [&](std::uint32_t config, Edit what, bool hold) {
    const ProcessTable::Results results =
        table.step(config, what, move.slot, engine_.indeterminate, ClockInstants(), hold);
    return table.result(results.first).config;
  };
  S next = state;
  next.set(client, after(after(state[client], edit, true), Edit::await_break, false));
  next.set(engine_.budget_component(), budgets.keep_for_break(budget, move.server));
  detail.action = detail.action.with_held(lost);
  if constexpr (D::tells) {
    if (lost == Action::Lost::request) detail.reply = engine_.indeterminate;
  }
  emit_(next, detail);
}

}  // namespace interlock::sim
