#include "talk.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace interlock::cli {
namespace {

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

std::string printable(std::string_view text, std::size_t longest) {
  std::string line(text.substr(0, longest));
  for (char& character : line) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) character = '?';
  }
  // Not a '.' alone: the reader must see that there was more.
  if (text.size() > longest) line += "...";
  return line;
}

void say(std::string_view message) {
  constexpr std::size_t line_longest = 4096;
  // Nobody is left to be told if stderr cannot be written.
  static_cast<void>(
      write_all(STDERR_FILENO, "interlock: " + printable(message, line_longest) + "\n"));
}

void say_object(std::string_view object) {
  static_cast<void>(write_all(STDERR_FILENO, std::string(object) + "\n"));
}

int fail(const Failure& failure) {
  say(failure.message);
  return failure.code;
}

int answer(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return success;
  if (errno == EPIPE) return ended_by_signal(SIGPIPE);
  say(fmt::format("the answer could not be written: {}: check where standard output goes",
                  std::strerror(errno)));
  return operating_system;
}

}  // namespace interlock::cli
