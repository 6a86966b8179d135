// interlock diff: where two runs differ.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interlock/sim/alignment.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/run_difference.hpp"
#include "lab/simulated.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(RUN is as in interlock replay. The same step of both runs is on one line; on a
terminal of 120 columns or more, the runs are side by side.

- :: only the first run has this step; side by side it is <
+ :: only the second run has it; side by side it is >
| :: the replies differ
)";
  all.exits =
      and_usual({{"0", "the same steps"}, {"1", "different steps"}}, {usage, operating_system});
  all.examples = {
      {"Two runs of a scenario", "interlock diff del-setnx-lock:11221122 del-setnx-lock:1122"}};
  all.see_also = "interlock-replay(1), interlock-schedule(5)";
  return all;
}

// How a run ends.
std::string ends_text(char sign,
                      const sim::Schedule& schedule,
                      std::optional<std::size_t> columns) {
  const std::string end =
      schedule.violated.empty()
          ? std::string("nothing violated")
          : fmt::format("step {} violates {}", schedule.length, printable(schedule.violated));
  const std::string text = fmt::format("{}: {}, {}", printable(schedule.scenario),
                                       counted(schedule.steps.size(), "step"), end);
  return fmt::format("{} {}\n", sign, wrapped(text, 2, columns));
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
  const std::vector<sim::AlignedRow> rows = align(first->run, second->run);
  if (first_difference(rows) == rows.size()) {
    return answer(one.steps.size() == 1 ? "the same step\n"
                                        : fmt::format("the same {} steps\n", one.steps.size()));
  }
  const auto columns = terminal_columns();
  std::string text = ends_text('-', one, columns) + ends_text('+', other, columns);
  text += difference_text(one, other, rows, columns);
  const int written = answer(text);
  return written == success ? 1 : written;
}

}  // namespace

extern const Command diff_command;
const Command diff_command{"diff [flags] RUN RUN [-- COMMAND...]", "show where two runs differ",
                           diff};

}  // namespace interlock::cli
