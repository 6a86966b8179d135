#include "system/command_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace interlock::cli {
namespace {

char* first = nullptr;
std::size_t room = 0;

}  // namespace

void remember_command_line(int count, char** arguments) noexcept {
  if (count == 0) return;
  // The system puts the arguments behind each other.
  first = arguments[0];
  const char* const last = arguments[count - 1];
  room = static_cast<std::size_t>(last - first) + std::strlen(last) + 1;
}

void replace_command_line(std::string_view line) noexcept {
  if (room == 0) return;
  const std::size_t length = std::min(line.size(), room - 1);
  std::copy_n(line.data(), length, first);
  std::fill(first + length, first + room, '\0');
}

}  // namespace interlock::cli
