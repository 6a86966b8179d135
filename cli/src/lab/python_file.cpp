#include "lab/python_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "console/talk.hpp"

namespace interlock::cli {
namespace {

// `python`, `/usr/bin/python3`, `python3.11`.
bool is_python(const std::string& program) {
  std::string name = program.substr(program.rfind('/') + 1);
  if (!name.starts_with("python")) return false;
  return name.find_first_not_of("0123456789.", std::strlen("python")) == std::string::npos;
}

enum class PythonOption { alone, with_next_word, instead_of_a_file };

// What a word of Python's command line that begins with `-` says of the words behind it. Source:
// the manual of Python 3.13, "Command line and environment".
PythonOption option_of(const std::string& word) {
  if (word == "-" || word == "--help" || word == "--version")
    return PythonOption::instead_of_a_file;
  if (word == "--check-hash-based-pycs") return PythonOption::with_next_word;
  if (word.starts_with("--")) return PythonOption::alone;
  for (std::size_t at = 1; at < word.size(); ++at) {
    const bool last = at + 1 == word.size();
    switch (word[at]) {
      case 'c':
      case 'm':
      case 'h':
      case '?':
      case 'V':
        return PythonOption::instead_of_a_file;
      case 'W':
      case 'X':
        return last ? PythonOption::with_next_word : PythonOption::alone;
      default:
        break;
    }
  }
  return PythonOption::alone;
}

}  // namespace

std::optional<Failure> why_no_python_file(const std::vector<std::string>& command) {
  if (command.empty() || !is_python(command.front())) return std::nullopt;
  for (std::size_t at = 1; at < command.size(); ++at) {
    const std::string& word = command[at];
    if (!word.starts_with('-')) {
      if (::access(word.c_str(), R_OK) == 0) return std::nullopt;
      return Failure(usage, fmt::format("'{}' cannot be read: {}: name a Python file of yours",
                                        printable(word, 100), std::strerror(errno)));
    }
    const PythonOption option = option_of(word);
    if (option == PythonOption::instead_of_a_file) return std::nullopt;
    if (option == PythonOption::with_next_word) ++at;
  }
  return std::nullopt;
}

}  // namespace interlock::cli
