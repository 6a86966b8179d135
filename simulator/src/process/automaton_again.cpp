// What an automaton tells about its program so that runs can be repeated, and the comparison of a
// repeated run with what was learned.
#include <algorithm>

#include "process/automaton.hpp"

namespace interlock::sim {

std::vector<ProgramStep> Automaton::learned() const {
  std::vector<ProgramStep> all;
  const auto add = [&](ProgramStep step, const std::vector<LocalStep>& results) {
    if (locals_[step.from].loop_head) return;
    for (const LocalStep& result : results) {
      step.result = result;
      all.push_back(step);
    }
  };
  for (const auto& [question, step] : steps_) {
    const auto [local, slot, reply] = question;
    add(ProgramStep{local, slot, reply, std::nullopt, LocalStep{}, false}, step.results);
  }
  for (const auto& [question, step] : timed_steps_) {
    const auto [local, slot, reply, monotonic, wall] = question;
    ClockReading clock;
    clock.monotonic = TimePoint(Duration(monotonic));
    clock.wall = TimePoint(Duration(wall));
    add(ProgramStep{local, slot, reply, clock, LocalStep{}, false}, step.results);
  }
  for (const auto& [local, older] : aged_) {
    const LocalStep result{older, 0, Vocabulary::no_choices};
    add(ProgramStep{local, 0, 0, std::nullopt, LocalStep{}, true}, {result});
  }
  return all;
}

// A loop head takes no step: what follows it belongs to the step before.
Automaton::Waypoint Automaton::step_to(Local local) const {
  Waypoint step{locals_[local].parent, locals_[local].input, local};
  while (locals_[step.from].loop_head) {
    const LocalState& head = locals_[step.from];
    Input whole = head.input;
    whole.branches.insert(whole.branches.end(), step.input.branches.begin(),
                          step.input.branches.end());
    if (whole.clock.monotonic == TimePoint()) whole.clock.monotonic = step.input.clock.monotonic;
    if (whole.clock.wall == TimePoint()) whole.clock.wall = step.input.clock.wall;
    step.input = std::move(whole);
    step.from = head.parent;
  }
  return step;
}

std::vector<Automaton::Waypoint> Automaton::way_to(Local local) const {
  std::vector<Waypoint> way;
  for (Local at = local; !is_beginning(at); at = way.back().from) way.push_back(step_to(at));
  std::reverse(way.begin(), way.end());
  return way;
}

std::vector<std::string> Automaton::promises() const {
  std::vector<std::string> all;
  if (merges_at_loop_heads_) all.emplace_back("loop_head");
  if (merges_in_memory_) all.emplace_back("remembers");
  return all;
}

std::string Automaton::difference(const LiveProcess& process, Local expected) const {
  std::string what = difference_in_waits(process, expected, Comparison());
  if (what.empty() &&
      process.last_step().marks != vocabulary_.mark_lists[locals_[expected].marks]) {
    what = "expected the same sections entered and goals reached as before, got others";
  }
  if (what.empty() &&
      process.last_step().choices != vocabulary_.choice_lists[locals_[expected].choices]) {
    what = "expected the same choices as before, got others";
  }
  return what;
}

std::string Automaton::difference_in_waits(const LiveProcess& process,
                                           Local expected,
                                           const Comparison& how) const {
  const std::vector<std::uint32_t>& before = locals_[expected].waits;
  const Wait none;
  for (std::size_t slot = 0; slot < std::max(process.slots(), before.size()); ++slot) {
    const Wait& was = waits_[slot < before.size() ? before[slot] : 0];
    const Wait& is = slot < process.slots() ? process.wait_of(slot) : none;
    const bool same = how.permutation.identity()
                          ? is_same_wait(was, is, how)
                          : is_same_wait(renamed(was, how.permutation), is, how);
    if (same) continue;
    const auto say = [](const Wait& wait) {
      return wait.kind == WaitKind::nothing ? std::string("nothing") : describe(wait);
    };
    const std::string wanted = say(renamed(was, how.permutation));
    std::string text = "expected " + wanted + ", got " + say(is);
    if (wanted == say(is)) text += " with other details (a time, a task)";
    return text;
  }
  return {};
}

bool Automaton::is_same_wait(const Wait& expected, const Wait& got, const Comparison& how) const {
  const bool sleep = expected.kind == WaitKind::sleep;
  if (!sleep && expected.kind != WaitKind::message) return expected == got;
  if (expected.kind != got.kind) return false;
  const TimePoint wanted = sleep ? expected.until : expected.operation.until;
  const TimePoint until = sleep ? got.until : got.operation.until;
  if (wanted == until && how.later == Duration::zero()) return expected == got;
  if (!is_same_time(wanted, until, how.later)) return false;
  Wait same = got;
  same.until = expected.until;
  same.operation.until = expected.operation.until;
  return expected == same;
}

bool Automaton::are_same_marks(const std::vector<Mark>& expected,
                               const std::vector<Mark>& got,
                               const Comparison& how) const {
  return std::equal(expected.begin(), expected.end(), got.begin(), got.end(),
                    [&](const Mark& one, const Mark& other) {
                      Mark same = one;
                      same.subject = renamed(one.subject, how.permutation);
                      same.operation = renamed(one.operation, how.permutation);
                      if (one.kind == MarkKind::believes_until &&
                          is_same_time(one.until, other.until, how.later)) {
                        same.until = other.until;
                      }
                      return same == other;
                    });
}

// Where time has no end, both are counted from the present, and all times in the past are the same.
bool Automaton::is_same_time(TimePoint expected, TimePoint got, Duration later) const {
  if (!ageing_) return expected + later == got;
  const auto from_now = [&](TimePoint time, TimePoint now) {
    const Duration far = ageing_->apart * Ageing::for_ever;
    const bool is_far = time > now + far;
    return std::clamp(is_far ? far : time - now, Duration::zero(), far);
  };
  return from_now(expected, ageing_->present) == from_now(got, ageing_->present + later);
}

}  // namespace interlock::sim
