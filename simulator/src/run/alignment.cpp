#include "interlock/sim/alignment.hpp"

#include <algorithm>
#include <cstdint>

#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

using Steps = std::vector<ScheduleStep>;

// The table has a cell for each pair of steps, so 16 MiB at the most.
constexpr std::size_t cells_most = std::size_t{4} << 20;

bool does_the_same(const ScheduleStep& one, const ScheduleStep& other) {
  return one.mover == other.mover && one.action == other.action;
}

// More than all rows with another reply can be worth together: the shorter part has at most as many
// steps as a table's side.
constexpr std::uint32_t worth_of_same = 1U << 12;

// How much a row of these two steps is worth; 0: they have no row together.
std::uint32_t worth(const ScheduleStep& one, const ScheduleStep& other) {
  if (one == other) return worth_of_same;
  return does_the_same(one, other) ? 1 : 0;
}

// The steps that are neither in the common beginning nor in the common end.
class MiddleOfRuns {
 public:
  MiddleOfRuns(const Steps& one, const Steps& other, std::size_t begin, std::size_t tail)
      : one_(one),
        other_(other),
        begin_(begin),
        height_(one.size() - tail - begin),
        width_(other.size() - tail - begin) {}

  void add_to(std::vector<AlignedRow>& rows) {
    if ((height_ + 1) * (width_ + 1) > cells_most) return add_by_number(rows);
    fill();
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < height_ && j < width_) {
      const std::uint32_t together = worth_of(i, j);
      if (together > 0 && best(i, j) == together + best(i + 1, j + 1)) {
        rows.push_back(pair(i++, j++));
      } else if (best(i, j) == best(i + 1, j)) {
        rows.push_back({begin_ + i++, std::nullopt, false});
      } else {
        rows.push_back({std::nullopt, begin_ + j++, false});
      }
    }
    add_rest(rows, i, j);
  }

 private:
  std::uint32_t worth_of(std::size_t i, std::size_t j) const {
    return worth(one_[begin_ + i], other_[begin_ + j]);
  }
  AlignedRow pair(std::size_t i, std::size_t j) const {
    return {begin_ + i, begin_ + j, worth_of(i, j) == worth_of_same};
  }

  // best(i, j): of the rows for what is left after i and j steps.
  std::uint32_t& best(std::size_t i, std::size_t j) { return best_[i * (width_ + 1) + j]; }
  void fill() {
    best_.assign((height_ + 1) * (width_ + 1), 0);
    for (std::size_t i = height_; i-- > 0;) {
      for (std::size_t j = width_; j-- > 0;) {
        const std::uint32_t together = worth_of(i, j);
        best(i, j) = std::max(best(i + 1, j), best(i, j + 1));
        if (together > 0) best(i, j) = std::max(best(i, j), together + best(i + 1, j + 1));
      }
    }
  }

  void add_rest(std::vector<AlignedRow>& rows, std::size_t i, std::size_t j) const {
    for (; i < height_; ++i) rows.push_back({begin_ + i, std::nullopt, false});
    for (; j < width_; ++j) rows.push_back({std::nullopt, begin_ + j, false});
  }
  void add_by_number(std::vector<AlignedRow>& rows) const {
    const std::size_t both = std::min(height_, width_);
    for (std::size_t at = 0; at < both; ++at) {
      if (worth_of(at, at) > 0) {
        rows.push_back(pair(at, at));
      } else {
        rows.push_back({begin_ + at, std::nullopt, false});
        rows.push_back({std::nullopt, begin_ + at, false});
      }
    }
    add_rest(rows, both, both);
  }

  const Steps& one_;
  const Steps& other_;
  std::size_t begin_;
  std::size_t height_;
  std::size_t width_;
  std::vector<std::uint32_t> best_;
};

}  // namespace

std::vector<AlignedRow> align(const Run& one, const Run& other) {
  const Steps first = make_schedule(one).steps;
  const Steps second = make_schedule(other).steps;
  const std::size_t shorter = std::min(first.size(), second.size());
  std::size_t begin = 0;
  while (begin < shorter && first[begin] == second[begin]) ++begin;
  std::size_t tail = 0;
  while (begin + tail < shorter &&
         first[first.size() - 1 - tail] == second[second.size() - 1 - tail]) {
    ++tail;
  }
  std::vector<AlignedRow> rows;
  for (std::size_t at = 0; at < begin; ++at) rows.push_back({at, at, true});
  MiddleOfRuns(first, second, begin, tail).add_to(rows);
  for (std::size_t left = tail; left > 0; --left) {
    rows.push_back({first.size() - left, second.size() - left, true});
  }
  return rows;
}

std::size_t first_difference(const std::vector<AlignedRow>& rows) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [](const AlignedRow& row) { return !row.same; });
  return static_cast<std::size_t>(at - rows.begin());
}

}  // namespace interlock::sim
