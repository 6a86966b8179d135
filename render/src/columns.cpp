#include "columns.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace interlock::sim::draw {
namespace {

// One character of UTF-8, or one byte that is none.
class Character {
 public:
  std::string_view bytes;
  char32_t code = 0;
  bool valid = false;
};

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const Character invalid{text.substr(0, 1), 0, false};
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  std::size_t length = 0;
  char32_t code = 0;
  if (lead >= 0xC2 && lead < 0xE0) {
    length = 2;
    code = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
    code = lead & 0x0FU;
  } else if (lead >= 0xF0 && lead < 0xF5) {
    length = 4;
    code = lead & 0x07U;
  } else {
    return invalid;
  }
  if (text.size() < length) return invalid;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return invalid;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (too_long || surrogate || code > 0x10FFFF) return invalid;
  return {text.substr(0, length), code, true};
}

bool is_in(char32_t code, std::initializer_list<std::pair<char32_t, char32_t>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

// A character that changes the direction of writing would turn the lanes around, so it counts as a
// control character, too.
bool is_control(char32_t code) {
  return is_in(code, {{0, 0x1F}, {0x7F, 0x9F}, {0x2028, 0x202E}, {0x2066, 0x2069}});
}

// The blocks that terminals draw two columns wide, or on top of the character before. Whole blocks
// are enough here: a lane that is a column short is a blemish, one that is too long breaks a line.
std::size_t width_of(char32_t code) {
  if (is_in(code, {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}})) {
    return 0;
  }
  const bool wide = is_in(code, {{0x1100, 0x115F},
                                 {0x2E80, 0xA4CF},
                                 {0xA960, 0xA97F},
                                 {0xAC00, 0xD7A3},
                                 {0xF900, 0xFAFF},
                                 {0xFE30, 0xFE6F},
                                 {0xFF00, 0xFF60},
                                 {0xFFE0, 0xFFE6},
                                 {0x1F000, 0x1FAFF},
                                 {0x20000, 0x3FFFD}});
  return wide ? 2 : 1;
}

std::string_view plain(char32_t code) {
  switch (code) {
    case U'→':
      return "->";
    case U'·':
      return "-";
    case U'…':
      return "~";
    case U'✗':
      return "X";
    case U'✓':
      return "ok";
    case U'▶':
      return ">";
    case U'×':
      return "x";
    default:
      return "?";
  }
}

}  // namespace

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const Character one = first_character(text);
  return one.valid ? one.bytes.size() : 0;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const Character one = first_character(text);
    count += one.valid && !is_control(one.code) ? width_of(one.code) : 1;
    text.remove_prefix(one.bytes.size());
  }
  return count;
}

std::string printable(std::string_view text, bool ascii) {
  std::string result;
  while (!text.empty()) {
    const Character one = first_character(text);
    if (!one.valid || is_control(one.code)) {
      result += '?';
    } else if (one.code < 0x80 || !ascii) {
      result += one.bytes;
    } else {
      result += plain(one.code);
    }
    text.remove_prefix(one.bytes.size());
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most, bool ascii) {
  std::string whole = printable(text, ascii);
  if (columns(whole) <= most) return whole;
  if (most == 0) return {};
  std::string result;
  std::size_t used = 0;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const Character one = first_character(rest);
    const std::size_t width = width_of(one.code);
    if (used + width > most - 1) break;
    used += width;
    result += one.bytes;
    rest.remove_prefix(one.bytes.size());
  }
  return result + (ascii ? "~" : "…");
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  std::string result(text);
  if (used < width) result.append(width - used, ' ');
  return result;
}

std::string right_aligned(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  std::string result;
  if (used < width) result.append(width - used, ' ');
  return result += text;
}

}  // namespace interlock::sim::draw
