#include "manual/roff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace interlock::cli {
namespace {

constexpr std::size_t columns = 78;

bool is_letter(char each) {
  return std::isalpha(static_cast<unsigned char>(each)) != 0;
}

// A hyphen within a word of prose may be drawn as one; in flags, names of files and commands it
// must stay a minus, so that it can be copied.
bool is_prose(std::string_view word) {
  return !word.empty() && is_letter(word.front()) &&
         std::all_of(word.begin(), word.end(),
                     [](char each) { return is_letter(each) || each == '-'; });
}

std::string escaped(std::string_view word, bool in_prose) {
  std::string text;
  for (const char each : word) {
    switch (each) {
      case '\\':
        text += "\\e";
        break;
      case '-':
        text += in_prose ? "-" : "\\-";
        break;
      case '\'':
        text += "\\(aq";
        break;
      case '`':
        text += "\\(ga";
        break;
      case '^':
        text += "\\(ha";
        break;
      case '~':
        text += "\\(ti";
        break;
      case '"':
        text += "\\(dq";
        break;
      case '&':  // a URL with parameters may be longer than a line
        text += "&\\:";
        break;
      default:
        text += each;
    }
  }
  return text;
}

// So that no word at the beginning of a line is taken for a request.
std::string guarded(const std::string& line) {
  const bool is_request = line.starts_with('.') || line.starts_with("\\(aq");
  return is_request ? "\\&" + line : line;
}

bool is_page(std::string_view word) {
  return word.size() > 3 && word.ends_with(')') && word[word.size() - 3] == '(' &&
         std::isdigit(static_cast<unsigned char>(word[word.size() - 2])) != 0;
}

bool is_flag(std::string_view word) {
  if (word.size() < 2 || word.front() != '-') return false;
  return is_letter(word[1]) || (word[1] == '-' && (word.size() == 2 || is_letter(word[2])));
}

bool is_variable(std::string_view word) {
  return word.starts_with("INTERLOCK_") || word == "NO_COLOR" || word == "LC_ALL" ||
         word == "LC_CTYPE" || word == "LANG" || word == "TERM" || word.starts_with("REDIS_");
}

}  // namespace

Roff::Roff(std::string_view name,
           int section,
           std::string_view source,
           std::set<std::string> operands)
    : operands_(std::move(operands)) {
  std::string upper(name);
  for (char& each : upper) {
    each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
  }
  text_ = fmt::format(
      ".\\\" Written by interlock manual.\n"
      ".TH {} {} {} \"interlock {}\" \"Interlock Manual\"\n"
      // Names are not to be broken, nor words to be spread: newer macros of groff set the
      // adjustment anew, to what the string AD says.
      ".nr HY 0\n.nh\n.ds AD l\n.ad l\n",
      escaped(upper, false), section, INTERLOCK_MANUAL_DATE, source);
}

void Roff::heading(std::string_view words) {
  text_ += fmt::format(".SH {}\n", escaped(words, true));
}

void Roff::subheading(std::string_view words) {
  text_ += fmt::format(".SS {}\n", escaped(words, true));
}

void Roff::name_line(std::string_view name, std::string_view summary) {
  text_ += escaped(name, false) + " \\- " + escaped(summary, true) + "\n";
}

void Roff::synopsis(std::string_view text) {
  // The first two words are the command.
  const auto space = text.find(' ');
  const auto end = text.find(' ', space + 1);
  text_ += fmt::format(".B {}\n", escaped(text.substr(0, end), false));
  if (end != std::string_view::npos) fill(text.substr(end + 1));
}

void Roff::begin_paragraph() {
  const auto last = text_.rfind("\n.", text_.size() - 2);
  const bool is_after_heading = last != std::string::npos && text_.compare(last, 3, "\n.S") == 0 &&
                                text_.find('\n', last + 1) == text_.size() - 1;
  if (!is_after_heading) text_ += ".PP\n";
}

void Roff::paragraph(std::string_view text) {
  begin_paragraph();
  fill(text);
}

void Roff::item(std::string_view text) {
  text_ += ".IP \\(bu 2\n";
  fill(text);
}

void Roff::meaning(std::string_view term, std::string_view text) {
  text_ += ".TP\n";
  const bool is_single = term.find(' ') == std::string_view::npos;
  const std::string shown = is_single && !operands_.contains(std::string(term))
                                ? "\\fB" + escaped(term, false) + "\\fR"
                                : std::string();
  if (shown.empty()) {
    fill(term);
  } else {
    text_ += guarded(shown) + "\n";
  }
  fill(text);
}

void Roff::literal(std::string_view lines) {
  begin_paragraph();
  text_ += ".RS 4\n.EX\n";
  for (;;) {
    const auto end = lines.find('\n');
    text_ += guarded(escaped(lines.substr(0, end), false)) + "\n";
    if (end == std::string_view::npos) break;
    lines.remove_prefix(end + 1);
  }
  text_ += ".EE\n.RE\n";
}

void Roff::blocks(const std::vector<MarkedBlock>& all) {
  for (const MarkedBlock& block : all) {
    switch (block.shape) {
      case MarkedBlock::BlockShape::paragraph:
        paragraph(block.text);
        break;
      case MarkedBlock::BlockShape::item:
        item(block.text);
        break;
      case MarkedBlock::BlockShape::term:
        meaning(block.term, block.text);
        break;
      case MarkedBlock::BlockShape::literal:
        literal(block.text);
        break;
      case MarkedBlock::BlockShape::heading:
        subheading(block.text);
        break;
    }
  }
}

std::string Roff::marked(std::string_view word) const {
  // What stands around the word itself.
  constexpr std::string_view before = "(\"'[";
  constexpr std::string_view behind = ".,;:\"'])";
  const auto begin = std::min(word.find_first_not_of(before), word.size());
  std::string_view core = word.substr(begin);
  std::string_view rest;
  while (!core.empty() && behind.find(core.back()) != std::string_view::npos && !is_page(core)) {
    core.remove_suffix(1);
    rest = word.substr(begin + core.size());
  }
  std::string shown = escaped(core, is_prose(core));
  if (is_page(core)) {
    const std::string name = escaped(core.substr(0, core.size() - 3), false);
    shown = "\\fB" + name + "\\fR" + std::string(core.substr(core.size() - 3));
  } else if (is_flag(core)) {
    const auto equals = core.find('=');
    shown = "\\fB" + escaped(core.substr(0, equals), false) + "\\fR";
    if (equals != std::string_view::npos) shown += escaped(core.substr(equals), false);
  } else if (is_variable(core)) {
    shown = "\\fB" + shown + "\\fR";
  } else if (operands_.contains(std::string(core))) {
    shown = "\\fI" + shown + "\\fR";
  }
  return escaped(word.substr(0, begin), true) + shown + escaped(rest, true);
}

void Roff::fill(std::string_view words) {
  std::string line;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    const std::string word = marked(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      text_ += guarded(line) + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) text_ += guarded(line) + "\n";
}

std::string capitalized(std::string_view fragment) {
  std::string text(fragment);
  // `sqlite:PATH` and `interlock` keep their small letter.
  const std::string_view first = fragment.substr(0, fragment.find(' '));
  if (is_prose(first) && first != "interlock") {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  return text;
}

std::string sentence_of(std::string_view fragment) {
  std::string text = capitalized(fragment);
  if (!text.ends_with('.') && !text.ends_with('?')) text += '.';
  return text;
}

}  // namespace interlock::cli
