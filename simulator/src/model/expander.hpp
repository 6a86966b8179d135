// All steps that are possible in a state, in a fixed order: a handful of table look-ups for each,
// no allocation, no text. The search asks once for each part of a state, and remembers:
// step_table.hpp.
#pragma once

#include <cstdint>

#include "model/engine.hpp"
#include "model/obstacle.hpp"
#include "model/parts.hpp"
#include "model/transition.hpp"

namespace interlock::sim {

// Calls emit(next, detail) for each step: those without a new fault, those with one, or one part.
// If there is emit.refuse(Refusal), also calls that, for each kind of step that is not possible.
template <class S, class D, class Emit>
class Expander {
 public:
  Expander(Engine& engine, Emit& emit) : engine_(engine), emit_(emit) {}

  void ordinary(const S& state) {
    const Enabledness all =
        ordinary_parts(engine_, state, [&](Part part) { return look(state, part); });
    if constexpr (says_why) {
      refuse(Action(ActionKind::time, 0), obstacle_to_time(engine_, state, all));
    }
  }
  void faulty(const S& state) {
    const std::uint32_t time = state[engine_.time_component()];
    const Enabledness all =
        faulty_parts(engine_, time, [&](Part part) { return look(state, part); });
    if constexpr (says_why) {
      refuse_fault(Fault::pause, 0, 0, obstacle_to_pause(engine_, time, all));
      for (std::size_t server = 0; server < engine_.servers(); ++server) {
        refuse_faults_of_server(server, obstacle_to_faults(engine_, all));
      }
    }
  }

  Enabledness look(const S& state, Part part) {
    look_at(state);
    switch (part.kind) {
      case PartKind::moves:
        moves_of(state, part.who);
        return standing(state, part.who);
      case PartKind::faults_of_client:
        faults_of_client(state, part.who);
        return standing(state, part.who);
      case PartKind::faults_of_server:
        faults_of_server(state, part.who);
        break;
      case PartKind::time:
        pass_time(state, Action(ActionKind::time, 0));
        break;
      case PartKind::pause:
        pause(state);
        break;
    }
    return {};
  }

  // Whether a part's own steps would differ if another client were in another state.
  bool depended_on_others() const { return depended_on_others_; }

  // Some client waits for what cannot come, and no client can do anything.
  bool is_deadlock(const S& state) {
    look_at(state);
    Enabledness all;
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      all.add(standing(state, client));
    }
    return all.is_deadlock();
  }

  // Whether more time would let something happen: a sleep or a wait ends, a key expires, a belief
  // that a predicate sees ends.
  bool awaits_time(const S& state) {
    look_at(state);
    if (awaits_end(engine_, state)) return true;
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      const ProcessTable& table = engine_.process(client);
      const ProcessTable::ConfigInfo& info = table.info(state[client]);
      for (std::uint32_t at = 0; at < info.moves; ++at) {
        const TaskMove& move = table.move(info.first_move + at);
        if (!is_enabled(move, client) && move.due != Instants::never) return true;
      }
    }
    return false;
  }

 private:
  using Edit = ProcessTable::Edit;
  void look_at(const S& state) {
    time_ = state[engine_.time_component()];
    budget_ = state[engine_.budget_component()];
  }
  // What is not possible: definitions in expand_refusals.hpp.
  static constexpr bool says_why = requires(Emit & emit, Refusal refusal) { emit.refuse(refusal); };
  void refuse(Action step, Obstacle why, std::int32_t instants = Refusal::for_ever);
  void refuse_move(const TaskMove& move, std::size_t client);
  void refuse_client_without_moves(const ProcessTable::ConfigInfo& info, std::size_t client);
  // `why`: besides what the budget says. `slot` is 1 for a server's fault.
  void refuse_fault(Fault fault, std::size_t actor, std::size_t slot, Obstacle why);
  void refuse_requests(std::size_t client, Obstacle why);
  void refuse_store_faults(std::size_t client, Obstacle why);
  void refuse_write_faults(std::size_t client, Obstacle why);
  void refuse_faults_of_client(std::size_t client, Obstacle why);
  void refuse_faults_of_server(std::size_t server, Obstacle why);
  static Obstacle end_of(const ProcessTable::ConfigInfo& info) {
    if (!info.finished) return Obstacle::awaits_own_tasks;
    return info.crashed ? Obstacle::has_crashed : Obstacle::is_done;
  }
  // Both say why not, if not.
  bool allows(Fault fault, std::size_t actor, std::size_t slot = 0) {
    refuse_fault(fault, actor, slot, Obstacle::none);
    return engine_.budgets().allows(budget_, fault);
  }
  bool allows_break(Fault fault, std::size_t server) {
    refuse_fault(fault, server, 1, Obstacle::none);
    return engine_.budgets().allows_break(budget_, fault, server);
  }

  ClockInstants clocks(std::size_t client) const {
    return engine_.budgets().clocks(budget_, client, static_cast<std::int32_t>(time_));
  }
  bool clocks_may_change() const {
    return time_ < engine_.last_instant || engine_.clocks_may_be_set;
  }

  bool is_enabled(const TaskMove& move, std::size_t client) const {
    switch (move.kind) {
      case TaskMoveKind::sleep: {
        const ClockInstants now = clocks(client);
        return move.due <= (move.wall ? now.wall : now.monotonic);
      }
      case TaskMoveKind::message:
        return move.pending || move.due <= clocks(client).monotonic;
      case TaskMoveKind::deliver:
        return !move.awaits_break;
      default:
        return true;
    }
  }

  Enabledness standing(const S& state, std::size_t client) const {
    const ProcessTable& table = engine_.process(client);
    const ProcessTable::ConfigInfo& info = table.info(state[client]);
    Enabledness standing;
    standing.over = info.finished && info.moves == 0;
    for (std::uint32_t at = 0; at < info.moves && !standing.could_move; ++at) {
      const TaskMove& move = table.move(info.first_move + at);
      const bool enabled = is_enabled(move, client);
      // A client may begin at any instant: a late beginning is no pause.
      const bool comes = move.kind == TaskMoveKind::start && !engine_.late_arrivals_are_pauses;
      const bool due = move.kind != TaskMoveKind::late && !comes;
      // The client could also be told already: it makes no difference yet that its answer will
      // never come.
      standing.could_move = (enabled || move.awaits_break) && due;
      standing.idle = standing.idle && !enabled && table.waits_for_ever(move);
    }
    return standing;
  }

  void monitor(S& state, std::uint32_t cause, std::size_t client, D& detail) {
    if (cause == 0) return;
    const MonitorTable::Reaction& step =
        engine_.monitor().apply(state[engine_.monitor_component()], cause, client);
    state.set(engine_.monitor_component(), step.next);
    if (detail.violation == 0) detail.violation = step.violation;
    settle(state, detail);
  }

  // For every step that a client takes: what it has called before begins with it.
  void begin_calls(S& state, std::size_t client) {
    if (!engine_.monitor().has_histories()) return;
    const std::size_t component = engine_.monitor_component();
    state.set(component, engine_.monitor().begin_calls(state[component], client));
  }

  // Beliefs end and begin by the clocks: for every step that moves these, or the monitor.
  void settle(S& state, D& detail) {
    if (!engine_.monitor().beliefs_end()) return;
    const ClocksOfAll clocks =
        engine_.clocks(state[engine_.budget_component()], state[engine_.time_component()]);
    const MonitorTable::Reaction step =
        engine_.monitor().settle(state[engine_.monitor_component()], clocks);
    state.set(engine_.monitor_component(), step.next);
    if (detail.violation == 0) detail.violation = step.violation;
  }

  void moves_of(const S& state, std::size_t client) {
    const ProcessTable::ConfigInfo info = engine_.process(client).info(state[client]);
    refuse_client_without_moves(info, client);
    for (std::uint32_t at = 0; at < info.moves; ++at) {
      const TaskMove move = engine_.process(client).move(info.first_move + at);
      if (!is_enabled(move, client)) {
        refuse_move(move, client);
        continue;
      }
      D detail;
      detail.action = Action(ActionKind::move, client, move.slot, is_late(move));
      describe_move(detail, move);
      make_by_client(state, client, move, detail);
    }
  }
  void make_by_client(const S& state, std::size_t client, const TaskMove& move, const D& detail) {
    const bool acts = move.kind != TaskMoveKind::start && move.kind != TaskMoveKind::late;
    if (!acts || !engine_.monitor().has_histories()) return make(state, client, move, detail);
    S begun = state;
    begin_calls(begun, client);
    make(begun, client, move, detail);
  }
  static void describe_move(D& detail, const TaskMove& move) {
    if constexpr (D::tells) {
      detail.move = move.kind;
      detail.wait = move.wait;
    }
  }
  static std::size_t is_late(const TaskMove& move) {
    return move.kind == TaskMoveKind::late ? Action::late_copy : 0;
  }

  void make(const S& state, std::size_t client, const TaskMove& move, D detail) {
    switch (move.kind) {
      case TaskMoveKind::start:
        start(state, client, detail);
        break;
      case TaskMoveKind::operation:
        operation(state, client, move, detail, Edit::none, D::none, no_skip);
        await_break(state, client, move, detail, Edit::none, Action::Lost::request);
        break;
      case TaskMoveKind::subscribe:
        await_break(state, client, move, detail, Edit::none, Action::Lost::request);
        if constexpr (D::tells) detail.applied = true;
        answer(state, client, move.slot, Edit::subscribe, engine_.nil, detail);
        break;
      case TaskMoveKind::unsubscribe:
        await_break(state, client, move, detail, Edit::none, Action::Lost::request);
        if constexpr (D::tells) detail.applied = true;
        answer(state, client, move.slot, Edit::unsubscribe, engine_.nil, detail);
        break;
      case TaskMoveKind::message:
        message(state, client, move, detail);
        break;
      case TaskMoveKind::refused_message:
        answer_now(state, client, move.slot, Edit::none, engine_.no_subscription, detail);
        break;
      case TaskMoveKind::sleep:
        answer_now(state, client, move.slot, Edit::none, engine_.nil, detail);
        break;
      case TaskMoveKind::deliver:
        if constexpr (D::tells) {
          detail.reply = engine_.process(client).held_reply(state[client], move.slot);
        }
        answer_now(state, client, move.slot, Edit::deliver, engine_.nil, detail);
        break;
      case TaskMoveKind::leave:
        leave(state, client, move, detail);
        break;
      case TaskMoveKind::write:
        write(state, client, move, Edit::none, detail);
        break;
      case TaskMoveKind::late:
        late(state, client, move, detail);
        break;
    }
  }

  void message(const S& state, std::size_t client, const TaskMove& move, D detail);

  // A client's start and its first operation are one step, unless it has too many ways to start for
  // an Action to name; if it reads its clock when it starts, time may also pass between the two.
  void start(const S& state, std::size_t client, D detail) {
    ProcessTable& table = engine_.process(client);
    const ProcessTable::Results results = table.step(
        state[client], Edit::none, Automaton::start_slot, engine_.nil, clocks(client), false);
    for (std::uint32_t at = 0; at < results.count; ++at) {
      const ProcessTable::ProcessStep result = table.result(results.first + at);
      S next = state;
      D begun = detail;
      begin(next, client, result, begun);
      const ProcessTable::ConfigInfo info = table.info(result.config);
      const bool asks = starts_at_once(results) && first_move_is_operation(client, info);
      if (asks) {
        const TaskMove move = table.move(info.first_move);
        D first = begun;
        first.action = first.action.with_start_branch(at);
        describe_move(first, move);
        make_by_client(next, client, move, first);
      }
      if (!asks || engine_.looks_between || may_restart(state) ||
          (results.reads_clock && clocks_may_change())) {
        begun.action = Action(ActionKind::start, client).with_choice(at);
        emit_(next, begun);
      }
    }
  }

  void begin(S& state, std::size_t client, const ProcessTable::ProcessStep& result, D& detail) {
    state.set(client, result.config);
    if constexpr (D::tells) {
      detail.starts = true;
      detail.start_choices = result.choices;
      detail.start_marks = result.marks;
    }
    monitor(state, engine_.cause_of_marks(result.marks), client, detail);
  }

  static bool starts_at_once(const ProcessTable::Results& results) {
    return results.count <= Action::start_branches;
  }
  // A client may crash and begin again, now or later.
  bool may_restart(const S& state) const {
    return engine_.budgets().allows(budget_of(state), Fault::client_restart);
  }
  bool first_move_is_operation(std::size_t client, const ProcessTable::ConfigInfo& info) const {
    if (info.waits != 1 || info.moves == 0) return false;
    const TaskMoveKind kind = engine_.process(client).move(info.first_move).kind;
    return kind == TaskMoveKind::operation || kind == TaskMoveKind::subscribe;
  }

  // `told` is what the client gets instead of the answer; the client `skipped` misses the messages.
  static constexpr std::size_t no_skip = 15;
  void operation(const S& state,
                 std::size_t client,
                 const TaskMove& move,
                 D detail,
                 ProcessTable::Edit edit,
                 std::uint32_t told,
                 std::size_t skipped) {
    S next = state;
    const std::uint32_t reply = apply(next, client, move, detail, skipped);
    answer(next, client, move.slot, edit, told == D::none ? reply : told, detail);
    if (told == D::none) await_break(next, client, move, detail, edit, Action::Lost::answer);
  }

  // A request, or its answer, is on its way when the connection breaks. That is still to come.
  void await_break(const S& state,
                   std::size_t client,
                   const TaskMove& move,
                   D detail,
                   ProcessTable::Edit edit,
                   Action::Lost lost);

  // The answer in the words of the client's automaton.
  std::uint32_t apply(
      S& next, std::size_t client, const TaskMove& move, D& detail, std::size_t skipped) {
    const std::uint32_t operation = engine_.operation_of(client, move.wait);
    const std::size_t component = engine_.store_component(move.server);
    const std::int32_t now =
        engine_.budgets().server_clock(budget_, move.server, static_cast<std::int32_t>(time_));
    const StoreTable::Effect step = engine_.stores().apply(next[component], operation, client, now);
    next.set(component, step.next);
    std::uint32_t reply = step.reply;
    if (detail.violation == 0) detail.violation = step.violation;
    detail.reads_clock = detail.reads_clock || step.reads_clock;
    monitor(next, step.cause, client, detail);
    if (step.messages != 0) {
      if (engine_.stores().operation(operation).kind == OperationKind::publish) {
        reply =
            engine_.vocabulary().reply(Value(listeners(next, move.server, step.messages, skipped)));
        depended_on_others_ = true;
      }
      publish(next, move.server, step.messages, client, skipped, detail);
    }
    if constexpr (D::tells) {
      detail.operation = operation;
      detail.applied = true;
      detail.reply = reply;
    }
    return engine_.seen_by(client, reply);
  }

  std::int64_t listeners(const S& state,
                         std::size_t server,
                         std::uint32_t messages,
                         std::size_t skipped) const {
    std::int64_t listeners = 0;
    for (const std::uint32_t message : engine_.stores().message_list(messages)) {
      for (std::size_t client = 0; client < engine_.clients(); ++client) {
        if (client == skipped) continue;
        const std::uint32_t heard = engine_.heard_by(client, message).channel;
        listeners += engine_.process(client).listeners(state[client], server, heard);
      }
    }
    return listeners;
  }

  void publish(S& state,
               std::uint8_t server,
               std::uint32_t messages,
               std::size_t mover,
               std::size_t skipped,
               D& detail) {
    if constexpr (D::is_independent) {
      detail.to_others = ToOthers::hear;
      detail.server = server;
      detail.messages = messages;
      state.set(mover, engine_.after_hearing(mover, state[mover], server, messages));
    } else {
      for (std::size_t client = 0; client < engine_.clients(); ++client) {
        if (client == skipped) continue;
        state.set(client, engine_.after_hearing(client, state[client], server, messages));
      }
    }
  }

  // The effects of an answer.
  class Told {
   public:
    bool reads_clock = false;
    bool ends_client = false;
    bool ends_belief = false;  // or lets it end earlier
  };
  void answer(const S& state,
              std::size_t client,
              std::uint8_t slot,
              ProcessTable::Edit edit,
              std::uint32_t reply,
              const D& detail);
  void answer_later(const S& state,
                    std::size_t client,
                    std::uint8_t slot,
                    ProcessTable::Edit edit,
                    std::uint32_t reply,
                    D later);
  bool is_missed(
      const S& state, std::size_t client, std::uint8_t slot, ProcessTable::Edit edit, Told told);
  Told answer_now(const S& state,
                  std::size_t client,
                  std::uint8_t slot,
                  ProcessTable::Edit edit,
                  std::uint32_t reply,
                  D detail);

  // Whether the write is accepted.
  bool reach_section(S& state, std::size_t client, const TaskMove& move, D& detail) {
    const std::uint32_t cause = engine_.cause_of_wait(client, move.wait);
    const MonitorTable::Reaction step =
        engine_.monitor().apply(state[engine_.monitor_component()], cause, client);
    state.set(engine_.monitor_component(), step.next);
    detail.violation = step.violation;
    return step.accepted;
  }
  void leave(const S& state, std::size_t client, const TaskMove& move, D detail);
  void write(const S& state, std::size_t client, const TaskMove& move, Edit edit, D detail);

  void late(const S& state, std::size_t client, const TaskMove& move, D detail);
  void pass_time(const S& state, Action action);
  void pause(const S& state) {
    if (!allows(Fault::pause, 0)) return;
    pass_time(spent(state, Fault::pause), Action(Fault::pause, 0));
  }
  std::uint32_t budget_of(const S& state) const { return state[engine_.budget_component()]; }

  void age_all(S& state, D& detail);
  void age_stores(S& state, std::uint32_t budget, std::int32_t time);

  void faults_of_client(const S& state, std::size_t client);
  void end_life(const S& state, std::size_t client, Fault fault);
  void faults_of_request(
      const S& before, std::size_t client, const TaskMove& move, std::size_t variant, D detail);
  void faults_of_write(const S& state, std::size_t client, const TaskMove& move, D detail);
  void lost_messages(const S& state, std::size_t client, const TaskMove& move, D detail);
  void faults_of_clock(const S& state, std::size_t client);
  void faults_of_server(const S& state, std::size_t server);
  void server_fault(const S& state,
                    Fault fault,
                    std::size_t server,
                    std::size_t variant,
                    std::uint32_t store,
                    bool reconnect);

  S spent(const S& state, Fault fault) {
    S next = state;
    next.set(engine_.budget_component(), engine_.budgets().spend(budget_, fault));
    return next;
  }

  Engine& engine_;
  Emit& emit_;
  std::uint32_t time_ = 0;
  std::uint32_t budget_ = 0;
  bool depended_on_others_ = false;
};

}  // namespace interlock::sim
