// interlock explore: every run of a scenario within bounds.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands.hpp"
#include "flags.hpp"
#include "interlock/sim/explore.hpp"
#include "search_flags.hpp"
#include "search_watch.hpp"
#include "signals.hpp"
#include "simulated.hpp"
#include "talk.hpp"

namespace interlock::cli {
namespace {

constexpr const char* epilogue =
    R"(SCENARIO is a name from interlock scenarios; a schedule's file stands for its
scenario and options. What is not given is the scenario's own choice.
Exit code: 0 proved within the bounds, 1 violated (the run is the shortest
there is), 2 not decided, 64 and more: the program could not do its work.

  interlock explore del-setnx-lock
  interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 --json
)";

int exit_code(const sim::Verdict& verdict) {
  switch (verdict.outcome) {
    case sim::Outcome::proved:
      return holds;
    case sim::Outcome::violated:
      return violated;
    case sim::Outcome::incomplete:
      return undecided;
    case sim::Outcome::invalid:
      break;
  }
  return usage;
}

std::string as_json(const sim::Verdict& verdict, const Chosen& chosen, double seconds) {
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["seconds"] = seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["replay"] = sim::print_short(verdict.run, chosen.needed_options());
  }
  return object.dump() + "\n";
}

std::string figures(const sim::Verdict& verdict, double seconds) {
  std::string text = fmt::format("  looked  {} states, {} steps, depth {}, in {:.2f} s\n",
                                 verdict.states, verdict.transitions, verdict.depth, seconds);
  if (verdict.outcome == sim::Outcome::violated) {
    text += verdict.run.loop
                ? "          no run comes to such an end with fewer faults, nor as many in fewer "
                  "steps\n"
                : "          no run breaks it with fewer faults, nor as many in fewer steps\n";
  }
  for (const sim::Goal& goal : verdict.goals) {
    text += fmt::format("  {}  {}\n", goal.reached ? "reached" : "MISSED ", goal.name);
  }
  return text;
}

int show(const sim::Verdict& verdict,
         const Chosen& chosen,
         const DrawingFlags& drawing,
         bool json,
         double seconds) {
  std::string text;
  if (json) {
    text = as_json(verdict, chosen, seconds);
  } else {
    const auto drawn = drawing.draw(chosen, verdict.run, &verdict);
    if (!drawn) return fail(drawn.error());
    text = *drawn;
    const bool words =
        !drawing.format || drawing.format->text == "text" || drawing.format->text == "ascii";
    if (words) text += figures(verdict, seconds);
  }
  const int written = drawing.write(text);
  return written == success ? exit_code(verdict) : written;
}

Outcome<Chosen> choose(const std::string& word, const SearchFlags& search) {
  if (sim::catalogue::find(word) != nullptr || !is_file(word)) {
    return choose_scenario(word, search.options({}));
  }
  const auto text = read_file(word);
  if (!text) return text.error();
  const auto schedule = sim::parse_schedule(*text);
  if (!schedule) {
    return Failure(usage, fmt::format("{}: {}", printable(word), schedule.error().detail()));
  }
  return choose_scenario(schedule->scenario, search.options(schedule->options));
}

int explore(const Invocation& given) {
  SearchFlags search;
  DrawingFlags drawing;
  bool json = false;
  bool no_symmetry = false;
  Flags flags("explore [flags] SCENARIO|FILE",
              "Looks at every run of SCENARIO within bounds: proves it, or shows the shortest run "
              "that breaks it.");
  search.add_to(flags);
  flags.toggle(0, "no-symmetry", &no_symmetry, "tell identical clients apart (slower)");
  drawing.add_to(flags);
  flags.toggle(0, "json", &json, "the verdict and its figures as one JSON object");
  flags.epilogue(epilogue);
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  if (arguments->operands.empty()) {
    return fail(Failure(usage, "no scenario given: see interlock scenarios"));
  }
  auto chosen = choose(arguments->operands.front(), search);
  if (!chosen) return fail(chosen.error());
  auto limits = search.limits();
  if (!limits) return fail(limits.error());
  const auto seconds = search.seconds();
  if (!seconds) return fail(seconds.error());
  // Before the search, which may take long.
  if (const auto drawn = drawing.draw(*chosen, sim::Run(), nullptr); !drawn) {
    return fail(drawn.error());
  }
  if (no_symmetry) chosen->scenario.symmetry(false);

  ignore_broken_pipes();
  SearchWatch watch(*seconds);
  limits->proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
  sim::Verdict verdict = sim::explore(chosen->scenario, *limits);
  if (verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    verdict.reason = watch.reason();
  }
  return show(verdict, *chosen, drawing, json, watch.seconds());
}

}  // namespace

extern const Command explore_command;
const Command explore_command{
    "explore [flags] SCENARIO|FILE",
    "look at every run of a lock: a proof, or the shortest that breaks it", explore};

}  // namespace interlock::cli
