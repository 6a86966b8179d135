// interlock shrink: makes a run that goes wrong minimal.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interlock/sim/violation.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/search_flags.hpp"
#include "lab/search_watch.hpp"
#include "lab/shrinker.hpp"
#include "lab/simulated.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(Removes steps, clients, attempts, instants and faults as long as the same
property is violated, and then searches for the shortest run that remains. RUN
is as in interlock replay.
)";
  all.exits = and_usual({{"0", "the run violates no property"},
                         {"1", "shrunk: the run that is shown violates its property"},
                         {"2", "a limit was reached first"}},
                        {usage, operating_system});
  all.environment = drawing_variables();
  all.examples = {{"A run that was recorded elsewhere", "interlock shrink found.schedule"}};
  all.see_also = "interlock-explore(1), interlock-replay(1), interlock-schedule(5)";
  return all;
}

int shrink(const Invocation& given) {
  SearchFlags search;
  DrawingFlags drawing;
  const auto words = with_runs_opened(given.words);
  if (!words) return fail(words.error());
  const SplitLine line(*words);
  ClientFlags clients(line.command);
  Flags flags("shrink [flags] RUN [-- COMMAND...]",
              "Finds a minimal run that violates the same property as RUN.");
  flags.value(0, "max-states", "N", &search.max_states,
              "end a search after N states (default: 5000000)", "INTERLOCK_MAX_STATES");
  flags.value(0, "seconds", "S", &search.max_seconds, "give up after S seconds",
              "INTERLOCK_SECONDS");
  drawing.add_to(flags);
  clients.add_to(flags);
  flags.operand("RUN", scenario_names().or_files());
  flags.command(Flags::CommandPlace::after_dashes);
  flags.explain(explanation());
  const auto arguments = flags.parse(line.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no run given: write NAME:STEPS or a schedule's file"));
  }
  const auto options = options_of_run(arguments->operands.front());
  if (const auto failed = clients.begin(options)) return fail(*failed);
  const auto loaded = load_run(arguments->operands.front());
  if (!loaded) return fail(loaded.error());
  auto limits = search.limits();
  if (!limits) return fail(limits.error());
  if (clients.has_command()) limits->repeated_steps = repeated_steps_of_clients;
  const auto seconds = search.seconds();
  if (!seconds) return fail(seconds.error());
  if (!violating_step(loaded->run)) {
    say("nothing to shrink: the run violates no property");
    return holds;
  }
  ignore_broken_pipes();
  SearchWatch watch(*seconds);
  limits->proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
  Shrinker shrinker(loaded->chosen, loaded->run, *limits);
  const bool fixed = shrinker.shrink();
  watch.wipe();
  const sim::Run& run = shrinker.run();
  const auto chosen = shrinker.chosen();
  if (!chosen) return fail(chosen.error());
  const auto drawn = drawing.draw(*chosen, run, nullptr);
  if (!drawn) return fail(drawn.error());
  const int written = drawing.write(*drawn);
  if (written != success) return written;
  say(fmt::format("{}, from {}; {}", counted(run.steps.size(), "step"), loaded->run.steps.size(),
                  fixed ? "without any one step, fault, client, attempt or instant no "
                          "property is violated"
                        : "a limit was reached first: a smaller run may exist"));
  return fixed ? violated : undecided;
}

}  // namespace

extern const Command shrink_command;
const Command shrink_command{"shrink [flags] RUN [-- COMMAND...]",
                             "make a run that goes wrong minimal", shrink};

}  // namespace interlock::cli
