#include "lanes.hpp"

#include <algorithm>

namespace interlock::sim::draw {

LanePlan::LanePlan(const Chart& chart, std::size_t most) {
  const std::size_t clients = chart.clients.size();
  std::vector<std::size_t> weight(clients, 0);
  for (const ChartRow& row : chart.rows) {
    if (row.mover) ++weight[*row.mover];
  }
  std::vector<std::size_t> order;
  for (std::size_t client = 0; client < clients; ++client) {
    if (chart.violation && believes(chart.rows[*chart.violation].lanes[client])) {
      weight[client] += chart.rows.size();
    }
    order.push_back(client);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return weight[one] > weight[other]; });
  if (clients > most) {
    // Clients without a step have no lane of their own.
    const auto moving = std::find_if(order.begin(), order.end(),
                                     [&](std::size_t client) { return weight[client] == 0; });
    const auto keep =
        std::min<std::ptrdiff_t>(moving - order.begin(), static_cast<std::ptrdiff_t>(most) - 1);
    folded_.assign(order.begin() + keep, order.end());
    order.erase(order.begin() + keep, order.end());
    std::sort(folded_.begin(), folded_.end());
  }
  std::sort(order.begin(), order.end());
  own_ = std::move(order);
}

std::size_t LanePlan::lane_of(std::size_t client) const {
  const auto at = std::find(own_.begin(), own_.end(), client);
  return static_cast<std::size_t>(at - own_.begin());
}

Lane LanePlan::shared(const ChartRow& row) const {
  Lane lane = Lane::done;
  for (const std::size_t client : folded_) {
    const Lane one = row.lanes[client];
    if (believes(one)) return one;
    if (one == Lane::alive) lane = one;
    if (one == Lane::dead && lane == Lane::done) lane = one;
  }
  return lane;
}

}  // namespace interlock::sim::draw
