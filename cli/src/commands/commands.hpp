// The subcommands. To add one: write NAME_command in a file of its own, and add a line to the table
// in main.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console/flags.hpp"
#include "console/talk.hpp"
#include "system/standard_files.hpp"

namespace interlock::cli {

class Invocation {
 public:
  std::vector<std::string> words;  // what follows the subcommand's name
  StandardFiles standard_files{};
  // What a command does with its table of flags when it is given --help, and its exit code. The
  // manual and the completion put something else in place of the page.
  std::function<int(const Flags& flags)> show = [](const Flags& flags) {
    return answer(flags.help());
  };
};

class Command {
 public:
  std::string_view synopsis;            // `run [flags] LOCK [--] COMMAND...`
  std::string_view summary;             // for the list of all: `run COMMAND while holding LOCK`
  int (*run)(const Invocation& given);  // gives the exit code
};

class NamedCommand {
 public:
  std::string_view name;
  const Command* command;
};
// Every command, in the order of the help; and those that scripts call, which help does not list.
std::span<const NamedCommand> all_commands();
std::span<const NamedCommand> hidden_commands();
// Null: there is none of this name.
const Command* find_command(std::string_view name);

// What `interlock` alone prints, before the list of commands.
std::span<const Example> first_examples();

}  // namespace interlock::cli
