#include "process/live_process.hpp"

#include <algorithm>

#include "base/widths.hpp"
#include "interlock/detail/assert.hpp"
#include "process/thrown.hpp"

namespace interlock::sim {
namespace {

constexpr std::int64_t not_known_yet = -1;

}  // namespace

LiveProcess::LiveProcess(const Program& program,
                         std::size_t index,
                         std::size_t servers,
                         LoopHeads loop_heads)
    : index_(index), program_(program), loop_heads_(loop_heads) {
  for (std::size_t i = 0; i < servers; ++i)
    stores_.push_back(std::make_unique<SimulatedStore>(*this, i));
}

LiveProcess::~LiveProcess() {
  // Tasks use objects in the frame of the main task.
  while (!spawned_.empty()) spawned_.pop_back();
  main_.reset();
  // These slots wait in tasks that the program has given to another client.
  for (const Slot& slot : slots_) {
    if (slot.pending != nullptr) slot.pending->observed_by(nullptr);
  }
}

std::vector<Wait> LiveProcess::waits() const {
  std::vector<Wait> waits;
  for (const Slot& slot : slots_) waits.push_back(slot.wait);
  while (!waits.empty() && waits.back().kind == WaitKind::nothing) waits.pop_back();
  return waits;
}

std::vector<TaskLine> LiveProcess::lines() const {
  std::vector<TaskLine> lines;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const detail::SourceLine line = line_of(slot);
    if (line.file == nullptr) continue;
    lines.push_back(TaskLine{slots_[slot].wait.task, line.file, line.number});
  }
  return lines;
}

detail::SourceLine LiveProcess::line_of(std::size_t slot) const {
  const detail::Pending* const pending = slots_[slot].pending;
  return pending == nullptr ? detail::SourceLine() : pending->line();
}

bool LiveProcess::done() const {
  return main_ && main_->done() && spawned_done();
}

bool LiveProcess::spawned_done() const {
  return std::all_of(spawned_.begin(), spawned_.end(),
                     [](const auto& task) { return task.second.done(); });
}

void LiveProcess::begin_step(ClockReading now, Branches branches) {
  now_ = now;
  branches_ = std::move(branches);
  step_ = StepRecord();
  answers_at_once_ = 0;
  forget_read_times();
}

void LiveProcess::blame(std::string what, std::string what_to_do) {
  if (!mistake_) mistake_ = Mistake{std::move(what), std::move(what_to_do)};
}

void LiveProcess::make(ClockReading now) {
  begin_step(now, {});
  make();
}

void LiveProcess::make() {
  is_made_ = true;
  if (program_) main_ = begin(program_, *this, thrown_when_made_);
}

void LiveProcess::start(ClockReading now, Branches branches) {
  if (!is_made_) {
    begin_step(now, std::move(branches));
    make();
  }
  if (!program_) {
    blame("has no program", "give Scenario::client one");
  } else if (!main_) {
    blame_for_throwing("", thrown_when_made_);
  } else {
    main_->start();
    run_until_quiet();
  }
}

void LiveProcess::answer(std::size_t slot, Reply with, ClockReading now, Branches branches) {
  begin_step(now, std::move(branches));
  // It may have ended where it went on when it was learned; the first mistake counts.
  if (mistake_) return;
  INTERLOCK_ASSERT(slot < slots_.size());
  Slot answered = std::move(slots_[slot]);
  slots_[slot] = Slot();
  note_answer(answered, with);
  resume(std::move(answered), std::move(with));
  run_until_quiet();
}

void LiveProcess::note_answer(const Slot& slot, const Reply& reply) {
  if (slot.wait.kind != WaitKind::operation && slot.wait.kind != WaitKind::message) return;
  const OperationKind kind = slot.wait.operation.kind;
  if (!reply) {
    Encoder error;
    error.number(static_cast<int>(kind)).text(slot.wait.task);
    error.number(static_cast<int>(reply.error().code()));
    errors_ += error.take();
    error_is_new_ = true;
  } else if (kind == OperationKind::subscribe) {
    ++subscriptions_;
  } else if (kind == OperationKind::unsubscribe) {
    --subscriptions_;
  }
}

std::string LiveProcess::memory() {
  Encoder out;
  out.text(errors_).number(subscriptions_).number(static_cast<std::int64_t>(tokens_.drawn()));
  for (const SubscriptionId id : interrupted_) out.number(id);
  for (const Slot& slot : slots_) {
    if (slot.wait.kind != WaitKind::nothing) out.number(slot.since);
  }
  std::string thrown;
  for (const std::int64_t value : ask(memory_, thrown)) out.number(value);
  if (!thrown.empty()) blame_for_throwing("remembers by a function that ", thrown);
  return out.take();
}

void LiveProcess::remembers(std::function<std::vector<std::int64_t>()> memory) {
  memory_ = std::move(memory);
}

void LiveProcess::resume(Slot slot, Reply reply) {
  if (slot.pending == nullptr) return;  // gone meanwhile
  slot.pending->observed_by(nullptr);
  task_ = slot.wait.task;
  if (slot.operation != nullptr) {
    slot.operation->complete(std::move(reply));
  } else if (slot.sleep != nullptr) {
    slot.sleep->resume();
  } else {
    const auto* number = reply ? reply->number() : nullptr;
    // Only a write may get no answer.
    slot.step->complete(number != nullptr ? *number : reply ? 0 : WriteAnswer::missing);
  }
}

// A wait that began in this step may have been computed from any clock that the step has read.
void LiveProcess::note_times() {
  if (error_is_new_) {
    Encoder time;
    errors_ += time.number(time_read_in_step()).take();
    error_is_new_ = false;
  }
  for (Slot& slot : slots_) {
    if (slot.wait.kind == WaitKind::nothing || slot.since != not_known_yet) continue;
    slot.since = time_read_in_step();
  }
}

// Clocks that were not read do not count: a repeated run may show others there.
std::int64_t LiveProcess::time_read_in_step() const {
  std::int64_t time = 0;
  if (time_read_.monotonic) time += now_.monotonic.time_since_epoch().count() + 1;
  if (time_read_.wall) time ^= now_.wall.time_since_epoch().count() << 1;
  return time;
}

void LiveProcess::forget_read_times() {
  time_read_ = TimeRead();
}

void LiveProcess::run_until_quiet() {
  for (;;) {
    if (!ready_.empty()) {
      Ready next = std::move(ready_.front());
      ready_.pop_front();
      resume(std::move(next.slot), std::move(next.reply));
      continue;
    }
    note_times();
    Slot* local = spawned_done() ? find(WaitKind::joined) : nullptr;
    // With other tasks alive a loop head cannot cut the past off: theirs still counts.
    const bool others_are_alive = slots_in_use() > 1;
    const bool through = loop_heads_ == LoopHeads::run_through || others_are_alive;
    if (local == nullptr && through) {
      local = find(WaitKind::loop_head);
      // In a run that stops at loop heads, a step ends here, and the next has read no clock yet.
      if (local != nullptr && !others_are_alive) forget_read_times();
    }
    check_that_nothing_was_thrown();
    if (local == nullptr) return check_that_it_can_go_on();
    if (goes_round()) return;
    Slot finished = std::move(*local);
    *local = Slot();
    resume(std::move(finished), Value());
  }
}

void LiveProcess::blame_for_throwing(const std::string& who, const std::string& what) {
  blame(who + "ended with an exception: " + what,
        "catch it inside the program; what stores answer is no exception, but a Result");
}

void LiveProcess::check_that_nothing_was_thrown() {
  for (const auto& [name, task] : spawned_) {
    if (!task.done() || !task.thrown()) continue;
    blame_for_throwing("has a task '" + name + "' that ", text_of(task.thrown()));
  }
  if (main_->done() && main_->thrown()) blame_for_throwing("", text_of(main_->thrown()));
}

// The process asks again and again for answers that come at once, and time stands still meanwhile.
// Its last request gets no answer, so that the step ends.
bool LiveProcess::goes_round() {
  constexpr int answers_at_once_max = 10'000;
  if (++answers_at_once_ <= answers_at_once_max) return false;
  blame("goes on " + std::to_string(answers_at_once_max) +
            " times in one step, because all that it awaits is over already",
        "no time passes inside a step: let each round of its loop await something that is still to "
        "come, such as a later instant");
  return true;
}

// Everything that the process waits for must come from the simulator, or from another of its tasks,
// which then waits for the simulator.
void LiveProcess::check_that_it_can_go_on() {
  const bool waits = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.wait.kind != WaitKind::nothing && slot.wait.kind != WaitKind::joined;
  });
  if (waits || done()) return;
  const auto joining = std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.wait.kind == WaitKind::joined;
  });
  if (joining > (main_->done() ? 0 : 1)) {
    return blame("awaits joined() in a task that it has spawned, and which waits for itself so",
                 "await joined() in the main task alone");
  }
  blame("waits for something that is not the simulator's",
        "let it await nothing but its stores, its clocks and the steps of sim::Client; if it does, "
        "GCC 12 has compiled one of its coroutines to nothing: give what that awaits in the "
        "condition of an if or switch a name first");
}

LiveProcess::Slot* LiveProcess::find(WaitKind kind) {
  const auto at = std::find_if(slots_.begin(), slots_.end(),
                               [kind](const Slot& slot) { return slot.wait.kind == kind; });
  return at == slots_.end() ? nullptr : &*at;
}

LiveProcess::Slot& LiveProcess::take_slot(detail::Pending& pending) {
  Slot* slot = find(WaitKind::nothing);
  if (slot == nullptr) {
    if (slots_.size() < Widths::tasks) {
      slot = &slots_.emplace_back();
    } else {
      blame("has more than " + std::to_string(Widths::tasks) + " tasks that wait at the same time",
            "spawn fewer, or let some end before others begin");
      slot = &one_too_many_;
      *slot = Slot();
    }
  }
  slot->wait.task = task_;
  slot->since = not_known_yet;
  slot->pending = &pending;
  pending.observed_by(this);
  return *slot;
}

// The search would take it for a wait without end, which is a deadlock.
void LiveProcess::check_end(const Slot& slot, TimePoint until, TimePoint now) {
  if (until > TimePoint::max() - century || until - now <= century) return;
  blame("waits for more than a century (" + describe(slot.wait) + ")",
        "let it wait for less, or until TimePoint::max(), which is for ever");
}

// A task was destroyed while it waited, or went on by itself.
void LiveProcess::gone(const detail::Pending& pending) noexcept {
  const auto let_go = [&](Slot& slot) {
    if (slot.pending != &pending) return;
    blame("lets a task go while it waits (" + describe(slot.wait) + ")",
          "await each task once, and keep it until it is done; what runs besides the main task is "
          "for Client::spawn, and Client::joined waits for it");
    slot = Slot();
  };
  std::for_each(slots_.begin(), slots_.end(), let_go);
  for (Ready& ready : ready_) let_go(ready.slot);
}

std::size_t LiveProcess::slots_in_use() const {
  return static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.wait.kind != WaitKind::nothing;
  }));
}

KeyValueStore& LiveProcess::store(std::size_t server) {
  if (server < stores_.size()) return *stores_[server];
  const std::string count = std::to_string(stores_.size());
  blame("asks for store(" + std::to_string(server) + "), and the scenario has " + count +
            (stores_.size() == 1 ? " server" : " servers"),
        "they are counted from 0; add servers with Scenario::servers");
  return *stores_.front();
}

Submitted LiveProcess::SimulatedStore::submit(PendingOperation& pending) {
  return process_.submit_to(index_, pending);
}

Submitted LiveProcess::submit_to(std::size_t server, PendingOperation& pending) {
  const Operation& operation = pending.operation();
  if (operation.kind == OperationKind::interrupt) return interrupt(pending);
  const bool message = operation.kind == OperationKind::await_message;
  if (message) {
    const auto at = std::find(interrupted_.begin(), interrupted_.end(), operation.subscription);
    if (at != interrupted_.end()) {
      if (goes_round()) return Submitted::pending;
      interrupted_.erase(at);
      pending.complete(Value(std::int64_t{0}));
      return Submitted::completed;
    }
  }
  Slot& slot = take_slot(pending);
  slot.wait.kind = message ? WaitKind::message : WaitKind::operation;
  slot.wait.operation = operation;
  slot.wait.server = server;
  slot.operation = &pending;
  if (message) check_end(slot, operation.until, now_.monotonic);
  return Submitted::pending;
}

Submitted LiveProcess::interrupt(PendingOperation& pending) {
  if (goes_round()) return Submitted::pending;
  const SubscriptionId subscription = pending.operation().subscription;
  const auto waiting = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.wait.kind == WaitKind::message && slot.wait.operation.subscription == subscription;
  });
  if (waiting == slots_.end()) {
    interrupted_.push_back(subscription);
  } else {
    ready_.push_back(Ready{std::move(*waiting), Value(std::int64_t{0})});
    *waiting = Slot();
  }
  pending.complete(Value());
  return Submitted::completed;
}

void LiveProcess::submit(PendingStep& step) {
  Slot& slot = take_slot(step);
  switch (step.kind) {
    case PendingStepKind::leave:
      slot.wait.kind = WaitKind::leave;
      leave(step.subject);
      break;
    case PendingStepKind::write:
      slot.wait.kind = WaitKind::write;
      break;
    case PendingStepKind::loop_head:
      slot.wait.kind = WaitKind::loop_head;
      break;
    case PendingStepKind::joined:
      slot.wait.kind = WaitKind::joined;
      break;
  }
  slot.wait.subject = step.subject;
  slot.wait.fencing = step.fencing;
  slot.wait.live = step.live;
  // The number of the next token is part of the state, too; a loop head cannot discard it.
  if (slot.wait.kind == WaitKind::loop_head) {
    slot.wait.live.push_back(static_cast<std::int64_t>(tokens_.drawn()));
  }
  slot.step = &step;
}

TimePoint LiveProcess::Clock::now() {
  (wall_ ? process_.step_.read_wall : process_.step_.read_monotonic) = true;
  (wall_ ? process_.time_read_.wall : process_.time_read_.monotonic) = true;
  return wall_ ? process_.now_.wall : process_.now_.monotonic;
}

bool LiveProcess::Clock::park(PendingSleep& sleep) {
  if (sleep.until() <= now()) return process_.goes_round();
  Slot& slot = process_.take_slot(sleep);
  slot.wait.kind = WaitKind::sleep;
  slot.wait.wall = wall_;
  slot.wait.until = sleep.until();
  slot.sleep = &sleep;
  process_.check_end(slot, sleep.until(), now());
  return true;
}

void LiveProcess::wake(PendingSleep& sleep) {
  for (Slot& slot : slots_) {
    if (slot.sleep != &sleep) continue;
    ready_.push_back(Ready{std::move(slot), Value()});
    slot = Slot();
    return;
  }
}

OwnerToken LiveProcess::SimulatedTokens::fresh() {
  return OwnerToken(token_text(process_.index_, ++drawn_, process_.life_));
}

std::uint64_t LiveProcess::choose(std::uint64_t bound) {
  if (bound == 0) {
    blame("chooses among no numbers at all",
          "give Client::choose and TokenSource::below a bound of at least 1");
    return 0;
  }
  const std::size_t at = step_.choices.size();
  if (at == Widths::branches) {
    blame("chooses more than " + std::to_string(Widths::branches) + " times in one step",
          "let it wait for something in between");
    return bound - 1;  // and not the first again, on which it may go round for ever
  }
  const std::uint64_t taken = at < branches_.size() ? std::min(branches_[at], bound - 1) : 0;
  step_.choices.push_back(Choice{taken, bound});
  return taken;
}

void LiveProcess::spawn(std::string name, Task<void> task) {
  const std::string spawner = std::exchange(task_, name);
  spawned_.emplace_back(std::move(name), std::move(task));
  // Started in place: what it asks for first is asked for now. Not by reference: it may spawn.
  const std::size_t at = spawned_.size() - 1;
  spawned_[at].second.start();
  task_ = spawner;
}

void LiveProcess::leave(const std::string& lock) {
  for (auto& [name, times] : entered_) {
    if (name == lock && times-- > 0) return;
  }
  blame("leaves " + lock + " without having entered it", "call Client::enter first");
}

void LiveProcess::enter(std::string lock, FencingToken fencing) {
  const auto at = std::find_if(entered_.begin(), entered_.end(),
                               [&](const auto& section) { return section.first == lock; });
  if (at == entered_.end()) {
    entered_.emplace_back(lock, 1);
  } else {
    ++at->second;
  }
  step_.marks.emplace_back(MarkKind::enter, std::move(lock), fencing.value());
}

void LiveProcess::believes_until(std::string lock, TimePoint until, OwnClock by) {
  step_.marks.emplace_back(std::move(lock), until, by);
}

void LiveProcess::wants(std::string lock) {
  step_.marks.emplace_back(MarkKind::wants, std::move(lock), 0);
}

void LiveProcess::gives_up(std::string lock) {
  step_.marks.emplace_back(MarkKind::gives_up, std::move(lock), 0);
}

void LiveProcess::reach(std::string event, bool happened) {
  step_.marks.emplace_back(MarkKind::told, std::move(event), happened ? 1 : 0);
}

void LiveProcess::note(std::string ghost, std::int64_t value) {
  step_.marks.emplace_back(MarkKind::ghost, std::move(ghost), static_cast<std::uint64_t>(value));
}

}  // namespace interlock::sim
