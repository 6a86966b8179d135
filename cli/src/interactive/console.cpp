#include "interactive/console.hpp"

#include <unistd.h>

#include <iostream>
#include <sstream>

#include "console/lines.hpp"
#include "console/talk.hpp"

namespace interlock::cli {

Console::Console(sim::TextStyle style)
    : style_(style), editor_(LineEditor::open()), typed_(::isatty(STDIN_FILENO) == 1) {}

sim::TextStyle Console::style() const {
  sim::TextStyle style = style_;
  style.width = drawing_columns();
  return style;
}

void Console::print(std::string_view text) {
  if (failure_ == 0) failure_ = answer(text);
}

void Console::say_words(std::string_view text, std::size_t indent) {
  print(sim::draw_words(text, indent, style()));
}

std::optional<std::string> Console::ask(const std::string& prompt, const PossibleWords& possible) {
  if (failure_ != 0) return std::nullopt;
  if (editor_) {
    auto edited = editor_->read(prompt, possible);
    if (!edited) print("\n");
    return edited;
  }
  print(prompt);
  std::string line;
  if (failure_ != 0) return std::nullopt;
  if (!std::getline(std::cin, line)) {
    print("\n");
    return std::nullopt;
  }
  if (!typed_) print(printable(line, 60) + "\n");
  return line;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace interlock::cli
