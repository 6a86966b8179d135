// What can stand in the next place of a command line, from a command's table of flags.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "console/flags.hpp"
#include "console/suggestions.hpp"

namespace interlock::cli {

class Completion {
 public:
  std::vector<SuggestedWord> words;  // each begins with what was typed
  bool has_files = false;            // the name of a file as well
  bool is_command = false;           // the shell completes a command, from this word on:
  std::size_t command_begins = 0;

  // The words of `all` that begin with `begun`. Without words that hold control characters.
  static Completion of(const std::string& begun, const std::vector<SuggestedWord>& all);
};

// `before`: the words of the command, without its name, up to the one that is begun. Gives the
// targets of the flags their values from there and from the environment, so that an Suggestions can
// ask the store that is named.
Completion complete(const Flags& flags,
                    const std::vector<std::string>& before,
                    const std::string& begun);

}  // namespace interlock::cli
