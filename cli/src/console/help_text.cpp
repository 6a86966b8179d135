// The page of --help.
#include <fmt/format.h>

#include <algorithm>

#include "console/flags.hpp"
#include "console/lines.hpp"

namespace interlock::cli {
namespace {

// A wide terminal gets no wider lines, which are hard to read.
std::size_t help_columns() {
  constexpr std::size_t most = 80;
  return std::min(most, terminal_columns().value_or(most));
}

// `head`, and the text beside it, from `column` on; below it if `head` is too long.
std::string beside(const std::string& head, std::size_t column, const std::string& text) {
  const bool fits = head.size() + 2 <= column;
  const std::string gap =
      fits ? std::string(column - head.size(), ' ') : "\n" + std::string(column, ' ');
  return head + gap + wrapped(text, column, help_columns()) + "\n";
}

std::string indented(std::string_view lines, std::size_t by) {
  std::string text;
  for (;;) {
    const auto end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    if (!line.empty()) text += std::string(by, ' ') + std::string(line);
    text += '\n';
    if (end == std::string_view::npos) return text;
    lines.remove_prefix(end + 1);
  }
}

std::string shown(const MarkedBlock& block) {
  switch (block.shape) {
    case MarkedBlock::BlockShape::paragraph:
      return wrapped(block.text, 0, help_columns()) + "\n";
    case MarkedBlock::BlockShape::item:
      return "  - " + wrapped(block.text, 4, help_columns()) + "\n";
    case MarkedBlock::BlockShape::term:
      return beside("  " + block.term, 20, block.text);
    case MarkedBlock::BlockShape::literal:
      return indented(block.text, 2);
    case MarkedBlock::BlockShape::heading:
      return block.text + ":\n";
  }
  return {};
}

std::string shown(const std::vector<MarkedBlock>& blocks) {
  std::string text;
  const MarkedBlock* before = nullptr;
  for (const MarkedBlock& block : blocks) {
    const bool is_row = block.shape == MarkedBlock::BlockShape::item ||
                        block.shape == MarkedBlock::BlockShape::term;
    const bool belongs = before == nullptr || (is_row && before->shape == block.shape) ||
                         (is_row && before->shape == MarkedBlock::BlockShape::paragraph &&
                          before->text.ends_with(':'));
    if (!belongs) text += "\n";
    text += shown(block);
    before = &block;
  }
  return text;
}

std::string table(const char* title, const std::vector<ExplainedWord>& rows, std::size_t column) {
  if (rows.empty()) return {};
  std::string text = fmt::format("\n{}:\n", title);
  for (const ExplainedWord& row : rows) text += beside("  " + row.term, column, row.text);
  return text;
}

std::string examples(const std::vector<Example>& all) {
  std::string text = all.empty() ? "" : "\nExamples:\n";
  for (const Example& each : all) {
    text += "  " + wrapped(fmt::format("{}:", each.caption), 2, help_columns()) + "\n";
    text += indented(each.lines, 4);
  }
  return text;
}

std::string flag_text(const Flag& flag) {
  constexpr std::size_t column = 27;
  std::string head = flag.letter != 0 ? fmt::format("  -{}, --{}", flag.letter, flag.word)
                                      : fmt::format("      --{}", flag.word);
  if (!flag.placeholder.empty()) head += " " + flag.placeholder;
  std::string help = flag.help;
  if (!flag.variable.empty()) help += " (or " + flag.variable + ")";
  return beside(head, column, help);
}

}  // namespace

std::string Flags::help() const {
  std::string out =
      fmt::format("{}\n\n  interlock {}\n\n", wrapped(purpose_, 0, help_columns()), synopsis_);
  for (const Flag& flag : flags_) out += flag_text(flag);
  out += beside("  -h, --help", 27, "this page");
  if (!explanation_.text.empty()) out += "\n" + shown(blocks_of(explanation_.text));
  out += table("Exit codes", explanation_.exits, 9);
  out += table("Variables", explanation_.environment, 20);
  out += table("The command finds in its environment", explanation_.given, 22);
  return out + examples(explanation_.examples);
}

}  // namespace interlock::cli
