#include "metric_series.hpp"

#include <algorithm>
#include <cmath>

namespace interlock {
namespace {

// The counts do not order anything else, and are read by people.
constexpr auto relaxed = std::memory_order_relaxed;

void add_one(MetricSeries::EventCount& counter) noexcept {
  counter.fetch_add(1, relaxed);
}

template <class Value, std::size_t size>
std::size_t index_in(const std::array<MetricSeries::EventCount, size>&, Value value) noexcept {
  return std::min(static_cast<std::size_t>(value), size - 1);
}

}  // namespace

void Histogram::observe(std::int64_t millionths) noexcept {
  const std::int64_t value = std::max<std::int64_t>(millionths, 0);
  const auto bucket = std::find_if(bounds_.begin(), bounds_.end(), [&](const BucketBound& bound) {
    return value <= bound.millionths;
  });
  counts_[static_cast<std::size_t>(bucket - bounds_.begin())].fetch_add(1, relaxed);
  sum_.fetch_add(value, relaxed);
}

void MetricSeries::count(const Event& event) noexcept {
  switch (event.kind) {
    case EventKind::acquired:
      acquire.observe(event.took.count());
      held.fetch_add(1, relaxed);
      break;
    case EventKind::waiting:
      if (!event.again) waiting.fetch_add(1, relaxed);
      break;
    case EventKind::wait_ended:
      waiting.fetch_sub(1, relaxed);
      break;
    case EventKind::renewed:
      count_renewal(event);
      break;
    case EventKind::at_risk:
      add_one(at_risk);
      break;
    case EventKind::lost:
      if (event.loss) add_one(lost[index_in(lost, *event.loss)]);
      break;
    case EventKind::released:
      add_one(released);
      break;
    case EventKind::error:
      count_error(event);
      break;
    case EventKind::not_acquired:
      count_not_acquired(event);
      break;
    case EventKind::hold_ended:
      hold.observe(event.took.count());
      held.fetch_sub(1, relaxed);
      break;
  }
}

void MetricSeries::count_renewal(const Event& event) noexcept {
  constexpr double million = 1e6;
  renewal.observe(event.took.count());
  const auto share = static_cast<std::int64_t>(std::llround(event.share_left * million));
  renewal_margin.observe(share);
  std::int64_t lowest = lowest_margin_in_millionths.load(relaxed);
  while (share < lowest && !lowest_margin_in_millionths.compare_exchange_weak(lowest, share)) {
  }
}

void MetricSeries::count_error(const Event& event) noexcept {
  if (event.loss) {
    add_one(release_found_lost);
  } else if (event.error) {
    add_one(store_errors[index_in(store_errors, event.error->code())]);
  }
}

void MetricSeries::count_not_acquired(const Event& event) noexcept {
  if (event.error) {
    add_one(not_acquired[index_in(not_acquired, event.error->code())]);
  } else {
    add_one(not_acquired_busy);
  }
}

}  // namespace interlock
