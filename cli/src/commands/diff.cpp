// interlock diff: where two runs differ.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/simulated.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = "RUN is as in interlock replay.\n";
  all.exits =
      and_usual({{"0", "the same steps"}, {"1", "different steps"}}, {usage, operating_system});
  all.examples = {
      {"Two runs of a scenario", "interlock diff del-setnx-lock:11221122 del-setnx-lock:1122"}};
  all.see_also = "interlock-replay(1), interlock-schedule(5)";
  return all;
}

std::string step_text(const sim::Schedule& schedule, std::size_t at) {
  if (at >= schedule.steps.size()) return "(ends)";
  const sim::ScheduleStep& step = schedule.steps[at];
  std::string text = step.mover + " " + step.action;
  if (!step.reply.empty()) text += " -> " + step.reply;
  return printable(text, 120);
}

std::string end_text(const sim::Schedule& schedule) {
  return fmt::format("{}, {}", counted(schedule.steps.size(), "step"),
                     schedule.violated.empty() ? std::string("nothing violated")
                                               : fmt::format("step {} violates {}", schedule.length,
                                                             printable(schedule.violated)));
}

// The common beginning's last few steps, then what differs.
std::string difference(const sim::Schedule& one, const sim::Schedule& other, std::size_t same) {
  constexpr std::size_t context = 3;
  constexpr std::size_t further = 5;
  std::string text;
  const std::size_t begin = same > context ? same - context : 0;
  if (begin > 0) text += fmt::format("     ... {} alike\n", counted(begin, "step"));
  for (std::size_t at = begin; at < same; ++at) {
    text += fmt::format("{:>4}   {}\n", at + 1, step_text(one, at));
  }
  const std::size_t end = std::min(same + further, std::max(one.steps.size(), other.steps.size()));
  for (const auto& [sign, schedule] : {std::pair('-', &one), std::pair('+', &other)}) {
    for (std::size_t at = same; at < end; ++at) {
      if (at > same && at >= schedule->steps.size()) break;
      text += fmt::format("{:>4} {} {}\n", at + 1, sign, step_text(*schedule, at));
    }
  }
  return text;
}

int diff(const Invocation& given) {
  const auto words = with_runs_opened(given.words);
  if (!words) return fail(words.error());
  const SplitLine line(*words);
  ClientFlags clients(line.command);
  Flags flags("diff [flags] RUN RUN [-- COMMAND...]",
              "Shows where two runs differ, and how each ends.");
  clients.add_to(flags);
  flags.operand("RUN", scenario_names().or_files(), true);
  flags.command(Flags::CommandPlace::after_dashes);
  flags.explain(explanation());
  const auto arguments = flags.parse(line.words, 2);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.size() != 2) {
    return fail(Failure(usage, "two runs are needed: write interlock diff RUN RUN"));
  }
  const auto options = options_of_run(arguments->operands[0]);
  if (const auto failed = clients.begin(options)) return fail(*failed);
  const auto first = load_run(arguments->operands[0]);
  if (!first) return fail(first.error());
  const auto second = load_run(arguments->operands[1]);
  if (!second) return fail(second.error());
  const sim::Schedule one = told_steps(first->run);
  const sim::Schedule other = told_steps(second->run);
  ignore_broken_pipes();
  if (one.steps == other.steps) {
    return answer(one.steps.size() == 1 ? "the same step\n"
                                        : fmt::format("the same {} steps\n", one.steps.size()));
  }
  const auto parted =
      std::mismatch(one.steps.begin(), one.steps.end(), other.steps.begin(), other.steps.end());
  const auto same = static_cast<std::size_t>(parted.first - one.steps.begin());
  std::string text = fmt::format("- {}: {}\n+ {}: {}\n", printable(one.scenario), end_text(one),
                                 printable(other.scenario), end_text(other));
  text += difference(one, other, same);
  const int written = answer(text);
  return written == success ? 1 : written;
}

}  // namespace

extern const Command diff_command;
const Command diff_command{"diff [flags] RUN RUN [-- COMMAND...]", "show where two runs differ",
                           diff};

}  // namespace interlock::cli
