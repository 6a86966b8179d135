#include "letters.hpp"

#include <algorithm>

#include "columns.hpp"

namespace interlock::sim::draw {
namespace {

// Thousandths of the text's size: those of DejaVu Sans and Verdana, the widest that are usual.
int width_of_letter(std::string_view letter, Face face) {
  if (face == Face::mono) return static_cast<int>(columns(letter)) * 625;
  int width = 660;
  if (letter.size() > 1) {
    width = columns(letter) > 1 ? 1030 : 1000;
  } else if (std::string_view("fijlrtI.,:;'!|()[] ").find(letter) != std::string_view::npos) {
    width = 420;
  } else if (std::string_view("mwMW@%").find(letter) != std::string_view::npos) {
    width = 1060;
  } else if (letter.front() >= 'A' && letter.front() <= 'Z') {
    width = 800;
  }
  return face == Face::bold ? width * 112 / 100 : width;
}

std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = character_length(rest);
    letters.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return letters;
}

}  // namespace

int text_width(std::string_view text, Face face, int size) {
  int width = 0;
  for (const std::string& letter : letters_of(printable(text, false))) {
    width += width_of_letter(letter, face);
  }
  return (width * size + 999) / 1000;
}

std::string fitted(std::string_view text, Face face, int size, int room) {
  std::string whole = printable(text, false);
  if (text_width(whole, face, size) <= room) return whole;
  const std::vector<std::string> letters = letters_of(whole);
  std::string begin = letters.front();
  std::string end = letters.back();
  std::size_t from = 1;
  std::size_t to = letters.size() - 1;
  // The beginning grows first: it says what the text is about.
  while (from < to) {
    const bool grow_begin = from <= letters.size() - to;
    const std::string longer =
        grow_begin ? begin + letters[from] + "…" + end : begin + "…" + letters[to - 1] + end;
    if (text_width(longer, face, size) > room) break;
    if (grow_begin) {
      begin += letters[from++];
    } else {
      end.insert(0, letters[--to]);
    }
  }
  return begin + "…" + end;
}

std::vector<std::string> in_lines(std::string_view text, Face face, int size, int room) {
  std::vector<std::string> lines;
  std::string line;
  const std::string whole = printable(text, false);
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find(' ', at), whole.size());
    const std::string word = whole.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const std::string longer = line.empty() ? word : line + " " + word;
    if (text_width(longer, face, size) <= room) {
      line = longer;
      continue;
    }
    if (!line.empty()) lines.push_back(line);
    line = fitted(word, face, size, room);
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace interlock::sim::draw
