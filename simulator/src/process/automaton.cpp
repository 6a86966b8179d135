#include "process/automaton.hpp"

#include <algorithm>

#include "base/widths.hpp"

namespace interlock::sim {
namespace {

constexpr int loop_heads_max = 100;

std::int64_t ticks(TimePoint time) {
  return time.time_since_epoch().count();
}

std::string encode(const std::vector<Mark>& marks) {
  Encoder out;
  for (const Mark& mark : marks) {
    out.number(static_cast<std::int64_t>(mark.kind)).text(mark.subject);
    out.number(static_cast<std::int64_t>(mark.fencing));
    out.number(ticks(mark.until)).number(static_cast<std::int64_t>(mark.by));
    out.text(mark.operation);
    out.number(mark.number ? 1 : 0).number(mark.number.value_or(0));
  }
  return out.take();
}

// Compares all but the times at which beliefs end.
bool are_alike(const std::vector<Mark>& some, const std::vector<Mark>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const Mark& one, const Mark& other) {
                      Mark same = other;
                      same.until = one.until;
                      return one == same;
                    });
}

}  // namespace

std::uint32_t Vocabulary::marks(std::vector<Mark> list) {
  std::string bytes = encode(list);
  return mark_lists.add(std::move(list), std::move(bytes)).first;
}

std::uint32_t Vocabulary::choices(std::vector<Choice> list) {
  Encoder out;
  for (const Choice& choice : list) {
    out.number(static_cast<std::int64_t>(choice.taken))
        .number(static_cast<std::int64_t>(choice.of));
  }
  return choice_lists.add(std::move(list), out.take()).first;
}

LiveProcess::Branches Vocabulary::branches(std::uint32_t choices) const {
  LiveProcess::Branches branches;
  for (const Choice& choice : choice_lists[choices]) branches.push_back(choice.taken);
  return branches;
}

Automaton::Automaton(const Program& program,
                     std::size_t index,
                     std::size_t servers,
                     std::uint32_t locals_max,
                     Vocabulary& vocabulary)
    : program_(program),
      index_(index),
      servers_(servers),
      locals_max_(locals_max),
      vocabulary_(vocabulary) {
  add_wait(Wait());
  locals_.resize(2);
}

Automaton::Local Automaton::beginning(Life life) {
  while (beginnings_.size() <= life) {
    LocalState begins;
    begins.life = static_cast<Life>(beginnings_.size());
    beginnings_.push_back(static_cast<Local>(locals_.size()));
    locals_.push_back(std::move(begins));
  }
  return beginnings_[life];
}

std::uint32_t Automaton::add_wait(Wait wait) {
  std::string bytes = encode(wait);
  return waits_.add(std::move(wait), std::move(bytes)).first;
}

const Automaton::LocalSteps& Automaton::step(Local local,
                                             std::uint8_t slot,
                                             std::uint32_t reply,
                                             ClockReading now) {
  const Question question(local, slot, reply);
  const auto known = steps_.find(question);
  if (known != steps_.end() && !known->second.reads_clock) return known->second;
  const TimedQuestion timed(local, slot, reply, ticks(now.monotonic), ticks(now.wall));
  if (known != steps_.end()) {
    const auto at = timed_steps_.find(timed);
    if (at != timed_steps_.end()) return at->second;
  }
  LocalSteps learned = learn(local, slot, reply, now);
  if (!learned.reads_clock) return steps_[question] = std::move(learned);
  steps_[question].reads_clock = true;
  return timed_steps_[timed] = std::move(learned);
}

Automaton::LocalSteps Automaton::learn(Local local,
                                       std::uint8_t slot,
                                       std::uint32_t reply,
                                       ClockReading now) {
  LocalSteps step;
  std::vector<LiveProcess::Branches> untried{{}};
  while (!untried.empty() && failure_.empty()) {
    Input input;
    input.slot = slot;
    input.reply = reply;
    input.clock = now;
    input.branches = std::move(untried.back());
    untried.pop_back();
    const std::size_t given = input.branches.size();
    const Ran ran = run_once(local, input);
    if (!failure_.empty()) break;
    step.reads_clock = step.reads_clock || ran.reads_clock;
    follow_loop_head(step, ran, now);
    if (failure_.empty() && !add_untried(untried, given, step, ran)) {
      blame(Mistake{"has more than " + std::to_string(Widths::branches) + " ways to go on",
                    "let it choose (Client::choose, TokenSource::below) among fewer; give a "
                    "sim::JitterAtItsEnds to production code that draws jitter"},
            local, slot);
    }
  }
  if (!failure_.empty()) step.results.clear();
  return step;
}

// A run takes the first branch of each choice for which it was given none; the other branches come
// next. False if there are too many.
bool Automaton::add_untried(std::vector<LiveProcess::Branches>& untried,
                            std::size_t given,
                            const LocalSteps& step,
                            const Ran& ran) const {
  const std::vector<Choice>& choices = vocabulary_.choice_lists[ran.result.choices];
  const LiveProcess::Branches taken = vocabulary_.branches(ran.result.choices);
  for (std::size_t at = choices.size(); at-- > given;) {
    const std::size_t known = step.results.size() + untried.size();
    if (known > Widths::branches || choices[at].of > Widths::branches) return false;
    for (std::uint64_t branch = choices[at].of; branch-- > 1;) {
      LiveProcess::Branches branches(taken.begin(),
                                     taken.begin() + static_cast<std::ptrdiff_t>(at));
      branches.push_back(branch);
      untried.push_back(std::move(branches));
    }
  }
  return step.results.size() + untried.size() <= Widths::branches;
}

// A loop head takes no step: what follows it belongs to the step that came to it.
void Automaton::follow_loop_head(LocalSteps& step, const Ran& ran, ClockReading now) {
  if (ran.result.local == done || !locals_[ran.result.local].loop_head) {
    step.results.push_back(ran.result);
    return;
  }
  const Local head = ran.result.local;
  const auto& waits = locals_[head].waits;
  const auto slot = static_cast<std::uint8_t>(
      std::find_if(waits.begin(), waits.end(), [](auto wait) { return wait != 0; }) -
      waits.begin());
  if (++loop_heads_in_a_row_ > loop_heads_max && failure_.empty()) {
    failure_ = "client " + client_name(index_) +
               " passes one loop head after another and never waits for anything in between: let "
               "each round take a step";
  }
  if (!failure_.empty()) return;
  const LocalSteps& after = this->step(head, slot, vocabulary_.reply(Value()), now);
  --loop_heads_in_a_row_;
  step.reads_clock = step.reads_clock || after.reads_clock;
  for (const LocalStep& result : after.results) {
    std::vector<Mark> marks = vocabulary_.mark_lists[ran.result.marks];
    const std::vector<Mark>& more = vocabulary_.mark_lists[result.marks];
    marks.insert(marks.end(), more.begin(), more.end());
    std::vector<Choice> choices = vocabulary_.choice_lists[ran.result.choices];
    const std::vector<Choice>& further = vocabulary_.choice_lists[result.choices];
    choices.insert(choices.end(), further.begin(), further.end());
    step.results.push_back(LocalStep{result.local, vocabulary_.marks(std::move(marks)),
                                     vocabulary_.choices(std::move(choices))});
  }
}

Automaton::Ran Automaton::run_once(Local local, const Input& input) {
  Ran ran{};
  LiveProcess process(program_, index_, servers_);
  process.begin_life(locals_[local].life);
  ++runs_;
  if (!replay(process, path(local))) return ran;
  feed(process, input);
  if (is_mistaken(process, local, input.slot)) return ran;
  const LiveProcess::StepRecord& step = process.last_step();
  cuts_jitter_ = cuts_jitter_ || step.cut_jitter;

  Input seen = input;
  ran.result.choices = vocabulary_.choices(step.choices);
  seen.branches = vocabulary_.branches(ran.result.choices);
  if (!step.read_monotonic) seen.clock.monotonic = TimePoint{};
  if (!step.read_wall) seen.clock.wall = TimePoint{};
  ran.reads_clock = step.read_monotonic || step.read_wall;
  ran.result.marks = vocabulary_.marks(step.marks);
  ran.result.local = intern(process, local, seen);
  is_mistaken(process, local, input.slot);  // by asking it what it remembers
  return ran;
}

void Automaton::feed(LiveProcess& process, const Input& input) const {
  if (input.slot == start_slot) {
    process.start(input.clock, input.branches);
  } else {
    process.answer(input.slot, vocabulary_.replies[input.reply], input.clock, input.branches);
  }
}

Automaton::Local Automaton::intern(LiveProcess& process, Local parent, const Input& input) {
  if (process.done()) return done;
  LocalState state;
  state.parent = parent;
  state.input = input;
  state.steps = locals_[parent].steps + 1;
  state.life = locals_[parent].life;
  for (Wait& wait : process.waits()) {
    state.lines.push_back(process.line_of(state.waits.size()));
    state.waits.push_back(add_wait(std::move(wait)));
  }
  state.marks = vocabulary_.marks(process.last_step().marks);
  state.choices = vocabulary_.choices(process.last_step().choices);
  const auto in_use =
      std::count_if(state.waits.begin(), state.waits.end(), [](auto wait) { return wait != 0; });
  state.loop_head = in_use == 1 && std::any_of(state.waits.begin(), state.waits.end(), [&](auto w) {
                      return waits_[w].kind == WaitKind::loop_head;
                    });
  if (process.has_memory()) state.memory = process.memory();
  if (!state.memory.empty()) {
    for (const std::uint32_t wait : state.waits) {
      state.mentions |= sim::mentions(waits_[wait].operation) & ~(1U << index_);
    }
  } else if (!state.loop_head) {
    state.mentions = locals_[parent].mentions;
    if (input.slot != start_slot) {
      state.mentions |= sim::mentions(vocabulary_.replies[input.reply]) & ~(1U << index_);
    }
  }

  Encoder identity;
  const bool stands_for_more = state.loop_head || !state.memory.empty();
  identity.number(stands_for_more ? 1 : 0);
  if (stands_for_more) {
    identity.number(state.life).text(state.memory);
    for (const std::uint32_t wait : state.waits) identity.number(wait);
  } else {
    identity.number(parent).number(input.slot).number(input.reply);
    identity.number(ticks(input.clock.monotonic)).number(ticks(input.clock.wall));
    for (const std::uint64_t branch : input.branches) {
      identity.number(static_cast<std::int64_t>(branch));
    }
  }
  const auto next = static_cast<Local>(locals_.size());
  const auto [at, added] = known_.emplace(identity.take(), next);
  if (added) {
    longest_ = std::max(longest_, state.steps);
    locals_.push_back(std::move(state));
    too_large_ = too_large_ || locals_.size() > locals_max_;
  } else {
    merges_at_loop_heads_ = merges_at_loop_heads_ || state.loop_head;
    merges_in_memory_ = merges_in_memory_ || !state.memory.empty();
  }
  return at->second;
}

std::vector<Automaton::Local> Automaton::path(Local local) const {
  std::vector<Local> path;
  for (Local at = local; !is_beginning(at); at = locals_[at].parent) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

bool Automaton::replay(LiveProcess& process, const std::vector<Local>& path) {
  for (std::size_t at = 0; at < path.size(); ++at) {
    feed(process, locals_[path[at]].input);
    const std::string what = difference(process, path[at]);
    if (!what.empty()) {
      fail(at + 1, what);
      return false;
    }
  }
  return true;
}

bool Automaton::is_mistaken(const LiveProcess& process, Local local, std::uint8_t slot) {
  if (!process.mistake()) return false;
  blame(*process.mistake(), local, slot);
  return true;
}

// In the step that follows the answer to a slot of `local`.
void Automaton::blame(const Mistake& mistake, Local local, std::uint8_t slot) {
  if (!failure_.empty()) return;
  const std::string when = slot == start_slot
                               ? "when it starts"
                               : "after " + describe(waits_[locals_[local].waits[slot]]);
  failure_ = "client " + client_name(index_) + " " + mistake.what + ", " + when + ": " +
             mistake.what_to_do;
}

void Automaton::fail(std::size_t step, const std::string& what) {
  if (!failure_.empty()) return;
  failure_ = "client " + client_name(index_) + " is not deterministic: at step " +
             std::to_string(step) + " of a repeated run: " + what +
             ": take time, chance and all state that lasts from sim::Client only";
}

Automaton::Local Automaton::rename(Local local, const Permutation& permutation) {
  if (local <= done || locals_[local].mentions == 0) return local;
  const Local parent = rename(locals_[local].parent, permutation);
  // A step that could not be repeated leads nowhere.
  if (!failure_.empty()) return local;
  const Input input = locals_[local].input;
  const std::uint32_t reply =
      vocabulary_.reply(renamed(vocabulary_.replies[input.reply], permutation));
  // Run again rather than looked up: among the results this is the one with the same choices.
  Input again = input;
  again.reply = reply;
  const Ran ran = run_once(parent, again);
  if (!failure_.empty()) return local;
  check_renamed(local, ran, permutation);
  return ran.result.local;
}

// Under other names the program must do the same, with the other clients renamed in its requests.
void Automaton::check_renamed(Local before, const Ran& after, const Permutation& permutation) {
  const std::vector<std::uint32_t>& was = locals_[before].waits;
  const std::vector<std::uint32_t>& is = locals_[after.result.local].waits;
  Comparison how;
  how.permutation = permutation;
  const bool same = was.size() == is.size() &&
                    std::equal(was.begin(), was.end(), is.begin(),
                               [&](auto one, auto other) {
                                 return renamed(waits_[one], permutation) == waits_[other];
                               }) &&
                    are_same_marks(vocabulary_.mark_lists[locals_[before].marks],
                                   vocabulary_.mark_lists[after.result.marks], how) &&
                    locals_[before].choices == after.result.choices;
  if (same) return;
  failure_ = "client " + client_name(index_) +
             " tells the others apart: under other names for them it does not do the same: compare "
             "owner tokens for equality only and use no part of them alone, or add each client by "
             "itself with Scenario::client";
}

Automaton::Moved Automaton::moved_back(const std::vector<Local>& path) const {
  Moved moved;
  for (const Local step : path) {
    const ClockReading& clock = locals_[step].input.clock;
    for (const TimePoint time : {clock.monotonic, clock.wall}) {
      if (time != TimePoint()) moved[time] = time - ageing_->apart;
    }
  }
  // Goes from the present backwards, and keeps each gap as it was, unless it has become too long to
  // matter.
  const Duration most = ageing_->longest->most() + ageing_->apart;
  TimePoint next = ageing_->present + ageing_->apart;
  TimePoint next_moved = ageing_->present;
  for (auto at = moved.rbegin(); at != moved.rend(); ++at) {
    if (at->first > ageing_->present) continue;
    at->second = next_moved - std::min(next - at->first, most);
    next = at->first;
    next_moved = at->second;
  }
  return moved;
}

Automaton::Local Automaton::aged(Local local) {
  if (local == done || is_beginning(local) || !failure_.empty()) return local;
  if (const auto known = aged_.find(local); known != aged_.end()) return known->second;
  const std::vector<Local> steps = path(local);
  const Moved moved = moved_back(steps);
  Local result = beginning_of(local);
  for (const Local step : steps) {
    Input input = locals_[step].input;
    for (TimePoint* time : {&input.clock.monotonic, &input.clock.wall}) {
      if (*time != TimePoint()) *time = moved.at(*time);
    }
    const Ran ran = run_once(result, input);
    if (!failure_.empty()) return local;
    result = ran.result.local;
    const std::vector<Mark>& marks = vocabulary_.mark_lists[locals_[step].marks];
    const bool same = result != done && ran.result.choices == locals_[step].choices &&
                      are_alike(marks, vocabulary_.mark_lists[ran.result.marks]);
    if (!same) {
      break_promise(locals_[step].parent, input.slot);
      return local;
    }
  }
  check_aged(local, result, moved);
  aged_[local] = result;
  return result;
}

// The process waits for the same, and as long.
void Automaton::check_aged(Local before, Local after, const Moved& moved) {
  const auto later = [&](const Wait& wait, TimePoint time) {
    auto at = moved.upper_bound(time);
    if (at == moved.begin()) return time;
    --at;
    const Duration length = time - at->first;
    if (length > ageing_->apart * Ageing::for_ever) return time;
    ageing_->longest->see(length,
                          [&] { return "client " + client_name(index_) + "'s " + describe(wait); });
    return at->second + length;
  };
  const std::vector<std::uint32_t>& one = locals_[before].waits;
  const std::vector<std::uint32_t>& other = locals_[after].waits;
  for (std::size_t slot = 0; slot < std::max(one.size(), other.size()); ++slot) {
    Wait expected = waits_[slot < one.size() ? one[slot] : 0];
    const Wait& asked = waits_[slot < other.size() ? other[slot] : 0];
    if (expected.kind == WaitKind::sleep) expected.until = later(expected, expected.until);
    if (expected.kind == WaitKind::message) {
      expected.operation.until = later(expected, expected.operation.until);
    }
    if (expected != asked) break_promise(before, static_cast<std::uint8_t>(slot));
  }
}

void Automaton::break_promise(Local local, std::uint8_t slot) {
  if (!broken_promise_.empty()) return;
  const std::vector<std::uint32_t>& waits = locals_[local].waits;
  const std::string where = slot < waits.size() ? describe(waits_[waits[slot]]) : "how it starts";
  broken_promise_ = "time has no end, and client " + client_name(index_) +
                    " needs more of its clock than how much time has passed: " + where +
                    " depends on what time it is, so that no state comes back: give a number of "
                    "instants, for example 5";
}

}  // namespace interlock::sim
