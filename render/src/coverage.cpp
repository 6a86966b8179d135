// What a search has executed, as a listing.
#include <algorithm>

#include "columns.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::sim {
namespace {

constexpr const char* never = "NEVER ";

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// `1, 0, NEVER ?`
std::string list_of(const std::vector<CoveredOutcome>& outcomes) {
  std::vector<std::string> names;
  for (const CoveredOutcome& outcome : outcomes) {
    if (outcome.seen) names.push_back(outcome.name);
  }
  for (const CoveredOutcome& outcome : outcomes) {
    if (!outcome.seen) names.push_back(never + outcome.name);
  }
  return list_of(names);
}

// `stamp_lock.cpp:31`; empty: not known.
std::string place_of(const CoveredOperation& operation) {
  if (operation.file.empty()) return {};
  return operation.file.substr(operation.file.rfind('/') + 1) + ":" +
         std::to_string(operation.line);
}

class CoverageListing {
 public:
  CoverageListing(const Coverage& coverage, TextStyle style) : coverage_(coverage), style_(style) {
    for (const CoveredOperation& operation : coverage.operations) {
      place_ = std::max(place_, draw::columns(place_of(operation)));
      what_ = std::max(what_, draw::columns(operation.what));
    }
    // Where there is little room, only the answers need not stand below each other.
    what_ = std::min(what_, widest);
  }

  std::string text() {
    const CoveredOperation* before = nullptr;
    for (const CoveredOperation& operation : sorted()) {
      const bool same = before != nullptr && before->clients == operation.clients &&
                        before->task == operation.task;
      if (!same) head(list_of(operation.clients) + of_task(operation));
      row(operation);
      before = &operation;
    }
    rest("sections", coverage_.sections);
    rest("faults", coverage_.faults);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t widest = 32;
  static constexpr std::size_t indent = 4;

  static std::string of_task(const CoveredOperation& operation) {
    return operation.task.empty() ? std::string() : ", task " + operation.task;
  }

  // The operations of one task stand together, in the order in which they were met.
  const std::vector<CoveredOperation>& sorted() {
    sorted_ = coverage_.operations;
    std::stable_sort(sorted_.begin(), sorted_.end(), [this](const auto& one, const auto& other) {
      return first_of(one) < first_of(other);
    });
    return sorted_;
  }
  std::size_t first_of(const CoveredOperation& operation) const {
    std::size_t at = 0;
    for (const CoveredOperation& other : coverage_.operations) {
      if (other.clients == operation.clients && other.task == operation.task) break;
      ++at;
    }
    return at;
  }

  void head(const std::string& words) { text_ += draw_words("  " + words, indent, style_); }

  void row(const CoveredOperation& operation) {
    std::string line(indent, ' ');
    if (place_ > 0) line += draw::padded(place_of(operation), place_) + "  ";
    line += draw::padded(operation.what, what_) + "  ";
    const std::size_t column = draw::columns(line);
    text_ +=
        draw_words(line + list_of(operation.outcomes), std::min(column, style_.width / 2), style_);
  }

  void rest(const char* name, const std::vector<CoveredOutcome>& outcomes) {
    if (outcomes.empty()) return;
    head(name);
    text_ += draw_words(std::string(indent, ' ') + list_of(outcomes), indent, style_);
  }

  const Coverage& coverage_;
  TextStyle style_;
  std::vector<CoveredOperation> sorted_;
  std::size_t place_ = 0;
  std::size_t what_ = 0;
  std::string text_;
};

}  // namespace

std::string draw_coverage(const Verdict& verdict, const TextStyle& style) {
  const Coverage& coverage = verdict.coverage;
  std::string head = "coverage";
  if (verdict.outcome == Outcome::violated) head += " until the violation was found";
  if (verdict.outcome == Outcome::incomplete) head += " until the search ended";
  head += ": " + std::to_string(coverage.seen()) + " of " + std::to_string(coverage.outcomes()) +
          " outcomes seen";
  return draw_words(head, 2, style) + CoverageListing(coverage, style).text();
}

}  // namespace interlock::sim
