#include "base/escaped.hpp"

namespace interlock::sim {
namespace {

bool needs_escape(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7F || byte == '\\') return true;
  // An arrow stands before the reply and nowhere else.
  if (byte == '>') return at > 0 && text[at - 1] == '-';
  // This character would make a comment of its line.
  if (byte == '#') return at == 0;
  // Space at an end would not survive an editor.
  return byte == ' ' && (at == 0 || at + 1 == text.size());
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

bool is_control(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte < 0x20 || byte == 0x7F;
}

// `wanted` says of the character at a place whether it is escaped.
template <class Wanted>
std::string escape(std::string_view text, Wanted wanted) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!wanted(at)) {
      result += text[at];
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at]);
    result += "\\x";
    result += digits[byte >> 4U];
    result += digits[byte & 15U];
  }
  return result;
}

}  // namespace

std::string shown(std::string_view text) {
  return escape(text, [&](std::size_t at) { return is_control(text[at]); });
}

std::string escaped(std::string_view text) {
  return escape(text, [&](std::size_t at) { return needs_escape(text, at); });
}

std::string escaped_word(std::string_view text) {
  return escape(text, [&](std::size_t at) { return text[at] == ' ' || needs_escape(text, at); });
}

bool is_escaped_well(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') continue;
    if (at + 3 >= text.size() || text[at + 1] != 'x') return false;
    if (hex_digit(text[at + 2]) < 0 || hex_digit(text[at + 3]) < 0) return false;
    at += 3;
  }
  return true;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    result += static_cast<char>(hex_digit(text[at + 2]) << 4 | hex_digit(text[at + 3]));
    at += 3;
  }
  return result;
}

}  // namespace interlock::sim
