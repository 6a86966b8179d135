#include "console/lines.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "interlock/detail/number.hpp"

namespace interlock::cli {
namespace {

// The byte at which the character with this number begins.
std::size_t byte_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (std::size_t left = character + 1; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && --left == 0) break;
  }
  return at;
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::string shortened(std::string_view text, std::size_t columns) {
  constexpr std::string_view gap = "...";
  const std::size_t all = width(text);
  if (all <= columns) return std::string(text);
  const std::size_t last = (columns - gap.size()) / 2;
  const std::size_t first = columns - gap.size() - last;
  return std::string(text.substr(0, byte_of(text, first))) + std::string(gap) +
         std::string(text.substr(byte_of(text, all - last)));
}

std::optional<std::size_t> terminal_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::size_t drawing_columns() {
  constexpr std::size_t usual = 80;
  constexpr std::size_t most = 1000;
  if (const auto columns = terminal_columns()) return *columns;
  const char* const said = std::getenv("COLUMNS");
  if (said == nullptr) return usual;
  return detail::parse_number<std::size_t>(std::string(said), 1, most).value_or(usual);
}

std::string wrapped(std::string_view text, std::size_t indent, std::optional<std::size_t> columns) {
  constexpr std::size_t least = 16;
  constexpr std::size_t small_indent = 4;
  if (!columns || *columns < small_indent + least) return std::string(text);
  std::string lines;
  if (*columns < indent + least) {
    indent = small_indent;
    lines = "\n" + std::string(indent, ' ');
  }
  const std::size_t room = *columns - indent;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t size = width(word);
    if (used != 0 && used + 1 + size > room) {
      lines += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used != 0) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += size;
  }
  return lines;
}

}  // namespace interlock::cli
