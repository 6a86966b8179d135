#include "console/explanation.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace interlock::cli {
namespace {

constexpr std::string_view between_term_and_text = " :: ";

std::optional<MarkedBlock> beginning(std::string_view line) {
  if (line.starts_with("# "))
    return MarkedBlock{MarkedBlock::BlockShape::heading, std::string(line.substr(2)), {}};
  // `- :: text` is a term, too: the mark of a table.
  if (line.starts_with("- ") && !line.substr(1).starts_with(between_term_and_text))
    return MarkedBlock{MarkedBlock::BlockShape::item, std::string(line.substr(2)), {}};
  if (const auto at = line.find(between_term_and_text); at != std::string_view::npos) {
    return MarkedBlock{MarkedBlock::BlockShape::term,
                       std::string(line.substr(at + between_term_and_text.size())),
                       std::string(line.substr(0, at))};
  }
  return std::nullopt;
}

class BlockReader {
 public:
  void take(std::string_view line) {
    // Within an item, such a line belongs to the item.
    const bool goes_on = is_open_ && blocks_.back().shape != MarkedBlock::BlockShape::literal;
    if (line.empty()) {
      take_empty();
    } else if (line.starts_with("  ") &&
               !(goes_on && blocks_.back().shape == MarkedBlock::BlockShape::item)) {
      literal(line.substr(2));
    } else if (auto begun = beginning(line)) {
      blocks_.push_back(*std::move(begun));
      is_open_ = blocks_.back().shape != MarkedBlock::BlockShape::heading;
    } else if (goes_on) {
      blocks_.back().text += " " + std::string(line.substr(line.find_first_not_of(' ')));
    } else {
      blocks_.push_back(MarkedBlock{MarkedBlock::BlockShape::paragraph, std::string(line), {}});
      is_open_ = true;
    }
  }

  std::vector<MarkedBlock> blocks() && { return std::move(blocks_); }

 private:
  void take_empty() {
    // Between literal lines, an empty line is one of them.
    empty_ = is_open_ && blocks_.back().shape == MarkedBlock::BlockShape::literal;
    is_open_ = false;
  }

  void literal(std::string_view line) {
    const bool follows =
        !blocks_.empty() && blocks_.back().shape == MarkedBlock::BlockShape::literal;
    if (follows && (is_open_ || empty_)) {
      blocks_.back().text += (is_open_ ? "\n" : "\n\n") + std::string(line);
    } else {
      blocks_.push_back(MarkedBlock{MarkedBlock::BlockShape::literal, std::string(line), {}});
    }
    is_open_ = true;
    empty_ = false;
  }

  std::vector<MarkedBlock> blocks_;
  bool is_open_ = false;  // a line can follow the last block
  bool empty_ = false;    // the last line was empty, after a literal one
};

}  // namespace

std::vector<ExplainedWord> and_usual(std::vector<ExplainedWord> own,
                                     std::initializer_list<ExitCode> usual) {
  for (const ExitCode code : usual) {
    own.push_back({std::to_string(static_cast<int>(code)), std::string(meaning_of(code))});
  }
  // `N` comes first, and `128+n` behind 127.
  const auto number = [](const ExplainedWord& code) { return std::atoi(code.term.c_str()); };
  std::stable_sort(own.begin(), own.end(),
                   [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return own;
}

std::vector<MarkedBlock> blocks_of(std::string_view text) {
  BlockReader reader;
  while (!text.empty()) {
    const auto end = text.find('\n');
    reader.take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(reader).blocks();
}

}  // namespace interlock::cli
