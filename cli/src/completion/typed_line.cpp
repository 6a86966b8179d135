#include "completion/typed_line.hpp"

#include <cctype>

namespace interlock::cli {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n';
}

bool means_something(char letter, char quote) {
  if (quote == '"') return std::string_view("\"\\$`").find(letter) != std::string_view::npos;
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) == 0 && byte < 0x80 &&
         std::string_view("_-./:=,+@%").find(letter) == std::string_view::npos;
}

}  // namespace

TypedLine::TypedLine(std::string_view line, std::string_view breaks) {
  bool inside = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (quote_ == '\0' && is_blank(letter)) {
      inside = false;
      continue;
    }
    if (!inside) begin_word();
    inside = true;
    if (quote_ == '\0' && (letter == '\'' || letter == '"')) {
      quote_ = letter;
      add('\0', true, breaks);
      kept_ = words_.back().size();
    } else if (letter == quote_) {
      quote_ = '\0';
    } else if (letter == '\\' && quote_ != '\'' && at + 1 < line.size()) {
      add(line[++at], true, breaks);
    } else {
      add(letter, quote_ != '\0', breaks);
    }
  }
  if (!inside) begin_word();
}

void TypedLine::begin_word() {
  words_.emplace_back();
  begins_.push_back(pieces_++);
  in_break_ = false;
  kept_ = 0;
}

// `\0` stands for a quote, which belongs to a piece and to no word.
void TypedLine::add(char letter, bool is_quoted, std::string_view breaks) {
  const bool breaks_here = !is_quoted && breaks.find(letter) != std::string_view::npos;
  const bool is_first = words_.back().empty();
  if (breaks_here != in_break_) {
    if (!is_first) ++pieces_;
    in_break_ = breaks_here;
  }
  if (letter != '\0') words_.back() += letter;
  if (breaks_here) kept_ = words_.back().size();
}

std::string TypedLine::for_bash(const std::string& word) const {
  std::string text;
  for (const char letter : word.substr(std::min(kept_, word.size()))) {
    if (quote_ != '\'' && means_something(letter, quote_)) text += '\\';
    text += letter;
  }
  return text;
}

}  // namespace interlock::cli
