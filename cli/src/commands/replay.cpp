// interlock replay: a run once more, in the simulator or on a real store.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interlock/sim/replay_on.hpp"
#include "interlock/sim/violation.hpp"
#include "interlock/token_source.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/simulated.hpp"
#include "lock/store.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(RUN is NAME:STEPS as explore prints it, a file that explore -f schedule or
-f json wrote, - for standard input, or NAME alone: the shortest run that breaks
it. With --store the program sends the operations to that store, in this order,
from one connection for each client; their keys have a prefix of their own and are erased afterwards.
The run of a command may be one word together with the command, as explore -f
short writes it.
)";
  all.exits = and_usual({{"0", "no property was violated"},
                         {"1", "a property was violated"},
                         {"2", "the store and the simulator gave different answers"}},
                        {usage, unreachable, operating_system, refused, bad_configuration});
  all.environment = drawing_variables();
  all.examples = {{"A run from a message", "interlock replay del-setnx-lock:11221122"},
                  {"The shortest run that breaks a scenario, on a server",
                   "interlock replay --store redis://127.0.0.1 del-setnx-lock"},
                  {"The run of a command, in both forms",
                   "interlock replay command,instants=5:1ttt2 -- python3 worker.py\n"
                   "interlock replay 'command,instants=5:1ttt2 -- python3 worker.py'"}};
  all.see_also = "interlock-explore(1), interlock-shrink(1), interlock-schedule(5)";
  return all;
}

std::string own_prefix() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("interlock-replay:{}-{:x}:", ::getpid(), now);
}

std::string mark(sim::RealStep::Match outcome) {
  switch (outcome) {
    case sim::RealStep::Match::same:
      return "same";
    case sim::RealStep::Match::different:
      return "DIFFERS";
    case sim::RealStep::Match::left_out:
      break;
  }
  return "-";
}

std::string compared(const sim::Run& run, const std::vector<sim::RealStep>& steps) {
  const sim::Schedule schedule = told_steps(run);
  std::string text;
  for (const sim::RealStep& real : steps) {
    const sim::ScheduleStep& step = schedule.steps[real.step];
    const std::string what = step.mover + " " + step.action;
    text += fmt::format("{:>3}  {:<44} {:<8} {}\n", real.step + 1, printable(what, 120),
                        mark(real.outcome), printable(real.answer, 120));
  }
  return text;
}

// Before a colon, so `memory:` loses its own.
std::string name_of(const Store& store) {
  std::string name = printable(store.description, 400);
  if (name.ends_with(':')) name.pop_back();
  return name;
}

int on_store(const Loaded& loaded, const Given& url, const DrawingFlags& drawing) {
  if (loaded.chosen.entry.name == command_scenario) {
    return fail(Failure(usage, fmt::format("{} takes runs of scenarios, and what the clients of a "
                                           "command send is executed by the simulator alone: leave "
                                           "it out",
                                           url.said())));
  }
  const auto chosen = choose_store(url);
  if (!chosen) return fail(chosen.error());
  ignore_broken_pipes();
  sim::RealWorld world;
  world.connect = [&chosen] { return chosen->backend->open(); };
  world.wait = [](Duration time) { std::this_thread::sleep_for(time); };
  world.prefix = own_prefix();
  const auto steps = sim::replay_on(loaded.run, world);
  if (!steps) return fail(store_failure("run not replayed", steps.error(), *chosen));
  std::size_t same = 0;
  std::size_t different = 0;
  for (const sim::RealStep& step : *steps) {
    if (step.outcome == sim::RealStep::Match::same) ++same;
    if (step.outcome == sim::RealStep::Match::different) ++different;
  }
  std::string text = compared(loaded.run, *steps);
  text += fmt::format("{}: {} as in the simulator, {} otherwise\n", name_of(*chosen),
                      counted(same, "answer"), different);
  const std::string broken = violated_property(loaded.run);
  if (!broken.empty() && different == 0) {
    text += fmt::format("violated there as here: {}\n", printable(broken));
  }
  const int written = drawing.write(text);
  if (written != success) return written;
  if (different > 0) return undecided;
  return broken.empty() ? holds : violated;
}

int replay(const Invocation& given) {
  DrawingFlags drawing;
  std::optional<Given> url;
  const auto words = with_runs_opened(given.words);
  if (!words) return fail(words.error());
  const SplitLine line(*words);
  ClientFlags clients(line.command);
  Flags flags("replay [flags] RUN [-- COMMAND...]",
              "Repeats RUN step by step, checks it, and draws it.");
  drawing.add_to(flags);
  clients.add_to(flags);
  flags
      .value(0, "store", "URL", &url,
             "do it on this store: redis://host:port/db, sqlite:PATH or memory:")
      .suggested = store_urls();
  flags.operand("RUN", scenario_names().or_files());
  flags.command(Flags::CommandPlace::after_dashes);
  flags.explain(explanation());
  const auto arguments = flags.parse(line.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no run given: write NAME, NAME:STEPS or a schedule's file"));
  }
  if (url && drawing.format) {
    return fail(Failure(usage, fmt::format("{} draws a run, and --store compares one with a real "
                                           "store: leave one out",
                                           drawing.format->said())));
  }
  const auto options = options_of_run(arguments->operands.front());
  if (const auto failed = clients.begin(options)) return fail(*failed);
  const auto loaded = load_run(arguments->operands.front());
  if (!loaded) return fail(loaded.error());
  if (url) return on_store(*loaded, *url, drawing);
  const auto drawn = drawing.draw(loaded->chosen, loaded->run, nullptr);
  if (!drawn) return fail(drawn.error());
  ignore_broken_pipes();
  const int written = drawing.write(*drawn);
  if (written != success) return written;
  return violating_step(loaded->run) ? violated : holds;
}

}  // namespace

extern const Command replay_command;
const Command replay_command{"replay [flags] RUN [-- COMMAND...]",
                             "repeat a run, here or on a real store", replay};

}  // namespace interlock::cli
