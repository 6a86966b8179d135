// interlock explore: every run of a scenario within bounds, or as many as there is time or memory
// for.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/safe_text.hpp"
#include "console/talk.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/merged_search.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/thread_team.hpp"
#include "lab/checkpoint_flags.hpp"
#include "lab/client_command.hpp"
#include "lab/finished_search.hpp"
#include "lab/lab_suggestions.hpp"
#include "lab/partial_flags.hpp"
#include "lab/partial_search.hpp"
#include "lab/search_chosen.hpp"
#include "lab/search_flags.hpp"
#include "lab/search_reports.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"
#include "system/peak_memory.hpp"
#include "system/signals.hpp"

namespace interlock::cli {
namespace {

Explanation explanation() {
  Explanation all;
  all.text = R"(SCENARIO is a name from interlock scenarios; a schedule's file stands for its
scenario and options. The scenario itself chooses what the flags leave open.

A property that is vacuous within the bounds (one client excludes nobody) is not
proved: if --property names it, the exit code is 64; else it is left out, and
the last lines say so.
A proof says which outcomes no run had: answers that an operation can get, faults
that may happen, locks that a client wants to enter. --coverage lists all of
them. With --format html it draws no run but the source, with the answers beside
its lines, as far as its files can be read here. With -- COMMAND there are no
lines: interlock does not see into a command.
If the verdict has no run, the formats mermaid, svg, schedule, short and gtest
print only a line on standard error.

The formats junit and sarif are for a CI: tests with their time and memory, and
violations with their steps beside the source lines. They take several SCENARIOs
and search one after the other, each with all of --seconds. A line on standard
error says what each has come to, and the exit code is 1 if any is violated, else
2 if any is undecided. The format gtest makes a C++ file of the run: a test that
fails until the lock is repaired.

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

--bitstate searches depth-first and sets 3 bits for each state in a table of SIZE.
It may take a new state for one that it has seen, and says how likely that is:
about 0.1 % with ten times as many states as otherwise fit into SIZE. So it proves
nothing, and the exit code is 2 if nothing is broken. Another --seed takes the
steps in another order. Liveness is left out.

A client that has failed once may go on in the same way whatever the reason was.
With --equal-futures a search of more than 20000 states takes such local states as
one, and checks that each of them gives the same answer to all that it is asked. Its
proof is as good, and has fewer states: stamp-lock with five clients a tenth. Where it
finds nothing to merge, it takes up to three times as long. It is not used for liveness,
linearizability, properties of the user's own, and time without end.

A search with --checkpoint FILE can go on later: when a limit, Ctrl-C, SIGTERM or the
end of its terminal (SIGHUP) ends it, and every 10 minutes, it writes FILE, as a whole
or not at all. FILE must be a new one, or that of --resume. With --resume FILE the same
build of interlock goes on from there, also under other limits, and comes to the verdict
of a search that was not interrupted. FILE is the user's alone, has 24 to 72 bytes for
each state, and is never removed. The search for cycles, where liveness is required,
begins anew. If vacuous properties are left out, the search for the others is not kept.
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
      {"What no run has executed, beside what some run has",
       "interlock explore stamp-lock --coverage"},
      {"The same beside the lines of the source, as a page",
       "interlock explore stamp-lock --coverage -f html \\\n  -o coverage.html"},
      {"Too large for all runs: random ones",
       "interlock explore bill-lock --clients 8 --attempts 5 \\\n  --random 100000 --seed 7"},
      {"Too large for the memory: bits of the states",
       "interlock explore stamp-lock --clients 6 --attempts 2 --bitstate 1G"},
      {"As long as it takes, with interruptions",
       "interlock explore stamp-lock --clients 5 --attempts 2 --instants 3 \\\n"
       "  --checkpoint search.ckpt\ninterlock explore stamp-lock --clients 5 --attempts 2 "
       "--instants 3 \\\n  --resume search.ckpt"},
      {"For a CI: all of these, as test results",
       "interlock explore --format junit -o report.xml stamp-lock lease-lock"},
      {"The run that breaks it, as a test of GoogleTest",
       "interlock explore del-setnx-lock -f gtest -o regression_test.cpp"},
      {"A lock of your own, in any language",
       "interlock explore --clients 3 --instants 5 -- python3 worker.py"}};
  all.see_also =
      "interlock-scenarios(1), interlock-replay(1), interlock-shrink(1), "
      "interlock-schedule(5)";
  return all;
}

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

// The names of the scenarios, or that of a command.
Fallible<std::vector<std::string>> operands(const Arguments& arguments,
                                            const DrawingFlags& drawing,
                                            bool has_command) {
  const std::vector<std::string>& given = arguments.operands;
  if (has_command && given.empty()) {
    if (const auto wrong = drawing.why_no_command()) return *wrong;
    return std::vector{std::string(command_scenario)};
  }
  if (has_command) {
    return Failure(usage,
                   fmt::format("'{}' is a scenario and behind -- is a command: leave one out",
                               printable(given.front(), 60)));
  }
  if (given.empty()) return Failure(usage, "no scenario given: see interlock scenarios");
  if (given.size() > 1 && !drawing.is_report()) {
    return Failure(usage, fmt::format("unexpected argument '{}': only --format junit and sarif "
                                      "tell of several scenarios",
                                      printable(given[1], 60)));
  }
  return given;
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

// Whether what is drawn is the source with what the search has executed, and not a run.
bool draws_source(bool coverage, const DrawingFlags& drawing) {
  return coverage && drawing.format && drawing.format->text == "html";
}

int show(const FinishedSearch& search, const DrawingFlags& drawing, bool coverage) {
  const sim::Verdict& verdict = search.verdict;
  if (draws_source(coverage, drawing)) return show(verdict, drawing, coverage_page(verdict));
  if (verdict.run.empty() && drawing.needs_run()) {
    say(fmt::format("nothing to write as {}: {}", drawing.format->text, why_no_run(verdict)));
    return exit_code(verdict);
  }
  const auto drawn = drawing.draw(search.chosen, verdict.run, &verdict);
  if (!drawn) return fail(drawn.error());
  return show(verdict, drawing, *drawn + (drawing.is_words() ? search.figures : ""));
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
                                     bool coverage,
                                     const DrawingFlags& drawing,
                                     const std::optional<Given>& threads,
                                     const PartialFlags& partial) {
  if (json && drawing.format) {
    return Failure(usage, fmt::format("--json and {} both say what is written: leave one out",
                                      drawing.format->said()));
  }
  if (threads && partial.wants_bits()) {
    return Failure(usage, fmt::format("{} is for the exhaustive search and random runs: leave it "
                                      "out, or {}",
                                      threads->said(), partial.names()));
  }
  if (coverage && partial.asked()) {
    return Failure(usage,
                   fmt::format("--coverage is for the exhaustive search: leave it out, or {}",
                               partial.names()));
  }
  if (coverage && !drawing.is_words() && !draws_source(coverage, drawing)) {
    return Failure(usage, fmt::format("--coverage is a listing below the formats text and ascii or "
                                      "a page as html, and --json has it: leave it out, or {}",
                                      drawing.format->said()));
  }
  return std::nullopt;
}

// What is searched, and how.
class Exploration {
 public:
  SearchFlags search;
  PartialFlags partial;
  DrawingFlags drawing;
  CheckpointFlags checkpoint;
  bool json = false;
  bool coverage = false;
  bool no_symmetry = false;
  bool equal_futures = false;
  std::optional<Given> threads;
  sim::Limits limits;
  sim::RandomSearch random;
  sim::BitstateSearch bits;
  std::unique_ptr<sim::ThreadTeam> team;

  // Reads limits and numbers, and refuses flags that do not fit together, before the search, which
  // may take long.
  std::optional<Failure> read();
  // Searches the scenario of that name.
  Fallible<FinishedSearch> find(const std::string& name, SearchWatch& watch);

 private:
  std::optional<Failure> check_equal_futures() const;
  sim::Verdict search_all(const sim::Scenario& scenario, const Chosen& chosen, SearchWatch& watch);
  std::string again(const Chosen& chosen, bool told_apart, const sim::Verdict& verdict) const;
  std::string partial_words() const;
  Fallible<FinishedSearch> find_partial(Chosen chosen, bool told_apart, SearchWatch& watch);
};

std::optional<Failure> Exploration::read() {
  const auto limits_given = search.limits();
  if (!limits_given) return limits_given.error();
  limits = *limits_given;
  const auto threads_wanted = team_size(threads);
  if (!threads_wanted) return threads_wanted.error();
  const auto random_given = partial.random_search();
  if (!random_given) return random_given.error();
  random = *random_given;
  const auto bits_given = partial.bitstate_search();
  if (!bits_given) return bits_given.error();
  bits = *bits_given;
  if (search.max_states) bits.states = limits.states;
  if (partial.wants_bits() && search.max_memory) {
    if (!search.max_memory->from_environment) {
      return Failure(usage, fmt::format("{} is for searches that keep states: leave it out, or {}",
                                        search.max_memory->said(), partial.names()));
    }
    search.max_memory.reset();
  }
  if (auto wrong = drawing.check()) return wrong;
  if (auto wrong = contradiction(json, coverage, drawing, threads, partial)) return wrong;
  if (auto wrong = check_equal_futures()) return wrong;
  if (auto wrong = checkpoint.check(partial, equal_futures, drawing)) return wrong;
  if (partial.wants_bits()) return std::nullopt;
  auto started = start_team(*threads_wanted);
  if (!started) return started.error();
  team = std::move(*started);
  limits.team = random.team = team.get();
  return std::nullopt;
}

std::optional<Failure> Exploration::check_equal_futures() const {
  const auto leave_out = [](const std::string& what, const std::string& other) {
    return Failure(usage, fmt::format("--equal-futures {}: leave it out, or {}", what, other));
  };
  if (!equal_futures) return std::nullopt;
  if (partial.asked()) return leave_out("is for the exhaustive search", partial.names());
  if (coverage) return leave_out("does not know what each client has done", "--coverage");
  return std::nullopt;
}

std::string Exploration::again(const Chosen& chosen,
                               bool told_apart,
                               const sim::Verdict& verdict) const {
  return fmt::format("interlock explore {}{}{}{}{}{}", chosen.words(),
                     told_apart ? " --no-symmetry" : "", equal_futures ? " --equal-futures" : "",
                     search.limit_words(limits, verdict), partial_words(), chosen.tail());
}

std::string Exploration::partial_words() const {
  if (partial.wants_bits()) return PartialFlags::words(bits);
  return partial.asked() ? PartialFlags::words(random) : "";
}

Fallible<FinishedSearch> Exploration::find_partial(Chosen chosen,
                                                   bool told_apart,
                                                   SearchWatch& watch) {
  random.proceed = [&watch](const sim::RandomProgress& progress) {
    return watch.proceed(progress);
  };
  bits.proceed = limits.proceed;
  PartialSearch met = partial.wants_bits() ? search_by_bits(chosen, bits, limits, watch)
                                           : search_by_chance(chosen, random, limits, watch);
  const auto failed = client_failure(met.chosen.scenario, met.verdict);
  watch.wipe();
  if (failed) return *failed;
  FinishedSearch found(met.chosen, met.verdict);
  sim::Verdict& verdict = found.verdict;
  if (verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty() &&
      !verdict.reason.starts_with(watch.reason())) {
    verdict.reason = watch.reason();
  }
  // The bounds of a search by bits have its limit on states already.
  if (!partial.wants_bits()) verdict.bounds += limits.bounds();
  verdict.bounds += search.more_bounds(limits, verdict);
  found.seconds = watch.seconds();
  found.again = again(chosen, told_apart, verdict);
  met.verdict = verdict;
  tell(found, met, drawing);
  return found;
}

sim::Verdict Exploration::search_all(const sim::Scenario& scenario,
                                     const Chosen& chosen,
                                     SearchWatch& watch) {
  if (equal_futures) return sim::explore_merged(scenario, limits);
  if (!checkpoint.asked()) return sim::explore(scenario, limits);
  return checkpoint.explore(scenario, limits, chosen.words(), watch);
}

Fallible<FinishedSearch> Exploration::find(const std::string& name, SearchWatch& watch) {
  auto chosen = choose(name, search);
  if (!chosen) return chosen.error();
  if (equal_futures && name == command_scenario) {
    return Failure(usage, "--equal-futures is for scenarios: leave it out, or the command");
  }
  const std::string bounds_with_symmetry = chosen->scenario.bounds();
  if (no_symmetry) chosen->scenario.symmetry(false);
  const bool told_apart = chosen->scenario.bounds() != bounds_with_symmetry;
  limits.proceed = [&watch](const sim::Progress& progress) { return watch.proceed(progress); };
  if (partial.asked()) return find_partial(std::move(*chosen), told_apart, watch);
  if (checkpoint.asked() && name == command_scenario)
    return checkpoint.contradiction("does not know what a command consists of", "the command");
  auto searched = search_chosen(
      *chosen, [&](const sim::Scenario& scenario) { return search_all(scenario, *chosen, watch); });
  watch.wipe();
  if (!searched) return searched.error();
  if (checkpoint.failure()) return *checkpoint.failure();
  FinishedSearch found(std::move(*chosen), std::move(searched->verdict));
  found.left_out = std::move(searched->left_out);
  found.asked_to_merge = equal_futures;
  sim::Verdict& verdict = found.verdict;
  if (verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    verdict.reason = watch.reason();
  }
  found.again = again(found.chosen, told_apart, verdict);
  verdict.bounds += search.more_bounds(limits, verdict);
  found.seconds = watch.seconds();
  tell(found, drawing, coverage);
  return found;
}

// Searches all of these scenarios, each with the whole time of --seconds. What is wrong with one of
// them ends it: a report without a scenario would look as if all had been searched.
int report(Exploration& how, const std::vector<std::string>& names, std::chrono::seconds most) {
  SearchReports reports(how.drawing.format->text);
  std::string ended;
  for (const std::string& name : names) {
    if (!ended.empty()) {
      reports.add_not_begun(name, ended);
      continue;
    }
    SearchWatch watch(most);
    watch_clients([&watch](std::uint64_t runs) { return watch.proceed_with_clients(runs); });
    restart_peak_memory();
    const auto found = how.find(name, watch);
    if (!found) return fail(found.error());
    reports.add(*found, peak_memory());
    if (watch.reason() == "interrupted") ended = watch.reason();
  }
  const int written = how.drawing.write(reports.text());
  return written == success ? reports.exit_code() : written;
}

int explore(const Invocation& given) {
  Exploration how;
  const SplitLine line(given.words);
  ClientFlags clients(line.command);
  Flags flags("explore [flags] SCENARIO...|FILE|-- COMMAND...",
              "Searches every run of SCENARIO within bounds, or many random runs: proves it, or "
              "shows the shortest run that breaks it.");
  how.search.add_to(flags);
  how.partial.add_to(flags);
  clients.add_to(flags);
  flags
      .value(0, "threads", "N", &how.threads,
             "share the search among N threads; all: one for each core")
      .suggested = {"all"};
  flags.toggle(0, "no-symmetry", &how.no_symmetry, "distinguish identical clients (slower)");
  flags.toggle(0, "equal-futures", &how.equal_futures,
               "take local states that do the same from then on as one");
  flags.toggle(0, "coverage", &how.coverage,
               "list which answers, sections and faults some run had, and which none");
  how.checkpoint.add_to(flags);
  how.drawing.add_to(flags, DrawingFlags::Reports::offered);
  flags.json(&how.json, STDOUT_FILENO, "the verdict and its figures as one JSON object");
  flags.operand("SCENARIO", scenario_names().or_files(), true);
  flags.command(Flags::CommandPlace::after_dashes);
  flags.explain(explanation());
  constexpr std::size_t scenarios_most = 1000;
  const auto arguments = flags.parse(line.words, scenarios_most);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  const auto seconds = how.search.seconds();
  if (!seconds) return fail(seconds.error());
  if (const auto wrong = how.read()) return fail(*wrong);
  const auto names = operands(*arguments, how.drawing, clients.has_command());
  if (!names) return fail(names.error());
  ignore_broken_pipes();
  if (clients.has_command()) {
    how.limits.repeated_steps = how.random.repeated_steps = how.bits.repeated_steps =
        repeated_steps_of_clients;
  }
  std::optional<SearchWatch> watch(*seconds);
  watch_clients([&watch](std::uint64_t runs) { return watch->proceed_with_clients(runs); });
  if (const auto failed = clients.begin(how.search.options({}))) {
    watch->wipe();
    if (watch->reason().empty()) return fail(*failed);
    return fail(Failure(undecided, fmt::format("{} ({})", failed->message, watch->reason())));
  }
  if (how.drawing.is_report()) {
    watch.reset();  // one at a time
    return report(how, *names, *seconds);
  }
  const auto found = how.find(names->front(), *watch);
  if (!found) return fail(found.error());
  return how.checkpoint.exit_code(how.json ? show(found->verdict, how.drawing, found->json)
                                           : show(*found, how.drawing, how.coverage));
}

}  // namespace

extern const Command explore_command;
const Command explore_command{"explore [flags] SCENARIO...|FILE|-- COMMAND...",
                              "every run of a lock: a proof, or the shortest that fails", explore};

}  // namespace interlock::cli
