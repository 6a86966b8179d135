#include "steps.hpp"

#include <algorithm>
#include <utility>

#include "answers.hpp"
#include "mishaps.hpp"
#include "rules.hpp"

namespace interlock::sim::independent {
namespace {

// What happens without a new fault.
class Moves : private Answers {
 public:
  using Answers::Answers;

  std::vector<Step> all() {
    for (int client = 0; client < clients(); ++client) {
      if (process(client).status == Process::Status::not_started) start(client);
      for (int task = 0; task < 2; ++task) {
        if (could_move(client, task)) move(client, task);
      }
      late_requests(client);
    }
    if (!world_.over()) time_passes();
    return take();
  }

 private:
  void start(int client) {
    for (const Step& begun : begun_by(client)) {
      const bool asks = asks_first(process(begun.after, client));
      if (asks) {
        Step first = begun;
        first.kind = StepKind::operation;
        request(std::move(first), client, 0);
      }
      const bool matters = begun.reads_clock && clocks_may_change();
      if (!asks || matters || looks_between() || may_begin_again(world_)) emit(begun);
    }
  }

  void move(int client, int task) {
    const TaskState& mover = process(client).tasks[task];
    const Waiting& waiting = mover.waiting;
    Step step = draft(StepKind::wake, client);
    step.task = task;
    if (mover.held || mover.cut) {
      if (mover.awaits_break) return;
      step.kind = StepKind::deliver;
      change(step.after, client).tasks[task].held.reset();
      if (mover.cut) answer_now(step, client, task, Answer::error(in_doubt));
      if (mover.held) answer_now(std::move(step), client, task, *mover.held);
      return;
    }
    switch (waiting.what) {
      case Waiting::For::server:
        step.kind = StepKind::operation;
        request(std::move(step), client, task);
        break;
      case Waiting::For::message:
        hear(std::move(step), client, task);
        break;
      case Waiting::For::leave:
        step.kind = StepKind::leave;
        step.after.inside[lock_name(waiting.name)].erase(client);
        go_on(std::move(step), client, task, Answer(), looks_between());
        break;
      case Waiting::For::write: {
        step.kind = StepKind::write;
        step.applied = true;
        const bool accepted = note_write(step, trial_, client, waiting.name, waiting.fencing);
        answer(std::move(step), client, task, Answer::of(std::int64_t{accepted ? 1 : 0}));
        break;
      }
      default:
        go_on(std::move(step), client, task, Answer(), false);
    }
  }

  void hear(Step step, int client, int task) {
    const Subscription* const heard = heard_by(client, task);
    if (heard == nullptr) {
      go_on(std::move(step), client, task, Answer::error("no subscription"), false);
      return;
    }
    const int id = process(client).tasks[task].waiting.subscription;
    if (heard->pending && heard->broken) {
      Step cut_off = step;
      end_subscription(cut_off.after, client, id);
      answer(std::move(cut_off), client, task, Answer::error(unreachable));
    }
    const Answer told = Answer::of(std::int64_t{heard->pending ? 1 : 0});
    Subscription& mine = change(step.after, client).subscriptions[static_cast<std::size_t>(id)];
    mine.pending = false;
    mine.broken = false;
    go_on(std::move(step), client, task, told, false);
  }

  // The end of a wait that no server answers: nobody else learns of it. `is_shown`: a predicate may
  // see it before the client goes on.
  void go_on(Step step, int client, int task, const Answer& with, bool is_shown) {
    if (is_shown || grain_ == Grain::fine) hold(step, client, task, with);
    answer_now(std::move(step), client, task, with);
  }

  void late_requests(int client) {
    const std::vector<Request>& late = process(client).late;
    for (std::size_t at = 0; at < late.size(); ++at) {
      Step step = draft(StepKind::late, client);
      step.task = late[at].task;
      std::vector<Request>& left = change(step.after, client).late;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
      if (late[at].op == Op::write) {
        step.applied = true;
        note_write(step, trial_, client, std::stoi(late[at].key), std::stoull(late[at].value));
      } else {
        carry_out(step, client, late[at]);
      }
      emit(std::move(step));
    }
  }

  bool could_move(int client, int task) const {
    if (process(client).status != Process::Status::running) return false;
    const TaskState& mover = process(client).tasks[task];
    const Waiting& waiting = mover.waiting;
    if (mover.held) return true;
    const Clocks now = world_.clocks(trial_, client);
    switch (waiting.what) {
      case Waiting::For::nothing:
      case Waiting::For::tasks:
        return false;
      case Waiting::For::sleep:
        return waiting.until <= (waiting.wall ? now.wall : now.monotonic);
      case Waiting::For::message: {
        const Subscription* const heard = heard_by(client, task);
        return heard == nullptr || heard->pending || waiting.until <= now.monotonic;
      }
      default:
        return true;
    }
  }
  // A client that has not begun may begin at any instant.
  bool anybody_could_move() const {
    for (int client = 0; client < clients(); ++client) {
      if (could_move(client, 0) || could_move(client, 1)) return true;
    }
    return false;
  }

  void time_passes() {
    if (last_instant()) return;
    const bool paused = trial_.pauses_count && anybody_could_move();
    if (paused && !allows(Fault::pause)) return;
    Step later = paused ? draft(StepKind::fault, nobody, Fault::pause) : draft(StepKind::time);
    ++later.after.time;
    later.after.forget_expired(trial_);
    emit(std::move(later));
  }
};

}  // namespace

std::vector<Step> steps_from(const World& world, const Trial& trial, Grain grain) {
  std::vector<Step> all = Moves(world, trial, grain).all();
  for (Step& step : mishaps_in(world, trial, grain)) all.push_back(std::move(step));
  return all;
}

}  // namespace interlock::sim::independent
