#include "supervision/command_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "console/talk.hpp"

namespace interlock::cli {
namespace {

std::optional<mode_t> mode_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_mode;
}

// The interpreter that the first line names, `#!/bin/sh -e`; empty: the file has no such line, or
// we may not read it.
std::string interpreter_of(const std::string& path) {
  if (!S_ISREG(mode_of(path).value_or(0))) return {};  // reading a pipe would block
  std::ifstream file(path);
  std::string line(256, '\0');  // as much as the kernel reads
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  if (!line.starts_with("#!")) return {};
  const auto begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

// The interpreter of `file`, or the interpreter of that one, and so on, which the kernel could not
// execute; empty: the interpreters are not the reason. The kernel follows only a few.
std::string bad_interpreter_of(std::string file) {
  for (int depth = 0; depth < 6; ++depth) {
    std::string interpreter = interpreter_of(file);
    if (interpreter.empty() || ::access(interpreter.c_str(), X_OK) != 0) return interpreter;
    file = interpreter;
  }
  return {};
}

Failure told(int code, const std::string& word, const std::string& why) {
  return {code, fmt::format("'{}' not started: {}", printable(word, 100), why)};
}

Failure bad_interpreter(const std::string& word, const std::string& interpreter) {
  const bool exists = mode_of(interpreter).has_value();
  const bool ends_in_return = !interpreter.empty() && interpreter.back() == '\r';
  return told(exists ? not_executable : not_found, word,
              fmt::format("its interpreter '{}' {}: {}", printable(interpreter, 100),
                          exists ? "may not be executed" : "does not exist",
                          ends_in_return ? "the file's lines end in CR LF: make that LF"
                                         : "correct the first line of the file"));
}

const char* advice_for(int error) {
  switch (error) {
    case EACCES:
      return "check that it is a file with execute permission";
    case ENOEXEC:
      return "it is neither a script nor a program for this machine";
    default:
      return "correct that and try again";
  }
}

// A text for a shell, or a word that only a shell knows, has been written as a command.
const char* why_missing(const std::string& word) {
  constexpr std::array<std::string_view, 7> of_the_shell{"cd",     "source", ".",    "export",
                                                         "ulimit", "umask",  "alias"};
  const bool is_of_the_shell =
      std::find(of_the_shell.begin(), of_the_shell.end(), word) != of_the_shell.end();
  if (is_of_the_shell) return "it is a word of the shell: write -c 'TEXT' for /bin/sh";
  if (word.find_first_of(" |&;<>") != std::string::npos) {
    return "no such command: write -c 'TEXT' for a text that /bin/sh should run";
  }
  return "no such command: check its name and PATH";
}

bool is_of_the_file(int error) {
  constexpr std::array<int, 9> errors{EACCES, EISDIR,       ENOEXEC, ELIBBAD, E2BIG,
                                      ELOOP,  ENAMETOOLONG, ETXTBSY, EPERM};
  return std::find(errors.begin(), errors.end(), error) != errors.end();
}

}  // namespace

std::vector<std::string> files_named(const std::string& word) {
  if (word.find('/') != std::string::npos) return {word};
  if (word.empty()) return {};
  const char* const variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/bin:/usr/bin";
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    files.push_back(folder.empty() ? "./" + word : folder + "/" + word);
    begin = end + 1;
  }
  return files;
}

bool is_binary(const char* path) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 80> bytes;
  const ssize_t count = ::read(file, bytes.data(), bytes.size());
  ::close(file);
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return begin.substr(0, begin.find('\n')).find('\0') != std::string_view::npos;
}

Failure not_started(const std::string& word, int error) {
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  if (is_missing || error == EACCES) {
    for (const std::string& file : files_named(word)) {
      const auto mode = mode_of(file);
      if (!mode) continue;
      if (S_ISDIR(*mode)) {
        if (word.find('/') == std::string::npos) continue;
        return told(not_executable, word, "it is a folder: name a file");
      }
      if (::access(file.c_str(), X_OK) != 0) continue;
      const std::string interpreter = bad_interpreter_of(file);
      if (!interpreter.empty()) return bad_interpreter(word, interpreter);
      if (!is_missing) continue;
      return told(not_found, word,
                  "the system's loader that it names does not exist: it was built for another "
                  "system");
    }
  }
  if (is_missing) return told(not_found, word, why_missing(word));
  return told(is_of_the_file(error) ? not_executable : operating_system, word,
              fmt::format("{}: {}", std::strerror(error), advice_for(error)));
}

std::optional<Failure> why_not_startable(const std::string& word) {
  std::optional<Failure> failed;
  for (const std::string& file : files_named(word)) {
    const auto mode = mode_of(file);
    if (!mode) {
      const bool unknown = errno != ENOENT && errno != ENOTDIR;
      if (unknown && !failed) failed = not_started(word, errno);
      continue;
    }
    if (!S_ISREG(*mode) || ::access(file.c_str(), X_OK) != 0) {
      failed = not_started(word, EACCES);
      continue;
    }
    const std::string interpreter = bad_interpreter_of(file);
    if (interpreter.empty()) return std::nullopt;
    // exec goes on in the next folder of PATH, too.
    failed = bad_interpreter(word, interpreter);
  }
  return failed ? failed : not_started(word, ENOENT);
}

}  // namespace interlock::cli
