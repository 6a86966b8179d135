// Schedules as files: printing and parsing.
#include <optional>

#include "base/escaped.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/violation.hpp"
#include "schedule/schedule_words.hpp"

namespace interlock::sim {
namespace {

constexpr std::string_view first_line = "interlock-schedule 1";
constexpr std::string_view arrow = " -> ";

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<Schedule> parse() {
    if (!next_line() || line_ != first_line) return wrong_beginning();
    if (!next_line()) return error("the file ends here; expected 'scenario NAME'");
    if (auto failure = scenario()) return *failure;
    for (;;) {
      if (!next_line()) return error("the file ends here; expected an 'expect' line and steps");
      if (word(line_) == "expect") break;
      if (auto failure = option()) return *failure;
    }
    if (auto failure = expectation()) return *failure;
    while (next_line()) {
      if (line_ == "loop" || line_ == "stuck") {
        if (auto failure = loop()) return *failure;
      } else if (auto failure = step()) {
        return *failure;
      }
    }
    if (auto failure = check_loop()) return *failure;
    if (!is_whole()) return wrong_length();
    return std::move(schedule_);
  }

 private:
  // The next line that says something.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      while (!line_.empty() && line_.back() == ' ') line_.remove_suffix(1);
      if (!line_.empty() && line_.front() != '#') return true;
    }
    line_ = {};
    return false;
  }

  static std::string_view word(std::string_view text) { return text.substr(0, text.find(' ')); }
  static std::string_view after(std::string_view text) {
    const std::size_t space = text.find(' ');
    return space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }

  Error error_at(std::size_t number, const std::string& what) const {
    return {Errc::invalid_argument, "line " + std::to_string(number) + ": " + what};
  }
  Error error(const std::string& what) const { return error_at(number_, what); }
  std::string quoted() const {
    constexpr std::size_t most = 60;
    const std::string text = shown(line_.substr(0, most));
    return "'" + text + (line_.size() > most ? "...'" : "'");
  }

  Error wrong_beginning() const {
    if (line_.empty()) {
      return error_at(1, "the file says nothing; expected '" + std::string(first_line) +
                             "': this is no schedule");
    }
    if (line_.starts_with("interlock-schedule ")) {
      return error(quoted() + ": this program reads version 1 of schedules");
    }
    return error("expected '" + std::string(first_line) + "', found " + quoted() +
                 ": this is no schedule");
  }

  std::optional<Error> scenario() {
    if (word(line_) != "scenario" || after(line_).empty()) {
      return error("expected 'scenario NAME', found " + quoted());
    }
    if (!is_escaped_well(after(line_))) return stray_backslash();
    schedule_.scenario = unescaped(after(line_));
    return std::nullopt;
  }

  std::optional<Error> option() {
    const std::string_view name = word(line_);
    const bool known = name == "clients" || name == "attempts" || name == "instants" ||
                       name == "faults" || name == "property" || name == "deadlock";
    if (!known || after(line_).empty()) {
      return error(
          "expected 'clients N', 'attempts N', 'instants N', 'faults LIST', 'property LIST', "
          "'deadlock allowed' or 'expect ...', found " +
          quoted());
    }
    for (const auto& [seen, value] : schedule_.options) {
      if (seen == name) return error("'" + std::string(name) + "' is said a second time");
    }
    if (!is_escaped_well(after(line_))) return stray_backslash();
    schedule_.options.emplace_back(name, unescaped(after(line_)));
    return std::nullopt;
  }

  // `expect violated "..." at 8` or `expect ok after 8`.
  std::optional<Error> expectation() {
    schedule_.expectation_line = number_;
    const std::string_view ok = "expect ok after ";
    const std::string_view violated = "expect violated \"";
    std::string_view count;
    if (line_.starts_with(ok)) {
      count = line_.substr(ok.size());
    } else if (line_.starts_with(violated)) {
      const std::string_view at = "\" at ";
      const std::size_t end = line_.rfind(at);
      if (end == std::string_view::npos || end <= violated.size()) return wrong_expectation();
      const std::string_view name = line_.substr(violated.size(), end - violated.size());
      if (!is_escaped_well(name)) return stray_backslash();
      schedule_.violated = unescaped(name);
      count = line_.substr(end + at.size());
    } else {
      return wrong_expectation();
    }
    const auto length = detail::parse_number<std::size_t>(count);
    if (!length) return wrong_expectation();
    schedule_.length = *length;
    return std::nullopt;
  }

  Error wrong_expectation() const {
    return error("expected 'expect violated \"PROPERTY\" at N' or 'expect ok after N', found " +
                 quoted());
  }
  Error stray_backslash() const {
    return error("a backslash must begin \\xNN with two hexadecimal digits, found " + quoted());
  }

  std::optional<Error> step() {
    ScheduleStep step;
    step.line = number_;
    if (!is_escaped_well(line_)) return stray_backslash();
    std::string_view question = line_;
    const std::size_t at = line_.find("->");
    if (at != std::string_view::npos) {
      const bool spaced = at > 0 && line_.substr(at - 1, arrow.size()) == arrow;
      if (!spaced || at + 3 >= line_.size()) {
        return error("expected ' -> REPLY' at the end, found " + quoted());
      }
      question = line_.substr(0, at - 1);
      step.reply = unescaped(line_.substr(at + 3));
    }
    const std::string_view action = after(question);
    if (word(question).empty() || !is_action_word(word(action))) {
      return error("expected 'CLIENT COMMAND [-> REPLY]' or 'world COMMAND', found " + quoted());
    }
    step.mover = unescaped(word(question));
    step.action = unescaped(action);
    schedule_.steps.push_back(std::move(step));
    return std::nullopt;
  }

  std::optional<Error> loop() {
    if (schedule_.loop) return error("there is a second 'loop' or 'stuck'");
    schedule_.loop = schedule_.steps.size();
    schedule_.loop_line = number_;
    stuck_ = line_ == "stuck";
    return std::nullopt;
  }
  std::optional<Error> check_loop() const {
    if (!schedule_.loop) return std::nullopt;
    const bool last = *schedule_.loop == schedule_.steps.size();
    if (stuck_ && !last) {
      return error_at(schedule_.loop_line, "'stuck' is the end, but steps follow it");
    }
    if (!stuck_ && last) return error_at(schedule_.loop_line, "'loop' has no steps after it");
    return std::nullopt;
  }

  // Steps may follow the one that violates something; those that are repeated for ever end with it.
  bool may_go_on() const { return !schedule_.violated.empty() && !schedule_.loop; }

  bool is_whole() const {
    const std::size_t count = schedule_.steps.size();
    return may_go_on() ? count >= schedule_.length : count == schedule_.length;
  }

  Error wrong_length() const {
    const std::string says = std::to_string(schedule_.length);
    const std::string has = std::to_string(schedule_.steps.size()) + ": some are missing";
    return error_at(schedule_.expectation_line,
                    may_go_on() ? "the file says that step " + says +
                                      " violates something, but the steps that it has are " + has
                                : "the file says that there are " + says + " steps, but has " +
                                      has + ", or too many");
  }

  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
  bool stuck_ = false;
  Schedule schedule_;
};

}  // namespace

Schedule make_schedule(const Run& run, ScheduleOptions options) {
  Schedule schedule;
  schedule.scenario = run.scenario;
  schedule.options = std::move(options);
  const std::optional<std::size_t> violation = violating_step(run);
  schedule.violated = violated_property(run);
  schedule.length = violation ? *violation + 1 : run.steps.size();
  const Snapshot* before = &run.before;
  for (const RunStep& step : run.steps) {
    schedule.steps.push_back(schedule_step(run, *before, step));
    before = &step.after;
  }
  schedule.loop = run.loop;
  return schedule;
}

std::string print(const Schedule& schedule) {
  std::string text(first_line);
  text += "\nscenario " + escaped(schedule.scenario) + "\n";
  for (const auto& [name, value] : schedule.options) text += name + " " + escaped(value) + "\n";
  const std::string count = std::to_string(schedule.length);
  if (schedule.violated.empty()) {
    text += "expect ok after " + count + "\n";
  } else {
    text += "expect violated \"" + escaped(schedule.violated) + "\" at " + count + "\n";
  }
  text += "\n";
  for (std::size_t at = 0; at < schedule.steps.size(); ++at) {
    if (schedule.loop == at) text += "loop\n";
    text += line_of(schedule.steps[at]) + "\n";
  }
  if (schedule.loop == schedule.steps.size()) text += "stuck\n";
  return text;
}

Result<Schedule> parse_schedule(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace interlock::sim
