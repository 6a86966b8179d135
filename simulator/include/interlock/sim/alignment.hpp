// Two runs beside each other: which step of one is the same as which step of the other.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "interlock/sim/run.hpp"

namespace interlock::sim {

// One row: a step of each run, or a step that only one of them has.
class AlignedRow {
 public:
  std::optional<std::size_t> one;    // a step of the first run, counted from 0
  std::optional<std::size_t> other;  // a step of the second run
  bool same = false;  // the same client does the same and gets the same reply, or the same time
                      // passes, or the same goes wrong

  friend bool operator==(const AlignedRow& left, const AlignedRow& right) {
    return left.one == right.one && left.other == right.other && left.same == right.same;
  }
};

// Each step of both runs once, in order. A row has two steps if they are the same, or differ only
// in the reply; as many steps as possible are the same, and what both runs begin with always is.
// Clients are compared by name, so the runs may be of different scenarios. If the parts that differ
// are longer than two thousand steps each, these steps are set beside each other by number, and
// only where they do the same.
std::vector<AlignedRow> align(const Run& one, const Run& other);

// The first row that is not the same in both; the number of rows: there is none.
std::size_t first_difference(const std::vector<AlignedRow>& rows);

}  // namespace interlock::sim
