// interlock explore: every run of a scenario within bounds, or many random runs.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/safe_text.hpp"
#include "console/talk.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/thread_team.hpp"
#include "lab/client_command.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/random_flags.hpp"
#include "lab/search_chosen.hpp"
#include "lab/search_flags.hpp"
#include "lab/search_watch.hpp"
#include "lab/shrinker.hpp"
#include "lab/simulated.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

using sim::catalogue::LeftOut;
using sim::catalogue::Searched;

Explanation explanation() {
  Explanation all;
  all.text = R"(SCENARIO is a name from interlock scenarios; a schedule's file stands for its
scenario and options. The scenario itself chooses what the flags leave open.

A property that is vacuous within the bounds (one client excludes nobody) is not
proved: if --property names it, the exit code is 64; else it is left out, and
the last lines say so.
If the verdict has no run, the formats mermaid, svg, schedule and short print
only a line on standard error.

With -- COMMAND the clients are processes of COMMAND. They talk to a simulated
Redis (REDIS_URL, REDIS_SOCKET, REDIS_PORT) and report their sections by Redis
commands: INTERLOCK ENTER lock [token], INTERLOCK LEAVE lock.

Each SCENARIO has properties of its own; if --property names another one, the
message lists them. Time may pass while a client could move: the client is slow,
which is not a fault. In some scenarios clients are never slow, and --faults
none does not change that. There pause:2 lets clients be slow twice, pause:free
at any moment. A restart or a failover may lose each request and each answer on
its way, which makes many states; --faults restart,requests:survive loses none.

If the state space is too large, --random takes random runs, each with odds of
its own for who moves next. With --pct the tasks have random priorities, which
change at DEPTH - 1 random steps: if a failure needs DEPTH orderings among n
tasks (time is one) and no fault, a run of k steps finds it with a probability
of at least 1 in n k^(DEPTH - 1). The same seed takes the same runs on every
machine. A run that breaks a property is shrunk, as by interlock shrink. If no
run does, that is no proof: exit code 2.
)";
  all.exits = and_usual({{"0", "proved within the bounds"},
                         {"1",
                          "violated: the run that is shown has the fewest faults, and then "
                          "the fewest steps"},
                         {"2", "not decided: a limit was reached first"}},
                        {usage, operating_system, bad_configuration});
  all.environment = drawing_variables();
  all.examples = {
      {"The best-known race of Redis locks", "interlock explore del-setnx-lock"},
      {"A larger world, for a program",
       "interlock explore stamp-lock --clients 4 --attempts 2 --instants 3 \\\n  --json"},
      {"Too large for all runs: random ones",
       "interlock explore bill-lock --clients 8 --attempts 5 \\\n  --random 100000 --seed 7"},
      {"A lock of your own, in any language",
       "interlock explore --clients 3 --instants 5 -- python3 worker.py"}};
  all.see_also =
      "interlock-scenarios(1), interlock-replay(1), interlock-shrink(1), "
      "interlock-schedule(5)";
  return all;
}

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

std::string as_json(const Searched& searched,
                    const Chosen& chosen,
                    const std::string& again,
                    double seconds) {
  const sim::Verdict& verdict = searched.verdict;
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["left_out"] = nlohmann::ordered_json::array();
  for (const LeftOut& one : searched.left_out) {
    object["left_out"].push_back({{"property", one.property}, {"why", one.why}});
  }
  object["again"] = again;
  object["seconds"] = seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["replay"] = sim::print_short(verdict.run, chosen.needed_options()) + chosen.tail();
  }
  return object.dump() + "\n";
}

// What the verdict depends on: the command that gives it again, promises, goals.
std::string grounds(const sim::Verdict& verdict, const std::string& again) {
  std::string text = fmt::format("  again   {}\n", again);
  for (const std::string& promise : verdict.trusts) text += fmt::format("  trusts  {}\n", promise);
  for (const std::string& note : client_notes()) text += fmt::format("  note    {}\n", note);
  for (const sim::Goal& goal : verdict.goals) {
    // A search that has not visited every run does not know which goals are missed.
    if (!goal.reached && verdict.outcome == sim::Outcome::incomplete) continue;
    // A command's goals name its keys.
    text += fmt::format("  {}  {}\n", goal.reached ? "reached" : "MISSED ", printable(goal.name));
  }
  return text;
}

std::string figures(const Searched& searched,
                    const std::string& again,
                    double seconds,
                    const DrawingFlags& drawing) {
  const sim::Verdict& verdict = searched.verdict;
  std::string text =
      fmt::format("  explored  {}, {}, depth {}{}, in {:.2f} s\n", counted(verdict.states, "state"),
                  counted(verdict.transitions, "step"), verdict.depth, client_figures(), seconds);
  if (verdict.outcome == sim::Outcome::violated) {
    text += verdict.run.loop
                ? "          the run is minimal: none that ends so has fewer faults, or as many\n"
                  "          faults and fewer steps\n"
                : "          the run is minimal: none that breaks it has fewer faults, or as many\n"
                  "          faults and fewer steps\n";
  }
  text += grounds(verdict, again);
  for (const LeftOut& one : searched.left_out) {
    text += drawing.words(fmt::format("  left out  {}: {}", one.property, one.why), 12);
  }
  return text;
}

// --- random runs ---------------------------------------------------------------------------------

// Random runs, and what one that broke a property was shrunk to.
class ByChance {
 public:
  ByChance(Chosen in, sim::RandomVerdict met, std::uint64_t with_seed)
      : chosen(std::move(in)), found(std::move(met)), seed(with_seed), verdict(found.verdict) {}

  Chosen chosen;             // the world of the verdict's run
  sim::RandomVerdict found;  // before it was shrunk
  std::uint64_t seed;
  sim::Verdict verdict;
  bool shortest = false;  // no smaller world, and no shorter run in it, breaks the same
};

ByChance shrunk(ByChance met, const sim::Limits& limits) {
  Shrinker shrinker(met.chosen, met.verdict.run, limits);
  met.shortest = shrinker.shrink();
  met.verdict.run = shrinker.run();
  auto world = shrinker.chosen();
  if (!world) return met;
  ByChance result(std::move(*world), std::move(met.found), met.seed);
  result.verdict = std::move(met.verdict);
  result.shortest = met.shortest;
  return result;
}

ByChance take_chances(Chosen& chosen,
                      const sim::RandomSearch& random,
                      const sim::Limits& limits,
                      const SearchWatch& watch) {
  sim::RandomVerdict met = sim::search_at_random(chosen.scenario, random);
  while (met.verdict.outcome != sim::Outcome::violated && learn_new_names()) {
    if (make_again(chosen)) break;
    met = sim::search_at_random(chosen.scenario, random);
  }
  ByChance result(chosen, std::move(met), random.seed);
  if (result.verdict.outcome == sim::Outcome::violated) {
    ByChance smaller = shrunk(std::move(result), limits);
    smaller.shortest = smaller.shortest && watch.reason().empty();
    return smaller;
  }
  if (result.verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    result.verdict.reason = fmt::format("{} after {}, which broke nothing", watch.reason(),
                                        counted(result.found.runs, "random run"));
  }
  return result;
}

std::string as_json(const ByChance& chance, const std::string& again, double seconds) {
  const sim::Verdict& verdict = chance.verdict;
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["again"] = again;
  object["runs"] = chance.found.runs;
  object["runs_cut_off"] = chance.found.cut_off;
  object["seed"] = chance.seed;
  object["seconds"] = seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["steps_before_shrinking"] = chance.found.verdict.run.steps.size();
    object["shortest"] = chance.shortest;
    object["shrunk_to"] = chance.chosen.scenario.bounds();
    object["replay"] =
        sim::print_short(verdict.run, chance.chosen.needed_options()) + chance.chosen.tail();
  }
  return object.dump() + "\n";
}

std::string figures(const ByChance& chance,
                    const std::string& again,
                    double seconds,
                    const DrawingFlags& drawing) {
  std::string text = fmt::format("  explored  {}, {}, seed {}, in {:.2f} s\n",
                                 counted(chance.found.runs, "random run"),
                                 counted(chance.found.steps, "step"), chance.seed, seconds);
  if (chance.found.cut_off > 0) {
    const bool one = chance.found.cut_off == 1;
    text += fmt::format("          {} of them {} cut off, because {} had too many steps\n",
                        chance.found.cut_off, one ? "was" : "were", one ? "it" : "they");
  }
  if (chance.verdict.outcome == sim::Outcome::violated) {
    text += fmt::format("          run {} broke it in {}; shrunk: {}\n", chance.found.runs,
                        counted(chance.found.verdict.run.steps.size(), "step"),
                        chance.shortest ? "no smaller world has such a run"
                                        : "a limit was reached first: a smaller run may exist");
    text += drawing.words("          in a world of " + chance.chosen.scenario.bounds(), 10);
  }
  return text + grounds(chance.verdict, again);
}

// --- both ----------------------------------------------------------------------------------------

Fallible<Chosen> choose(const std::string& word, const SearchFlags& search) {
  const bool known = sim::catalogue::find(word) != nullptr || word == command_scenario;
  if (known || !is_file(word)) {
    return choose_scenario(word, search.options({}));
  }
  const auto text = read_file(word);
  if (!text) return text.error();
  const auto schedule = sim::parse_schedule(*text);
  if (!schedule) {
    return Failure(usage, fmt::format("{}: {}", printable(word), schedule.error().detail()));
  }
  return choose_scenario_of(*schedule, search.options(schedule->options), printable(word), *text);
}

// The scenario's name, or that of a command.
Fallible<std::string> operand(const Arguments& arguments, bool has_command) {
  if (has_command && arguments.operands.empty()) return std::string(command_scenario);
  if (has_command) {
    return Failure(usage,
                   fmt::format("'{}' is a scenario and behind -- is a command: leave one out",
                               printable(arguments.operands.front(), 60)));
  }
  if (arguments.operands.empty()) {
    return Failure(usage, "no scenario given: see interlock scenarios");
  }
  return arguments.operands.front();
}

int show(const sim::Verdict& verdict, const DrawingFlags& drawing, const std::string& text) {
  const int written = drawing.write(text);
  return written == success ? exit_code(verdict) : written;
}

// Why a verdict has no run to show.
std::string why_no_run(const sim::Verdict& verdict) {
  if (verdict.outcome == sim::Outcome::proved) {
    return fmt::format("no run breaks {}: {}", verdict.scenario, verdict.bounds);
  }
  return fmt::format("{} is {}: {}", verdict.scenario, to_string(verdict.outcome), verdict.reason);
}

int show(const sim::Verdict& verdict,
         const Chosen& chosen,
         const DrawingFlags& drawing,
         const std::string& figures) {
  if (verdict.run.empty() && drawing.needs_run()) {
    say(fmt::format("nothing to write as {}: {}", drawing.format->text, why_no_run(verdict)));
    return exit_code(verdict);
  }
  const auto drawn = drawing.draw(chosen, verdict.run, &verdict);
  if (!drawn) return fail(drawn.error());
  const bool words =
      !drawing.format || drawing.format->text == "text" || drawing.format->text == "ascii";
  return show(verdict, drawing, *drawn + (words ? figures : ""));
}

// How many threads are to share the search.
Fallible<std::size_t> team_size(const std::optional<Given>& threads) {
  if (!threads) return std::size_t{1};
  if (threads->text == "all") return sim::ThreadTeam::all_cores();
  const auto number = parse_number(*threads, "--threads 4 or --threads all");
  if (!number) return number.error();
  constexpr std::uint64_t most = 256;
  if (*number > most) {
    return Failure(threads->fault_code(),
                   fmt::format("{} is too many threads; write at most {}", threads->said(), most));
  }
  return static_cast<std::size_t>(*number);
}

Fallible<std::unique_ptr<sim::ThreadTeam>> start_team(std::size_t threads) {
  try {
    return std::make_unique<sim::ThreadTeam>(threads);
  } catch (const std::system_error& error) {
    return Failure(operating_system,
                   fmt::format("{} threads could not be started: {}: share the search among fewer "
                               "(--threads), or raise the limit (ulimit -u, ulimit -v)",
                               threads, error.code().message()));
  }
}

// Refuses flags if one of them would be ignored.
std::optional<Failure> contradiction(bool json,
                                     const DrawingFlags& drawing,
                                     const std::optional<Given>& threads,
                                     const RandomFlags& by_chance) {
  if (json && drawing.format) {
    return Failure(usage, fmt::format("--json and {} both say what is written: leave one out",
                                      drawing.format->said()));
  }
  if (threads && by_chance.asked()) {
    return Failure(usage, fmt::format("{} is for the exhaustive search: leave it out, or --random "
                                      "and --pct",
                                      threads->said()));
  }
  return std::nullopt;
}

int explore(const Invocation& given) {
  SearchFlags search;
  RandomFlags by_chance;
  DrawingFlags drawing;
  bool json = false;
  bool no_symmetry = false;
  std::optional<Given> threads;
  const SplitLine line(given.words);
  ClientFlags clients(line.command);
  Flags flags("explore [flags] SCENARIO|FILE|-- COMMAND...",
              "Searches every run of SCENARIO within bounds, or many random runs: proves it, or "
              "shows the shortest run that breaks it.");
  search.add_to(flags);
  by_chance.add_to(flags);
  clients.add_to(flags);
  flags
      .value(0, "threads", "N", &threads,
             "share the exhaustive search among N threads; all: one for each core")
      .suggested = {"all"};
  flags.toggle(0, "no-symmetry", &no_symmetry, "distinguish identical clients (slower)");
  drawing.add_to(flags);
  flags.json(&json, STDOUT_FILENO, "the verdict and its figures as one JSON object");
  flags.operand("SCENARIO", scenario_names().or_files());
  flags.command(Flags::CommandPlace::after_dashes);
  flags.explain(explanation());
  const auto arguments = flags.parse(line.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  const auto name = operand(*arguments, clients.has_command());
  if (!name) return fail(name.error());
  auto limits = search.limits();
  if (!limits) return fail(limits.error());
  const auto seconds = search.seconds();
  if (!seconds) return fail(seconds.error());
  const auto threads_wanted = team_size(threads);
  if (!threads_wanted) return fail(threads_wanted.error());
  auto random = by_chance.search();
  if (!random) return fail(random.error());
  // Before the search, which may take long.
  if (const auto wrong = drawing.check()) return fail(*wrong);
  if (const auto wrong = contradiction(json, drawing, threads, by_chance)) return fail(*wrong);
  ignore_broken_pipes();
  SearchWatch watch(*seconds);
  watch_clients([&watch](std::uint64_t runs) { return watch.proceed_with_clients(runs); });
  if (const auto failed = clients.begin(search.options({}))) {
    watch.wipe();
    if (watch.reason().empty()) return fail(*failed);
    return fail(Failure(undecided, fmt::format("{} ({})", failed->message, watch.reason())));
  }
  auto chosen = choose(*name, search);
  if (!chosen) return fail(chosen.error());
  const std::string bounds_with_symmetry = chosen->scenario.bounds();
  if (no_symmetry) chosen->scenario.symmetry(false);
  const bool told_apart = chosen->scenario.bounds() != bounds_with_symmetry;
  const auto again = [&](const sim::Verdict& verdict) {
    return fmt::format("interlock explore {}{}{}{}{}", chosen->words(),
                       told_apart ? " --no-symmetry" : "", search.limit_words(*limits, verdict),
                       by_chance.asked() ? by_chance.words(*random) : "", chosen->tail());
  };

  // Each run of a client is a process.
  if (clients.has_command()) limits->repeated_steps = random->repeated_steps = 100;
  limits->proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
  if (by_chance.asked()) {
    random->proceed = [&watch](const sim::RandomProgress& progress) {
      return watch.proceed(progress);
    };
    ByChance result = take_chances(*chosen, *random, *limits, watch);
    if (const auto failed = client_failure(result.chosen.scenario, result.verdict)) {
      watch.wipe();
      return fail(*failed);
    }
    sim::Verdict& verdict = result.verdict;
    if (verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty() &&
        !verdict.reason.starts_with(watch.reason())) {
      verdict.reason = watch.reason();
    }
    verdict.bounds += limits->bounds() + search.more_bounds(*limits, verdict);
    const double seconds_taken = watch.seconds();
    watch.wipe();
    if (json) return show(verdict, drawing, as_json(result, again(verdict), seconds_taken));
    return show(verdict, result.chosen, drawing,
                figures(result, again(verdict), seconds_taken, drawing));
  }
  const auto team = start_team(*threads_wanted);
  if (!team) return fail(team.error());
  limits->team = team->get();
  auto found = search_chosen(
      *chosen, [&](const sim::Scenario& scenario) { return sim::explore(scenario, *limits); });
  watch.wipe();
  if (!found) return fail(found.error());
  Searched& searched = *found;
  sim::Verdict& verdict = searched.verdict;
  if (verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    verdict.reason = watch.reason();
  }
  const std::string repeated = again(verdict);
  verdict.bounds += search.more_bounds(*limits, verdict);
  if (json) return show(verdict, drawing, as_json(searched, *chosen, repeated, watch.seconds()));
  return show(verdict, *chosen, drawing, figures(searched, repeated, watch.seconds(), drawing));
}

}  // namespace

extern const Command explore_command;
const Command explore_command{"explore [flags] SCENARIO|FILE|-- COMMAND...",
                              "every run of a lock: a proof, or the shortest that fails", explore};

}  // namespace interlock::cli
