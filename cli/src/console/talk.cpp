#include "console/talk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "console/json_line.hpp"

namespace interlock::cli {
namespace {

constexpr std::size_t line_longest = 4096;

// The descriptor for failures as JSON; none: they go to stderr, in words.
std::optional<int> json_descriptor;

// False: errno says why.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void say(std::string_view message) {
  // If stderr cannot be written, the error cannot be reported.
  static_cast<void>(
      write_all(STDERR_FILENO, "interlock: " + printable(message, line_longest) + "\n"));
}

void say_object(std::string_view object) {
  static_cast<void>(write_all(STDERR_FILENO, std::string(object) + "\n"));
}

int fail(const Failure& failure) {
  return fail(failure, failure.code);
}

int fail(const Failure& failure, int exit_code) {
  if (!json_descriptor) {
    say(failure.message);
    return exit_code;
  }
  const nlohmann::ordered_json object{{"v", 1},
                                      {"result", result_of(failure.code)},
                                      {"exit", exit_code},
                                      {"error", printable(failure.message, line_longest)}};
  static_cast<void>(write_all(*json_descriptor, json_line(object) + "\n"));
  return exit_code;
}

void fail_in_json(int descriptor) {
  json_descriptor = descriptor;
}

int answer(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return success;
  if (errno == EPIPE) return ended_by_signal(SIGPIPE);
  say(fmt::format("the answer could not be written: {}: check where standard output goes",
                  std::strerror(errno)));
  return operating_system;
}

}  // namespace interlock::cli
