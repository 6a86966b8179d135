#include "run/expected_steps.hpp"

#include <algorithm>

#include "interlock/sim/fault_text.hpp"
#include "run/look_around.hpp"

namespace interlock::sim {
namespace {

bool is_own_step(Action action) {
  const bool moves = action.is(ActionKind::move) || action.is(ActionKind::start);
  return moves && !action.late();
}

// A client's start may be a step with its first request, whose slot the step then has.
std::size_t task_slot(Action action) {
  const bool starts = action.is(ActionKind::start) || action.start_branch();
  return starts ? std::size_t{Automaton::start_slot} : action.slot();
}

class ExpectedSteps {
 public:
  ExpectedSteps(Engine& engine, const WideState& state) : engine_(engine), state_(state) {
    ActionExpander expander(engine, seen_);
    expander.ordinary(state);
    expander.faulty(state);
  }

  std::vector<ExpectedStep> all() {
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      own_steps(client);
      late_requests(client);
    }
    add(ExpectedStep(), [](Action action) { return action.is(ActionKind::time); });
    for (const FaultKind& kind : fault_table) fault(kind);
    return std::move(steps_);
  }

 private:
  // Steps whose actions `is` names, possible or refused.
  template <class Is>
  void add(ExpectedStep step, Is is) {
    const Refusal* refusal = nullptr;
    for (const Action action : seen_.possible) {
      if (is(action)) step.codes.push_back(action.code());
    }
    for (const Refusal& one : seen_.refused) {
      if (is(one.step) && (refusal == nullptr || one.why > refusal->why)) refusal = &one;
    }
    if (step.codes.empty() && refusal != nullptr) step.why_not = words(step, *refusal);
    steps_.push_back(std::move(step));
  }

  void own_steps(std::size_t client) {
    std::vector<std::size_t> slots;
    const auto note = [&](Action action) {
      if (!is_own_step(action) || action.actor() != client) return;
      const std::size_t slot = task_slot(action);
      if (std::find(slots.begin(), slots.end(), slot) == slots.end()) slots.push_back(slot);
    };
    for (const Action action : seen_.possible) note(action);
    for (const Refusal& refusal : seen_.refused) note(refusal.step);
    std::sort(slots.begin(), slots.end());
    for (const std::size_t slot : slots) {
      ExpectedStep step;
      step.client = client;
      step.task = task_name(client, slot);
      add(std::move(step), [&](Action action) {
        return is_own_step(action) && action.actor() == client && task_slot(action) == slot;
      });
    }
  }

  // None of a client that has not started, or has ended.
  std::string task_name(std::size_t client, std::size_t slot) const {
    const ProcessTable& table = engine_.process(client);
    const auto& waits = table.automaton().waits(table.local(state_[client]));
    return slot < waits.size() ? table.wait(waits[slot]).task : std::string();
  }

  // There is nothing to expect of a client that has left none behind.
  void late_requests(std::size_t client) {
    ExpectedStep step;
    step.client = client;
    step.late = true;
    add(std::move(step), [&](Action action) {
      return action.is(ActionKind::move) && action.late() && action.actor() == client;
    });
    if (!steps_.back().is_possible()) steps_.pop_back();
  }

  void fault(const FaultKind& kind) {
    ExpectedStep step;
    step.fault = kind.fault;
    const auto add_one = [&](std::size_t actor, bool is_about_server) {
      add(step, [&](Action action) {
        return action.fault() == kind.fault && action.actor() == actor &&
               action.is_about_server() == is_about_server;
      });
    };
    if (kind.target == FaultTarget::world) return add_one(0, false);
    if (kind.target != FaultTarget::server) {
      for (std::size_t client = 0; client < engine_.clients(); ++client) {
        step.client = client;
        add_one(client, false);
      }
    }
    step.client.reset();
    if (kind.target != FaultTarget::server && kind.target != FaultTarget::clock) return;
    for (std::size_t server = 0; server < engine_.servers(); ++server) {
      step.server = server;
      add_one(server, true);
    }
  }

  // --- in words ----------------------------------------------------------------------------------
  std::string words(const ExpectedStep& step, const Refusal& refusal) const {
    const bool of_client = step.client && step.fault && is_about_client(refusal.why);
    const std::string who =
        of_client ? engine_.scenario().processes()[*step.client].name + " " : std::string();
    return who + words_of(refusal);
  }
  static bool is_about_client(Obstacle why) {
    return why >= Obstacle::no_write && why <= Obstacle::has_crashed &&
           why != Obstacle::nobody_listens;
  }

  std::string words_of(const Refusal& refusal) const {
    switch (refusal.why) {
      case Obstacle::none:
        break;
      case Obstacle::no_write:
        return "writes to no protected resource now";
      case Obstacle::no_request:
        return "asks the store for nothing now";
      case Obstacle::request_is_sent:
        return "has sent its request, which was carried out: only the answer is still to come";
      case Obstacle::no_answer_to_lose:
        return "subscribes, unsubscribes or waits for a message now: this happens to other "
               "requests only";
      case Obstacle::sends_no_message:
        return "sends no message by its request";
      case Obstacle::nobody_listens:
        return "no client has subscribed";
      case Obstacle::starts_apart:
        return "starts in a step of its own, and asks for something after it";
      case Obstacle::sleeps:
        return "sleeps: time must pass first" + time_left(refusal);
      case Obstacle::no_message:
        return "waits for a message: somebody must send one" +
               (refusal.instants == Refusal::for_ever ? std::string()
                                                      : ", or time must pass" + time_left(refusal));
      case Obstacle::break_to_come:
        return "waits for an answer that is lost: it learns that when the connection breaks";
      case Obstacle::not_started:
        return "has not started";
      case Obstacle::awaits_own_tasks:
        return "waits for its own tasks";
      case Obstacle::is_done:
        return "is done: its program has ended";
      case Obstacle::has_crashed:
        return "has crashed and will never move again";
      case Obstacle::no_keys:
        return "there is no key to drop";
      default:
        return words_of_world(refusal.why);
    }
    return {};
  }

  std::string words_of_world(Obstacle why) const {
    switch (why) {
      case Obstacle::somebody_could_move:
        return "time passes only when nobody can move: a pause of a client that could is a fault";
      case Obstacle::nobody_could_move:
        return "nobody could move: if time passes, that is no pause";
      case Obstacle::time_ends:
        return time_ends();
      case Obstacle::all_are_done:
        return "everybody is done";
      case Obstacle::kept_for_break:
        return "what is left of the faults is kept for a connection that is still to break: " +
               allowed() + " was allowed";
      case Obstacle::faults_used_up:
        return "no fault is left: " + allowed() + " was allowed";
      case Obstacle::kind_used_up:
        return "none of this kind is left: " + allowed() + " was allowed";
      case Obstacle::not_allowed:
        return engine_.scenario().faults().total() == 0
                   ? "no fault is allowed in this scenario"
                   : "not among the faults of this scenario, which are " + allowed();
      case Obstacle::pauses_are_free:
        return "clients may be slow at any moment here: time passes without a fault";
      default:
        break;
    }
    return {};
  }

  // With blanks, so that a long list can be broken into lines.
  std::string allowed() const {
    std::string text;
    for (const char letter : to_text(engine_.scenario().faults())) {
      text += letter;
      if (letter == ',') text += ' ';
    }
    return text;
  }
  std::string time_left(const Refusal& refusal) const {
    if (refusal.instants == Refusal::for_ever) return ", but more than this scenario has";
    const Duration left = engine_.scenario().apart() * refusal.instants;
    return ", " + std::to_string(std::chrono::duration_cast<milliseconds>(left).count()) + " ms";
  }
  std::string time_ends() const {
    const std::size_t instants = engine_.scenario().instants();
    return instants == 1
               ? "time stands still in this scenario"
               : "time ends here: this scenario has " + std::to_string(instants) + " instants";
  }

  Engine& engine_;
  const WideState& state_;
  LookAround seen_;
  std::vector<ExpectedStep> steps_;
};

}  // namespace

std::vector<ExpectedStep> expected_steps(Engine& engine, const WideState& state) {
  return ExpectedSteps(engine, state).all();
}

}  // namespace interlock::sim
