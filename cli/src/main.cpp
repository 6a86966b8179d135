// interlock: locks across processes and machines.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "console/talk.hpp"
#include "console/urls.hpp"
#include "interlock/detail/nearest_word.hpp"
#include "system/command_line.hpp"
#include "system/signals.hpp"

#ifdef INTERLOCK_CLI_SIMULATOR
#define INTERLOCK_SIMULATOR_COMMANDS(X) \
  X(demo)                               \
  X(explore)                            \
  X(graph)                              \
  X(play)                               \
  X(lab)                                \
  X(replay)                             \
  X(shrink)                             \
  X(diff)                               \
  X(scenarios)
#else
#define INTERLOCK_SIMULATOR_COMMANDS(X)
#endif

// Every subcommand, in the order of the help.
#define INTERLOCK_COMMANDS(X)     \
  X(run)                          \
  X(hold)                         \
  X(elect)                        \
  X(watch)                        \
  X(status)                       \
  X(top)                          \
  X(break)                        \
  X(check)                        \
  INTERLOCK_SIMULATOR_COMMANDS(X) \
  X(manual)                       \
  X(completion)                   \
  X(version)

namespace interlock::cli {

#define INTERLOCK_DECLARE(name) extern const Command name##_command;
INTERLOCK_COMMANDS(INTERLOCK_DECLARE)
INTERLOCK_DECLARE(complete)
#undef INTERLOCK_DECLARE

namespace {

#define INTERLOCK_ENTRY(name) NamedCommand{#name, &name##_command},
constexpr std::array commands{INTERLOCK_COMMANDS(INTERLOCK_ENTRY)};
constexpr std::array hidden{INTERLOCK_ENTRY(complete)};
#undef INTERLOCK_ENTRY

std::string overview() {
  std::string text;
  for (const Example& each : first_examples()) {
    text += fmt::format("{:<46}{}\n", each.lines, each.caption);
  }
  text += '\n';
  for (const NamedCommand& entry : commands) {
    text += fmt::format("  {:<11} {}\n", entry.name, entry.command->summary);
  }
  return text + "\ninterlock COMMAND --help shows more.\n";
}

// Words that other locks and other programs have for what a command here does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> words_of_others{
    {{"lock", "interlock run LOCK -- COMMAND, or interlock hold LOCK"},
     {"acquire", "interlock run LOCK -- COMMAND, or interlock hold LOCK"},
     {"exec", "interlock run LOCK -- COMMAND"},
     {"unlock", "interlock break LOCK --token T; a lock ends with its command, or with hold"},
     {"release", "interlock break LOCK --token T; a lock ends with its command, or with hold"},
     {"list", "interlock status"},
     {"ls", "interlock status"},
     {"ps", "interlock status, or interlock top"},
     {"man", "man interlock, or interlock manual | man -l -"}}};

std::string advice_for(const std::string& typed, const std::vector<std::string>& others) {
  for (const auto& [word, here] : words_of_others) {
    if (typed == word) return fmt::format("write {}", here);
  }
  // The name of a lock, as behind flock.
  if (others.size() > 1 && others.front() == "--") {
    return fmt::format("write interlock run {} -- COMMAND", printable(typed, 60));
  }
  std::vector<std::string> names{"help"};
  for (const NamedCommand& entry : commands) names.emplace_back(entry.name);
  const std::string meant = detail::nearest_word(typed, names);
  return meant.empty() ? "see interlock --help" : fmt::format("did you mean '{}'?", meant);
}

int unknown(const std::string& typed, const std::vector<std::string>& others) {
  return fail({usage, fmt::format("unknown command '{}'; {}", printable(typed, 60),
                                  advice_for(typed, others))});
}

int dispatch(std::vector<std::string> words, StandardFiles standard_files) {
  if (words.empty()) return answer(overview());
  std::string name = words.front();
  words.erase(words.begin());
  if (name == "--version") name = "version";
  if (name == "--help" || name == "-h" || name == "help") {
    if (words.empty()) return answer(overview());
    name = words.front();
    words = {"--help"};
  }
  if (const Command* const command = find_command(name)) {
    Invocation given;
    given.words = std::move(words);
    given.standard_files = standard_files;
    return command->run(given);
  }
  const bool wants_json =
      name == "--json" || std::find(words.begin(), words.end(), "--json") != words.end();
  if (wants_json) fail_in_json(STDOUT_FILENO);
  return unknown(name, words);
}

}  // namespace

std::span<const NamedCommand> all_commands() {
  return commands;
}

std::span<const NamedCommand> hidden_commands() {
  return hidden;
}

const Command* find_command(std::string_view name) {
  for (const auto table : {all_commands(), hidden_commands()}) {
    for (const NamedCommand& entry : table) {
      if (entry.name == name) return entry.command;
    }
  }
  return nullptr;
}

std::span<const Example> first_examples() {
  static constexpr std::array examples{
      Example{"run a command under a lock", "interlock run deploy -- ./deploy.sh"},
      Example{"do not wait if the lock is held", "interlock run -w 0 nightly -c 'make backup'"},
      Example{"who holds it, and for how long", "interlock status deploy"}};
  return examples;
}

}  // namespace interlock::cli

namespace {

constexpr char no_memory[] = "out of memory: raise the limit (ulimit -v) or end something else";

// A static object that finds no memory ends the program before main() begins: nothing catches its
// exception, and there may be no memory even for that. Made before the other static objects.
class OutOfMemoryBeforeMain {
 public:
  OutOfMemoryBeforeMain() : usual_(std::set_terminate(tell)) {}
  void main_begins() const { std::set_terminate(usual_); }

 private:
  [[noreturn]] static void tell() {
    static_cast<void>(!::write(STDERR_FILENO, "interlock: ", sizeof("interlock: ") - 1));
    static_cast<void>(!::write(STDERR_FILENO, no_memory, sizeof(no_memory) - 1));
    static_cast<void>(!::write(STDERR_FILENO, "\n", 1));
    ::_exit(interlock::cli::operating_system);
  }

  std::terminate_handler usual_;
};
[[gnu::init_priority(101)]] const OutOfMemoryBeforeMain out_of_memory_before_main;

}  // namespace

int main(int argc, char** argv) {
  out_of_memory_before_main.main_begins();
  const interlock::cli::KeptMessages kept_messages;
  const auto standard_files = interlock::cli::fill_standard_files();
  interlock::cli::ignore_file_size_signal();
  try {
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    interlock::cli::remember_command_line(argc, argv);
    interlock::cli::hide_passwords(argc, argv);
    return interlock::cli::dispatch(std::move(words), standard_files);
  } catch (const std::system_error& error) {
    return interlock::cli::fail(interlock::cli::system_failure(error));
  } catch (const std::bad_alloc&) {
    return interlock::cli::fail({interlock::cli::operating_system, no_memory});
  } catch (const std::exception& error) {
    return interlock::cli::fail(
        {interlock::cli::internal,
         fmt::format("internal error: {}: please report it", error.what())});
  }
}
