// What Metrics counts for one lock, or for all of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "interlock/events.hpp"

namespace interlock {

// A bucket's upper bound in millionths (of a second, of the whole), and as the text writes it.
class BucketBound {
 public:
  std::int64_t millionths;
  const char* text;
};

inline constexpr std::array<BucketBound, 20> second_buckets{
    {{100, "0.0001"},    {250, "0.00025"},   {500, "0.0005"},      {1'000, "0.001"},
     {2'500, "0.0025"},  {5'000, "0.005"},   {10'000, "0.01"},     {25'000, "0.025"},
     {50'000, "0.05"},   {100'000, "0.1"},   {250'000, "0.25"},    {500'000, "0.5"},
     {1'000'000, "1"},   {2'500'000, "2.5"}, {5'000'000, "5"},     {10'000'000, "10"},
     {30'000'000, "30"}, {60'000'000, "60"}, {300'000'000, "300"}, {1'800'000'000, "1800"}}};

inline constexpr std::array<BucketBound, 11> share_buckets{{{50'000, "0.05"},
                                                            {100'000, "0.1"},
                                                            {200'000, "0.2"},
                                                            {300'000, "0.3"},
                                                            {400'000, "0.4"},
                                                            {500'000, "0.5"},
                                                            {600'000, "0.6"},
                                                            {700'000, "0.7"},
                                                            {800'000, "0.8"},
                                                            {900'000, "0.9"},
                                                            {1'000'000, "1"}}};

// Any thread.
class Histogram {
 public:
  explicit Histogram(std::span<const BucketBound> bounds) : bounds_(bounds) {}
  void observe(std::int64_t millionths) noexcept;

  std::span<const BucketBound> bounds() const noexcept { return bounds_; }
  // How many fell between this bound and the one before; the last bucket has no bound.
  std::uint64_t in_bucket(std::size_t at) const noexcept {
    return counts_[at].load(std::memory_order_relaxed);
  }
  std::int64_t sum_in_millionths() const noexcept { return sum_.load(std::memory_order_relaxed); }

 private:
  std::span<const BucketBound> bounds_;
  std::array<std::atomic<std::uint64_t>, second_buckets.size() + 1> counts_{};
  std::atomic<std::int64_t> sum_ = 0;
};

// Any thread.
class MetricSeries {
 public:
  using EventCount = std::atomic<std::uint64_t>;
  // The values of the label `reason` of a lost lock, by LossReason.
  static constexpr std::array<const char*, 5> loss_reasons{"not_renewed_in_time", "held_by_another",
                                                           "gone", "client_gone", "forked"};
  // Those of the label `code` of an error, by Errc.
  static constexpr std::array<const char*, 6> error_codes{
      "unavailable", "indeterminate", "rejected", "cancelled", "invalid_argument", "forked"};

  void count(const Event& event) noexcept;

  Histogram acquire{second_buckets};
  Histogram hold{second_buckets};
  Histogram renewal{second_buckets};
  Histogram renewal_margin{share_buckets};
  std::atomic<std::int64_t> lowest_margin_in_millionths = 1'000'000;
  EventCount not_acquired_busy = 0;
  std::array<EventCount, error_codes.size()> not_acquired{};
  EventCount at_risk = 0;
  std::array<EventCount, loss_reasons.size()> lost{};
  EventCount released = 0;
  EventCount release_found_lost = 0;
  std::array<EventCount, error_codes.size()> store_errors{};
  std::atomic<std::int64_t> waiting = 0;
  std::atomic<std::int64_t> held = 0;

 private:
  void count_renewal(const Event& event) noexcept;
  void count_error(const Event& event) noexcept;
  void count_not_acquired(const Event& event) noexcept;
};

}  // namespace interlock
