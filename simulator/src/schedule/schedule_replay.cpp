// A schedule, step by step, with the first step that does not fit named.
#include <algorithm>
#include <vector>

#include "base/escaped.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/violation.hpp"
#include "schedule/schedule_words.hpp"

namespace interlock::sim {
namespace {

class Replayer final : public Strategy {
 public:
  Replayer(const Scenario& scenario, const Schedule& schedule)
      : schedule_(schedule), simulation_(scenario) {}

  Replayed play() {
    Replayed replayed;
    const Result<std::size_t> taken = simulation_.follow(*this, schedule_.steps.size());
    const std::size_t at = simulation_.run().steps.size();
    if (!taken) {
      replayed.stopped = error(at, taken.error().detail());
    } else if (at < schedule_.steps.size()) {
      replayed.stopped = error(at, mismatch(schedule_.steps[at], possible_));
    }
    if (schedule_.loop && !replayed.stopped) replayed.stopped = close_loop();
    replayed.run = simulation_.run();
    return replayed;
  }

 private:
  bool begin_run(std::uint64_t) override { return true; }

  std::size_t choose(const Run& so_far, const std::vector<RunStep>& choices) override {
    possible_.clear();
    for (const RunStep& step : choices) {
      possible_.push_back(schedule_step(so_far, simulation_.now(), step));
    }
    const ScheduleStep& wanted = schedule_.steps[so_far.steps.size()];
    const auto found = std::find_if(possible_.begin(), possible_.end(),
                                    [&wanted](const ScheduleStep& step) { return step == wanted; });
    if (found == possible_.end()) return end_of_run;
    const auto chosen = static_cast<std::size_t>(found - possible_.begin());
    possible_.clear();
    return chosen;
  }

  std::optional<Error> close_loop() {
    const Result<std::string> broken = simulation_.close_loop(*schedule_.loop, schedule_.violated);
    if (broken) return std::nullopt;
    const std::string where = schedule_.loop_line > 0
                                  ? "line " + std::to_string(schedule_.loop_line) + ": "
                                  : std::string();
    return Error(Errc::invalid_argument, where + broken.error().detail());
  }

  Error error(std::size_t at, const std::string& what) const {
    const std::size_t line = schedule_.steps[at].line;
    std::string text = line > 0 ? "line " + std::to_string(line) + ": " : std::string();
    text += "step " + std::to_string(at + 1) + ": " + what;
    return {Errc::invalid_argument, text};
  }

  std::string mismatch(const ScheduleStep& wanted, const std::vector<ScheduleStep>& choices) const {
    const std::string question = question_of(wanted);
    const std::string says = "the file says " + question;
    for (const ScheduleStep& choice : choices) {
      if (question_of(choice) != question) continue;
      return says + " -> " + or_nothing(wanted.reply) + ", but the answer is " +
             or_nothing(choice.reply);
    }
    if (wanted.mover == "world") return says + ", which is not possible here";
    const ClientView* view = client(wanted.mover.substr(0, wanted.mover.find('/')));
    if (view == nullptr) return says + ", but there is no client of that name";
    for (const ScheduleStep& choice : choices) {
      if (choice.mover != wanted.mover) continue;
      return says + ", " + wanted.mover + " is at " + escaped(choice.action);
    }
    return says + ", " + wanted.mover + " " + why_still(*view);
  }

  static std::string or_nothing(const std::string& reply) {
    return reply.empty() ? "nothing" : escaped(reply);
  }

  const ClientView* client(const std::string& name) const {
    for (const ClientView& view : simulation_.now().clients) {
      if (view.name == name) return &view;
    }
    return nullptr;
  }

  static std::string why_still(const ClientView& view) {
    switch (view.status) {
      case ClientView::Status::crashed:
        return "has crashed";
      case ClientView::Status::done:
        return "is done";
      case ClientView::Status::not_started:
      case ClientView::Status::running:
        break;
    }
    return view.next.empty() ? "cannot move now" : "cannot move now: it is at " + view.next;
  }

  const Schedule& schedule_;
  Simulation simulation_;
  std::vector<ScheduleStep> possible_;  // if none of them was the one that is wanted
};

std::optional<Error> check_violation(const Run& run, const Schedule& schedule) {
  const std::optional<std::size_t> step = violating_step(run);
  const std::string violates = violated_property(run);
  const bool same_step = !step || *step + 1 == schedule.length;
  if (violates == schedule.violated && same_step) return std::nullopt;
  std::string text;
  if (schedule.expectation_line > 0) {
    text = "line " + std::to_string(schedule.expectation_line) + ": ";
  }
  text += "the file expects ";
  text += schedule.violated.empty() ? std::string("that nothing is violated")
                                    : "step " + std::to_string(schedule.length) + " to violate '" +
                                          escaped(schedule.violated) + "'";
  text += step ? "; step " + std::to_string(*step + 1) + " violates '" + escaped(violates) + "'"
               : std::string("; it violates nothing");
  return Error(Errc::invalid_argument, text);
}

}  // namespace

Replayed replay_while_it_fits(const Scenario& scenario, const Schedule& schedule) {
  return Replayer(scenario, schedule).play();
}

Result<Run> replay(const Scenario& scenario, const Schedule& schedule) {
  Replayed replayed = replay_while_it_fits(scenario, schedule);
  if (replayed.stopped) return *replayed.stopped;
  if (const auto wrong = check_violation(replayed.run, schedule)) return *wrong;
  return std::move(replayed.run);
}

}  // namespace interlock::sim
