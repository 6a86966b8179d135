// The subcommands. To add one: write NAME_command in a file of its own, and add a line to the table
// in main.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "system/standard_files.hpp"

namespace interlock::cli {

class Invocation {
 public:
  std::vector<std::string> words;  // what follows the subcommand's name
  StandardFiles standard_files{};
};

class Command {
 public:
  std::string_view synopsis;            // `run [flags] LOCK [--] COMMAND...`
  std::string_view summary;             // for the list of all: `run COMMAND while holding LOCK`
  int (*run)(const Invocation& given);  // gives the exit code
};

}  // namespace interlock::cli
