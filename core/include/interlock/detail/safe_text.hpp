// Text that somebody else wrote, on its way to a terminal or a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace interlock::detail {

class TextCharacter {
 public:
  std::size_t bytes;  // 1 if it is not UTF-8
  char32_t code;
  bool valid;
};

// The character at the beginning of a text that is not empty.
TextCharacter first_character(std::string_view text);

// Whether a character steers a terminal (controls, those of 0x80 to 0x9f included), changes the
// direction in which text is shown, or is shown as nothing.
bool is_unsafe(char32_t code);

// The text, with a question mark in the place of each such character and of each byte that is not
// UTF-8. A result of more than `longest` bytes is cut at the end of a character, and "..." is
// added.
std::string safe_text(std::string_view text, std::size_t longest = std::string_view::npos);

}  // namespace interlock::detail

#pragma GCC visibility pop
