// Rows for people, with their columns below each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace interlock::cli {

using TableRow = std::vector<std::string>;

// A line for each row, without line ends. Rows have equally many cells. If the lines are longer
// than `columns`, the cells of the first column are shortened, to 16 columns at least, so that a
// long name does not push the rest of its row, and of all others, out of sight.
std::vector<std::string> table_lines(std::vector<TableRow> rows,
                                     std::optional<std::size_t> columns);

}  // namespace interlock::cli
