// The common part of explore, replay, shrink and diff: scenarios, runs and drawings by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "console/failure.hpp"
#include "console/flags.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::cli {

// Exit codes of these commands, as Jepsen has them; 64 and more are the program's own errors.
enum VerdictCode : int { holds = 0, violated = 1, undecided = 2 };

// A scenario in one size.
class Chosen {
 public:
  Chosen(const sim::catalogue::CatalogueEntry& of, sim::Scenario in, sim::ScheduleOptions given)
      : entry(of), scenario(std::move(in)), options(std::move(given)) {}
  const sim::catalogue::CatalogueEntry& entry;
  sim::Scenario scenario;
  sim::ScheduleOptions options;  // those that were given

  // Every option, so that a file means the same when defaults have changed.
  sim::ScheduleOptions all_options() const;
  // Only those that differ from the scenario's own choice, so that a line stays short.
  sim::ScheduleOptions needed_options() const;
  // `stamp-lock --clients 2 --attempts 1 --instants 5 --faults none`: this scenario in this size,
  // also after its defaults have changed.
  std::string words() const;
  // What follows all flags: ` -- python3 worker.py`, if a command was given. Else empty.
  std::string tail() const;

 private:
  void add_properties(sim::ScheduleOptions& all) const;
};
// `usage` if there is none of that name, or an option is wrong.
Fallible<Chosen> choose_scenario(const std::string& name, const sim::ScheduleOptions& options);

// Makes the scenario again, with the names that clients have reported since (learn_new_names).
std::optional<Failure> make_again(Chosen& chosen);

// The scenario of a schedule that was read from the file `from` with this text. `options` may
// differ from the file's own. A failure names the file and the line.
Fallible<Chosen> choose_scenario_of(const sim::Schedule& schedule,
                                    const sim::ScheduleOptions& options,
                                    const std::string& from,
                                    const std::string& text);

// A run that was given as a file (a schedule, or JSON), as `-` (standard input), as `NAME:STEPS`,
// or as the name of a scenario: then the shortest run that breaks it.
class Loaded {
 public:
  Loaded(Chosen of, sim::Run what) : chosen(std::move(of)), run(std::move(what)) {}
  Chosen chosen;
  sim::Run run;
};
// Loads a run, replays and checks it. `usage`: it is no schedule, or does not fit.
Fallible<Loaded> load_run(const std::string& word);

// The steps of a run as its schedule has them, for readers: a command that a program has sent is
// said once (RunStep::what).
sim::Schedule told_steps(const sim::Run& run);

// The whole of a file; `usage` if it cannot be read.
Fallible<std::string> read_file(const std::string& path);
bool is_file(const std::string& path);

// How drawings look on standard output: by its kind, the locale, NO_COLOR and TERM.
sim::TextStyle standard_style();

// The variables that standard_style() reads.
std::vector<ExplainedWord> drawing_variables();

// --format and --output.
class DrawingFlags {
 public:
  // Whether a CI's reports (junit, sarif), which tell of several searches, are formats here.
  enum class Reports : std::uint8_t { refused, offered };
  void add_to(Flags& flags, Reports reports = Reports::refused);
  bool is_report() const;
  // Before a search, which may take long: `usage` if there is no such format.
  std::optional<Failure> check() const;
  // `usage` if the format is not for the clients of a command.
  std::optional<Failure> why_no_command() const;
  // Whether the format draws only a run (schedule, short, mermaid, svg), and so nothing if the
  // verdict has none.
  bool needs_run() const;
  // `usage` if there is no such format.
  Fallible<std::string> draw(const Chosen& chosen,
                             const sim::Run& run,
                             const sim::Verdict* verdict) const;
  // Text beside a drawing: indented by `indent` columns from the second line on.
  std::string words(const std::string& text, std::size_t indent) const;
  // The listing of what a search has executed.
  std::string coverage(const sim::Verdict& verdict) const;
  // Whether the format is words: what stands below a drawing is written, too.
  bool is_words() const;
  // Writes to --output or standard output. Returns the exit code; 0: success.
  int write(const std::string& text) const;

  std::optional<Given> format;
  std::optional<Given> output;

 private:
  std::string kind() const;
  sim::TextStyle style() const;

  Reports reports_ = Reports::refused;
};

}  // namespace interlock::cli
