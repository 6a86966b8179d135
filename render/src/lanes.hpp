// Which clients have a lane of their own when there is no room for all.
#pragma once

#include <optional>
#include <vector>

#include "chart.hpp"

namespace interlock::sim::draw {

class LanePlan {
 public:
  // At most `most` lanes: for the clients of the violation first, then for those that move most.
  LanePlan(const Chart& chart, std::size_t most);

  std::size_t count() const { return own_.size() + (folded_.empty() ? 0 : 1); }
  // The clients with a lane of their own, in order; the folded ones share one more.
  const std::vector<std::size_t>& own() const { return own_; }
  const std::vector<std::size_t>& folded() const { return folded_; }
  // The lane that a client is drawn in.
  std::size_t lane_of(std::size_t client) const;
  // What the shared lane looks like in a row.
  Lane shared(const ChartRow& row) const;

 private:
  std::vector<std::size_t> own_;
  std::vector<std::size_t> folded_;
};

}  // namespace interlock::sim::draw
