#include "console/table.hpp"

#include <algorithm>

#include "console/lines.hpp"

namespace interlock::cli {
namespace {

std::vector<std::size_t> widest_cells(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widest(rows.empty() ? 0 : rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      widest[at] = std::max(widest[at], width(row[at]));
    }
  }
  return widest;
}

void fit_first_column(std::vector<TableRow>& rows, std::size_t columns) {
  const std::vector<std::size_t> widest = widest_cells(rows);
  std::size_t others = 0;
  for (std::size_t at = 1; at < widest.size(); ++at) others += 2 + widest[at];
  constexpr std::size_t least = 16;
  if (widest.front() + others <= columns) return;
  const std::size_t room = std::max(least, columns > others ? columns - others : 0);
  for (TableRow& row : rows) row.front() = shortened(row.front(), room);
}

}  // namespace

std::vector<std::string> table_lines(std::vector<TableRow> rows,
                                     std::optional<std::size_t> columns) {
  std::vector<std::string> lines;
  if (rows.empty()) return lines;
  if (columns) fit_first_column(rows, *columns);
  const std::vector<std::size_t> widest = widest_cells(rows);
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      if (at != 0) line += "  ";
      line += row[at];
      if (at + 1 < row.size()) line += std::string(widest[at] - width(row[at]), ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace interlock::cli
