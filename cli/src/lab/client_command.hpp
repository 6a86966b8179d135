// A command instead of a scenario: `interlock explore --clients 3 -- python3 worker.py`. Its
// processes are the clients of the scenario `command`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/failure.hpp"
#include "console/flags.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::cli {

// The name of the scenario that a command makes.
inline constexpr std::string_view command_scenario = "command";
// Limits::repeated_steps of its searches: each run of a client is a process.
inline constexpr std::uint64_t repeated_steps_of_clients = 100;

// The words of a command line, up to `--`, and the command behind it.
class SplitLine {
 public:
  explicit SplitLine(const std::vector<std::string>& words);
  std::vector<std::string> words;
  std::vector<std::string> command;  // empty: none was given
};

// The words of a command line with each run in one line, as explore prints it
// (`command,instants=5:1ttt2 --apart 500 -- python3 worker.py`, one word), replaced by its run.
// What stands behind the run, the flags and the command, comes last. `usage`: such a word is quoted
// wrongly, or two commands are named.
Fallible<std::vector<std::string>> with_runs_opened(const std::vector<std::string>& words);

// --apart, --servers and --patience, and the command that they are for.
class ClientFlags {
 public:
  explicit ClientFlags(std::vector<std::string> command) : command_(std::move(command)) {}
  void add_to(Flags& flags);
  bool has_command() const { return !command_.empty(); }

  // Makes the command's clients known as the scenario `command`, and runs one of them alone, or two
  // if one does not enter, to learn which locks they enter. `given` are the options of the search.
  // Fails with `usage`, with `undecided` if the client asks for something that is not modelled, or
  // if no client enters. Without a command this only checks that none of these flags was given.
  std::optional<Failure> begin(const sim::ScheduleOptions& given) const;

 private:
  Fallible<std::uint64_t> number(const std::optional<Given>& given,
                                 std::uint64_t usual,
                                 std::uint64_t most) const;

  std::vector<std::string> command_;
  std::optional<Given> apart_;
  std::optional<Given> servers_;
  std::optional<Given> patience_;
};

// The options of a run in its short form; none of another.
sim::ScheduleOptions options_of_run(const std::string& run);

// True: since the scenario was made, clients have reported names (of locks, goals, events,
// resources) that it does not have. It must be made and searched again, and then has them.
bool learn_new_names();
// For a game, which is made once: learns as many names as a short search meets.
void learn_all_names(const sim::ScheduleOptions& given);

// The scenario `command`; null: no command was given.
const sim::catalogue::CatalogueEntry* client_entry();

// ` --apart 500 --patience 60 -- python3 worker.py`: what a command line needs besides the
// scenario. Flags that say what is usual are left out. Empty: no command was given.
std::string client_words();

// A search of the clients that `search` makes. Repeats it with clients told apart if they need
// that, or with the error if they could not be searched: `undecided`. If a limit ended it, the
// verdict is `incomplete`.
Fallible<sim::Verdict> search_clients(
    sim::Scenario& scenario, const std::function<sim::Verdict(const sim::Scenario&)>& search);

// Why the clients could not be searched, if they could not be: `undecided`. Else `verdict` has what
// it rests on, and is `incomplete` if a limit ended the search.
std::optional<Failure> client_failure(const sim::Scenario& scenario, sim::Verdict& verdict);

// `, from 217 client runs`; empty: no command was given.
std::string client_figures();
// What else the verdict rests on, one line each.
std::vector<std::string> client_notes();

// Called before each run of a client, and while the search waits for a client, with the number of
// runs so far; false ends the search. Null: nothing is called.
void watch_clients(std::function<bool(std::uint64_t runs)> proceed);

}  // namespace interlock::cli
