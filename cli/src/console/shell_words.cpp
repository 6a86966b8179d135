#include "console/shell_words.hpp"

#include <fmt/format.h>

#include "console/safe_text.hpp"

namespace interlock::cli {
namespace {

constexpr std::string_view spaces = " \t\r\n";

// Bytes of letters beyond ASCII mean nothing to a shell; quoted() quotes them all the same.
bool is_plain(char letter) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  return plain.find(letter) != std::string_view::npos;
}

}  // namespace

std::string quoted(const std::string& word) {
  bool plain = !word.empty();
  for (const char letter : word) plain = plain && is_plain(letter);
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      text += "'\\''";
    } else {
      text += letter;
    }
  }
  return text + "'";
}

Fallible<std::vector<std::string>> unquoted_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // of a word, which may be empty: ''
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (spaces.find(letter) != std::string_view::npos) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (letter == '\'') {
      const std::size_t end = line.find('\'', at + 1);
      if (end == std::string_view::npos) {
        return Failure(usage, "a single quote is not closed: write the other one behind its word");
      }
      words.back() += line.substr(at + 1, end - at - 1);
      at = end;
    } else if (line.substr(at, 2) == "\\'") {
      words.back() += '\'';
      ++at;
    } else if (is_plain(letter) || static_cast<unsigned char>(letter) >= 0x80) {
      words.back() += letter;
    } else {
      return Failure(usage, fmt::format("the character {} means something to a shell: put its word "
                                        "in single quotes",
                                        printable(std::string_view(&letter, 1))));
    }
  }
  return words;
}

}  // namespace interlock::cli
