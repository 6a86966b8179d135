#include "run/witness.hpp"

namespace interlock::sim {

Witness::Witness(Engine& engine) : engine_(engine) {
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    processes_.push_back(process_of(client, 0));
  }
}

// Each runs its own program under its own name; the automaton may have learned another client.
std::unique_ptr<LiveProcess> Witness::process_of(std::size_t client, Life life) const {
  auto process =
      std::make_unique<LiveProcess>(engine_.scenario().processes()[client].program, client,
                                    engine_.servers(), LiveProcess::LoopHeads::run_through);
  process->begin_life(life);
  return process;
}

void Witness::make_all(const WideState& first) {
  for (std::size_t client = 0; client < processes_.size(); ++client) {
    processes_[client]->make(clock(first, client));
  }
}

std::vector<TaskLine> Witness::lines(const WideState& state, std::size_t client, bool has_started) {
  if (has_started) return processes_[client]->lines();
  const auto trial = process_of(client, engine_.process(client).life(state[client]));
  trial->start(clock(state, client), {});
  return trial->lines();
}

ClockReading Witness::clock(const WideState& state, std::size_t client) {
  const auto time = static_cast<std::int32_t>(state[engine_.time_component()]);
  const ClockInstants now =
      engine_.budgets().clocks(state[engine_.budget_component()], client, time);
  const Instants& instants = engine_.process(client).instants();
  ClockReading reading;
  reading.monotonic = instants.local(now.monotonic + elapsed_);
  reading.wall = instants.local(now.wall + elapsed_);
  return reading;
}

std::string Witness::follow(const WideState& before,
                            const WideState& after,
                            const TransitionTrace& detail) {
  if (engine_.endless && detail.passes_time()) ++elapsed_;
  const std::size_t client = detail.action.actor();
  if (detail.action.fault() == Fault::client_restart) {
    processes_[client] = process_of(client, engine_.process(client).life(after[client]));
  }
  if (!detail.starts && !detail.delivered) return {};
  ProcessTable& table = engine_.process(client);
  LiveProcess& process = *processes_[client];
  const ClockReading now = clock(before, client);
  const Permutation permutation = Permutation::swap(engine_.class_of(client), client);
  const Vocabulary& vocabulary = engine_.vocabulary();
  if (detail.starts) process.start(now, vocabulary.branches(detail.start_choices));
  if (detail.delivered) {
    Reply told = vocabulary.replies[detail.told];
    if (detail.move == TaskMoveKind::subscribe && !detail.action.fault()) {
      told = Value(table.next_subscription(before[client]));
    }
    process.answer(detail.slot, renamed(told, permutation), now,
                   vocabulary.branches(detail.choices));
  }
  const Automaton::Local local = table.local(after[client]);
  const bool done = local == Automaton::done;
  if (done && process.done()) return {};
  Automaton::Comparison how;
  how.permutation = permutation;
  how.later = engine_.scenario().apart() * elapsed_;
  std::string what = "expected it to be done";
  if (!done) what = table.automaton().difference_in_waits(process, local, how);
  if (process.mistake()) what = "it " + process.mistake()->what;
  if (what.empty()) return {};
  return "client " + engine_.scenario().processes()[client].name +
         " did something else when its run was repeated as a whole: " + what +
         ": it is not deterministic, or not identical to the other clients, or loop_head or "
         "remembers leaves something out";
}

}  // namespace interlock::sim
