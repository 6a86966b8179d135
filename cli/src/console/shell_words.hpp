// Words of a command in one line of text, as a shell reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console/failure.hpp"

namespace interlock::cli {

// A word as a shell's user would type it: as it is, or in single quotes where it has a character
// that may mean something to a shell.
std::string quoted(const std::string& word);

// The words of a line in which each word is written as quoted() writes it, with any space between
// them. `usage`, if the line is written in another way: this is no shell, so a character that means
// something to a shell must stand in single quotes. The message says what is wrong, and does not
// name the line.
Fallible<std::vector<std::string>> unquoted_words(std::string_view line);

}  // namespace interlock::cli
