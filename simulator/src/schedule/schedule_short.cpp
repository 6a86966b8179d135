// The one-line form: a step is a client's number, with marks for what is unusual about it.
#include <algorithm>
#include <optional>

#include "base/escaped.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "model/action.hpp"
#include "process/automaton.hpp"
#include "scenario/fault_table.hpp"
#include "schedule/schedule_words.hpp"

namespace interlock::sim {
namespace {

constexpr char time_letter = 't';
static_assert(letters_differ(time_letter));
// With the connection, after the mark for what is not told at once.
constexpr char lost_request = '+';
constexpr char lost_answer = '~';
constexpr char loop_begins = '(';
constexpr char loop_ends = ')';

// A client that starts and asks in one step is said to move in this slot.
std::size_t usual_slot(const Action& action) {
  const bool starts = !action.fault() && action.start_branch();
  return starts ? Automaton::start_slot : 0;
}

void mark(std::string& text, char what, std::size_t number) {
  text += what;
  text += std::to_string(number) + ".";
}

char digit(std::size_t counted_from_zero) {
  return static_cast<char>('1' + counted_from_zero);
}

std::string encode(const Action& action) {
  if (action.is(ActionKind::time)) return std::string(1, time_letter);
  const auto fault = action.fault();
  std::string text;
  if (fault) {
    const FaultKind& kind = fault_kind(*fault);
    if (kind.target == FaultTarget::world) return std::string(1, kind.letter);
    if (action.is_about_server()) {
      text += kind.target == FaultTarget::clock ? kind.server_letter : kind.letter;
      text += digit(action.actor());
      if (kind.hits_one_key && action.variant() > 0) mark(text, '_', action.variant());
      const bool misses_more = kind.misses_writes && action.missed_writes() > 1;
      if (misses_more) mark(text, '_', action.missed_writes());
      return text;
    }
    text += kind.letter;
  }
  text += digit(action.actor());
  if (action.is(ActionKind::start)) text += '@';
  if (action.late()) text += '+';
  if (action.subscription_ends()) text += '~';
  if (const std::size_t branch = action.start_branch().value_or(0)) mark(text, '%', branch);
  if (const std::size_t subscriber = action.subscriber()) mark(text, '^', subscriber);
  if (action.slot() != usual_slot(action)) mark(text, '_', action.slot() + 1);
  if (action.held()) text += '-';
  if (action.lost() == Action::Lost::request) text += lost_request;
  if (action.lost() == Action::Lost::answer) text += lost_answer;
  if (action.choice() > 0) mark(text, '=', action.choice());
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, Simulation& simulation) : rest_(text), simulation_(simulation) {}

  bool at_end() const { return rest_.empty(); }
  bool has(char what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // What take() read last.
  std::string token() const { return std::string(begin_.substr(0, begin_.size() - rest_.size())); }

  // The next step. `nullopt`: this is no step.
  std::optional<Action> next() {
    begin_ = rest_;
    const char letter = rest_.front();
    if (letter == time_letter) {
      rest_.remove_prefix(1);
      return Action(ActionKind::time, 0);
    }
    if (letter >= '1' && letter <= '8') return moved(std::nullopt);
    rest_.remove_prefix(1);
    for (const FaultKind& kind : fault_table) {
      const bool has_two = kind.target == FaultTarget::clock;
      if (has_two && letter == kind.server_letter) return server(kind);
      if (letter != kind.letter) continue;
      if (kind.target == FaultTarget::world) return Action(kind.fault, 0);
      return kind.target == FaultTarget::server ? server(kind) : moved(kind.fault);
    }
    return std::nullopt;
  }

 private:
  std::optional<std::size_t> actor() {
    if (rest_.empty() || rest_.front() < '1' || rest_.front() > '8') return std::nullopt;
    const auto index = static_cast<std::size_t>(rest_.front() - '1');
    rest_.remove_prefix(1);
    return index;
  }
  // `_12.`; 0 if there is no such mark.
  std::size_t marked(char what, std::size_t most) {
    if (!has(what)) return 0;
    const std::size_t number = detail::take_number<std::size_t>(rest_).value_or(0);
    if (number == 0 || number > most || !has('.')) {
      wrong_ = true;
      return 0;
    }
    return number;
  }

  std::optional<Action> server(const FaultKind& kind) {
    const auto index = actor();
    if (!index) return std::nullopt;
    std::size_t variant = 0;
    if (kind.hits_one_key) variant = marked('_', Action::variants - 1);
    if (kind.misses_writes) variant = std::max<std::size_t>(marked('_', Action::variants), 1) - 1;
    if (wrong_) return std::nullopt;
    return Action(kind.fault, *index, 1, variant);
  }

  std::optional<Action> moved(std::optional<Fault> fault) {
    const auto client = actor();
    if (!client) return std::nullopt;
    const bool only_starts = has('@');
    const bool late = has('+');
    const bool ends = has('~');
    const std::size_t begins = marked('%', Action::start_branches - 1);
    const std::size_t subscriber = marked('^', 8);
    const std::size_t slot = marked('_', 16);
    const bool held = has('-');
    Action::Lost lost = Action::Lost::nothing;
    if (held && has(lost_request)) lost = Action::Lost::request;
    if (held && has(lost_answer)) lost = Action::Lost::answer;
    const std::size_t choice = held ? 0 : marked('=', Action::choices - 1);
    if (wrong_) return std::nullopt;

    const bool no_request = fault && fault_kind(*fault).target != FaultTarget::request;
    const bool starts = !late && !ends && !only_starts && !no_request && not_started(*client);
    std::size_t variant = late ? Action::late_copy : ends ? Action::ends : 0;
    if (starts || begins > 0) variant = Action::starting(begins);
    const auto make = [&](std::size_t in) {
      const ActionKind kind = only_starts ? ActionKind::start : ActionKind::move;
      return (fault ? Action(*fault, *client, in, variant) : Action(kind, *client, in, variant))
          .with_subscriber(subscriber);
    };
    Action action = make(slot > 0 ? slot - 1 : usual_slot(make(0)));
    return held ? action.with_held(lost) : action.with_choice(choice);
  }

  bool not_started(std::size_t client) const {
    const Snapshot& now = simulation_.now();
    return client < now.clients.size() &&
           now.clients[client].status == ClientView::Status::not_started;
  }

  std::string_view rest_;
  std::string_view begin_;
  Simulation& simulation_;
  bool wrong_ = false;
};

std::string possible_moves(Simulation& simulation) {
  const std::vector<RunStep> choices = simulation.choices();
  // Faults only where nothing else is possible: a client may wait for its connection to break.
  const bool only_faults = std::all_of(choices.begin(), choices.end(),
                                       [](const RunStep& step) { return step.fault.has_value(); });
  std::string text;
  for (const RunStep& step : choices) {
    if (step.fault && !only_faults) continue;
    if (!text.empty()) text += ", ";
    text += line_of(schedule_step(simulation.run(), simulation.now(), step));
    if (text.size() > 200) {
      text += ", ...";
      break;
    }
  }
  return text.empty() ? "nothing is: the run is over" : "choose one of " + text;
}

}  // namespace

std::string print_short(const Run& run, const ScheduleOptions& options) {
  std::string text = run.scenario;
  for (const auto& [name, value] : options) {
    text += "," + name + "=";
    // A comma would begin the next option.
    for (const char byte : value) text += byte == ',' ? '+' : byte;
  }
  text += ':';
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    if (run.loop == at) text += loop_begins;
    text += print_short(run.steps[at]);
  }
  if (run.loop == run.steps.size()) text += loop_begins;
  if (run.loop) text += loop_ends;
  return text;
}

std::string print_short(const RunStep& step) {
  return encode(Action::from_code(step.code));
}

Result<ShortSchedule> parse_short(std::string_view text) {
  const auto error = [&](const std::string& why) {
    return Error(Errc::invalid_argument, "reading the schedule '" + shown(text.substr(0, 60)) +
                                             "': " + why +
                                             ": write NAME:STEPS, for example "
                                             "del-setnx-lock:11221122");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return error("it has no colon");
  ShortSchedule schedule;
  schedule.steps = std::string(text.substr(colon + 1));
  std::string_view head = text.substr(0, colon);
  const std::size_t comma = head.find(',');
  schedule.scenario = std::string(head.substr(0, comma));
  if (schedule.scenario.empty()) return error("it names no scenario");
  while (comma != std::string_view::npos && head.find(',') != std::string_view::npos) {
    head.remove_prefix(head.find(',') + 1);
    const std::string_view option = head.substr(0, head.find(','));
    const std::size_t sign = option.find('=');
    if (sign == std::string_view::npos || sign == 0 || sign + 1 == option.size()) {
      return error("'" + shown(option) + "' is no option");
    }
    const std::string_view name = option.substr(0, sign);
    for (const auto& [seen, before] : schedule.options) {
      if (seen == name) return error("'" + shown(name) + "' is said a second time");
    }
    std::string value(option.substr(sign + 1));
    std::replace(value.begin(), value.end(), '+', ',');
    schedule.options.emplace_back(name, std::move(value));
  }
  return schedule;
}

Result<Run> replay(const Scenario& scenario, const ShortSchedule& schedule) {
  Simulation simulation(scenario);
  Reader reader(schedule.steps, simulation);
  std::optional<std::size_t> loop;
  for (std::size_t number = 1; !reader.at_end(); ++number) {
    if (!loop && reader.has(loop_begins)) loop = number - 1;
    if (loop && reader.has(loop_ends)) {
      if (!reader.at_end()) {
        return Error(Errc::invalid_argument,
                     "what repeats for ever is the end: nothing may follow ')'");
      }
      const Result<std::string> broken = simulation.close_loop(*loop);
      if (!broken) return broken.error();
      return simulation.run();
    }
    if (reader.at_end()) break;
    const auto action = reader.next();
    const std::string where = "step " + std::to_string(number) + ": '" + shown(reader.token());
    if (!action) return Error(Errc::invalid_argument, where + "' is no step");
    const Result<RunStep> taken = simulation.take(action->code());
    if (failed_with(taken, Errc::invalid_argument)) {
      return Error(Errc::invalid_argument,
                   where + "' is not possible here: " + possible_moves(simulation));
    }
    if (!taken) return Error(taken.error().code(), where + "': " + taken.error().detail());
  }
  if (loop) return Error(Errc::invalid_argument, "the ')' of what repeats for ever is missing");
  return simulation.run();
}

}  // namespace interlock::sim
