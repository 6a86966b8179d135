#include "audit/companion.hpp"

namespace interlock::sim {
Companion::Companion(const Automaton& automaton, const ProgramGraph& graph, As as)
    : automaton_(automaton),
      graph_(graph),
      as_(as),
      process_(automaton.program(),
               as.client,
               automaton.servers(),
               LiveProcess::LoopHeads::run_through) {}

void Companion::feed(std::uint8_t slot,
                     std::uint32_t reply,
                     ClockReading clock,
                     const LiveProcess::Branches& branches) {
  ++steps_;
  const auto moved = [&](TimePoint time) {
    return time == TimePoint() ? time : time + place_.elapsed + as_.later;
  };
  clock.monotonic = moved(clock.monotonic);
  clock.wall = moved(clock.wall);
  if (slot == Automaton::start_slot) {
    process_.start(clock, branches);
  } else {
    const Reply& answer = automaton_.vocabulary().replies[reply];
    process_.answer(slot, sim::renamed(answer, as_.permutation), clock, branches);
  }
}

bool Companion::lead_to(Automaton::Local local) {
  place_.local = automaton_.beginning_of(local);
  process_.begin_life(automaton_.life(local));
  for (const Automaton::Waypoint& point : automaton_.way_to(local)) {
    const ClockReading& clock = point.input.clock;
    if (clock.monotonic != TimePoint()) place_.now = clock.monotonic;
    feed(point.input.slot, point.input.reply, clock, point.input.branches);
    place_.local = point.local;
    if (!is_same_at(point.local)) return false;
  }
  return true;
}

bool Companion::take(ProgramGraph::Id id) {
  const ProgramStep& step = graph_[id];
  if (!step.passes_time) {
    feed(step.slot, step.reply, step.clock.value_or(ClockReading()),
         automaton_.vocabulary().branches(step.result.choices));
  }
  place_ = graph_.after(place_, id);
  if (!is_same_at(step.result.local)) return false;
  return step.passes_time || is_same_in_step(step);
}

Automaton::Comparison Companion::comparison() const {
  Automaton::Comparison how;
  how.permutation = as_.permutation;
  how.later = place_.elapsed + as_.later;
  return how;
}

bool Companion::differs(std::string how) {
  difference_ = std::move(how);
  return difference_.empty();
}

bool Companion::is_same_at(Automaton::Local local) {
  if (process_.mistake()) return differs("it " + process_.mistake()->what);
  const bool done = local == Automaton::done;
  if (process_.done()) return differs(done ? "" : "expected it to go on, but it was done");
  if (done) return differs("expected it to be done, but it went on");
  std::string what = automaton_.difference_in_waits(process_, local, comparison());
  // Under other names or with ageing the numbers may differ: they may be clients, or times.
  const bool compares_memory =
      process_.has_memory() && as_.permutation.identity() && !automaton_.ageing();
  if (what.empty() && compares_memory && process_.memory() != automaton_.memory(local)) {
    what = "expected it to remember the same, but it was something else";
  }
  return differs(std::move(what));
}

bool Companion::is_same_in_step(const ProgramStep& step) {
  const LiveProcess::StepRecord& last = process_.last_step();
  const Vocabulary& words = automaton_.vocabulary();
  if (!automaton_.are_same_marks(words.mark_lists[step.result.marks], last.marks, comparison())) {
    return differs("expected the same sections entered and goals reached, got others");
  }
  if (last.choices != words.choice_lists[step.result.choices]) {
    return differs("expected the same choices, got others");
  }
  if (!step.clock && (last.read_monotonic || last.read_wall)) {
    return differs("expected it not to look at its clock, but it did");
  }
  return true;
}

}  // namespace interlock::sim
