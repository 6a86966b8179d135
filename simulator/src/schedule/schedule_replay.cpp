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

class Replayer {
 public:
  Replayer(const Scenario& scenario, const Schedule& schedule)
      : schedule_(schedule), simulation_(scenario) {}

  Replayed play() {
    Replayed replayed;
    for (std::size_t at = 0; at < schedule_.steps.size() && !replayed.stopped; ++at) {
      replayed.stopped = take(at);
    }
    if (schedule_.loop && !replayed.stopped) replayed.stopped = close_loop();
    replayed.run = simulation_.run();
    return replayed;
  }

 private:
  class Choice {
   public:
    ScheduleStep words;
    std::uint32_t code = 0;
  };

  std::optional<Error> take(std::size_t at) {
    const ScheduleStep& wanted = schedule_.steps[at];
    const std::vector<Choice> choices = possible();
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&](const Choice& choice) { return choice.words == wanted; });
    if (found == choices.end()) return error(at, mismatch(wanted, choices));
    Result<RunStep> taken = simulation_.take(found->code);
    if (!taken) return error(at, taken.error().detail());
    return std::nullopt;
  }

  std::optional<Error> close_loop() {
    const Result<std::string> broken = simulation_.close_loop(*schedule_.loop);
    if (broken) return std::nullopt;
    const std::string where = schedule_.loop_line > 0
                                  ? "line " + std::to_string(schedule_.loop_line) + ": "
                                  : std::string();
    return Error(Errc::invalid_argument, where + broken.error().detail());
  }

  std::vector<Choice> possible() {
    std::vector<Choice> choices;
    for (const RunStep& step : simulation_.choices()) {
      Choice choice;
      choice.words = schedule_step(simulation_.run(), simulation_.now(), step);
      choice.code = step.code;
      choices.push_back(std::move(choice));
    }
    return choices;
  }

  Error error(std::size_t at, const std::string& what) const {
    const std::size_t line = schedule_.steps[at].line;
    std::string text = line > 0 ? "line " + std::to_string(line) + ": " : std::string();
    text += "step " + std::to_string(at + 1) + ": " + what;
    return {Errc::invalid_argument, text};
  }

  std::string mismatch(const ScheduleStep& wanted, const std::vector<Choice>& choices) const {
    const std::string question = question_of(wanted);
    const std::string says = "the file says " + question;
    for (const Choice& choice : choices) {
      if (question_of(choice.words) != question) continue;
      return says + " -> " + or_nothing(wanted.reply) + ", but the answer is " +
             or_nothing(choice.words.reply);
    }
    if (wanted.mover == "world") return says + ", which is not possible here";
    const ClientView* view = client(wanted.mover.substr(0, wanted.mover.find('/')));
    if (view == nullptr) return says + ", but there is no client of that name";
    for (const Choice& choice : choices) {
      if (choice.words.mover != wanted.mover) continue;
      return says + ", " + wanted.mover + " is at " + escaped(choice.words.action);
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
