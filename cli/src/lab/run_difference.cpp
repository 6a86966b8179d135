#include "lab/run_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "console/lines.hpp"
#include "console/safe_text.hpp"

namespace interlock::cli {
namespace {

constexpr std::size_t columns_for_two = 120;
// So many rows before and after a difference are shown.
constexpr std::size_t context = 3;

std::string step_text(const sim::Schedule& schedule, std::size_t at) {
  const sim::ScheduleStep& step = schedule.steps[at];
  std::string text = step.mover + " " + step.action;
  if (!step.reply.empty()) text += " -> " + step.reply;
  return printable(text, 400);
}

std::string number_text(const std::optional<std::size_t>& step) {
  return step ? fmt::format("{:>4}", *step + 1) : std::string(4, ' ');
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Difference {
 public:
  Difference(const sim::Schedule& one,
             const sim::Schedule& other,
             const std::vector<sim::AlignedRow>& rows,
             std::optional<std::size_t> columns)
      : one_(one), other_(other), rows_(rows), columns_(columns) {}

  std::string text() {
    const std::size_t first = first_difference(rows_);
    std::size_t next = 0;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if (!is_shown(at)) continue;
      leave_out(at - next);
      if (at == first) text_ += "          -- the first difference --\n";
      add(rows_[at]);
      next = at + 1;
    }
    leave_out(rows_.size() - next);
    return std::move(text_);
  }

 private:
  bool is_shown(std::size_t at) const {
    const std::size_t begin = at > context ? at - context : 0;
    const std::size_t end = std::min(at + context + 1, rows_.size());
    return std::any_of(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                       rows_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const sim::AlignedRow& row) { return !row.same; });
  }

  void leave_out(std::size_t rows) {
    if (rows > 0) text_ += fmt::format("          ... {} alike\n", counted(rows, "step"));
  }

  void add(const sim::AlignedRow& row) {
    if (columns_ && *columns_ >= columns_for_two) return add_beside(row);
    if (row.same) return add_line(row.one, row.other, ' ', step_text(one_, *row.one));
    if (row.one) add_line(row.one, std::nullopt, '-', step_text(one_, *row.one));
    if (row.other) add_line(std::nullopt, row.other, '+', step_text(other_, *row.other));
  }

  void add_line(const std::optional<std::size_t>& one,
                const std::optional<std::size_t>& other,
                char sign,
                const std::string& step) {
    const std::string before = fmt::format("{} {} {} ", number_text(one), number_text(other), sign);
    text_ += before + wrapped(step, before.size(), columns_) + "\n";
  }

  // `|` between two replies, `<` and `>` at a step that only one run has, as sdiff(1) marks them.
  void add_beside(const sim::AlignedRow& row) {
    const std::size_t half = (*columns_ - 3) / 2;
    const char sign = row.same ? ' ' : row.one && row.other ? '|' : row.one ? '<' : '>';
    const std::vector<std::string> left = half_lines(one_, row.one, half);
    const std::vector<std::string> right = half_lines(other_, row.other, half);
    for (std::size_t at = 0; at < std::max(left.size(), right.size()); ++at) {
      const std::string first = at < left.size() ? left[at] : std::string();
      std::string line = first + std::string(half - std::min(half, width(first)), ' ') + ' ' + sign;
      if (at < right.size()) line += ' ' + right[at];
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
    }
  }
  static std::vector<std::string> half_lines(const sim::Schedule& schedule,
                                             const std::optional<std::size_t>& step,
                                             std::size_t half) {
    if (!step) return {};
    const std::string before = number_text(step) + "  ";
    return lines_of(before + wrapped(step_text(schedule, *step), before.size(), half));
  }

  const sim::Schedule& one_;
  const sim::Schedule& other_;
  const std::vector<sim::AlignedRow>& rows_;
  std::optional<std::size_t> columns_;
  std::string text_;
};

}  // namespace

std::string difference_text(const sim::Schedule& one,
                            const sim::Schedule& other,
                            const std::vector<sim::AlignedRow>& rows,
                            std::optional<std::size_t> columns) {
  return Difference(one, other, rows, columns).text();
}

}  // namespace interlock::cli
