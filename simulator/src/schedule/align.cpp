#include "interlock/sim/align.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace interlock::sim {
namespace {

using Steps = std::vector<ScheduleStep>;

constexpr std::size_t most_pairs = 4'000'000;
constexpr std::uint32_t same_answer = 3;
constexpr std::uint32_t other_answer = 2;

std::uint32_t worth(const ScheduleStep& one, const ScheduleStep& other) {
  if (one == other) return same_answer;
  return one.mover == other.mover && one.action == other.action ? other_answer : 0;
}

// What the rest of both runs is worth, from each pair of steps on.
class Table {
 public:
  Table(const Steps& one, const Steps& other, std::size_t from)
      : one_(one),
        other_(other),
        from_(from),
        width_(other.size() - from + 1),
        worths_((one.size() - from + 1) * width_) {
    for (std::size_t at = one.size(); at-- > from;) {
      for (std::size_t beside = other.size(); beside-- > from;) {
        std::uint32_t& best = worths_[index(at, beside)];
        best = std::max(rest(at + 1, beside), rest(at, beside + 1));
        if (pair(at, beside) > 0) best = std::max(best, together(at, beside));
      }
    }
  }

  bool is_pair(std::size_t at, std::size_t beside) const {
    return pair(at, beside) > 0 && rest(at, beside) == together(at, beside);
  }
  bool is_ones(std::size_t at, std::size_t beside) const {
    return rest(at, beside) == rest(at + 1, beside);
  }

 private:
  std::uint32_t pair(std::size_t at, std::size_t beside) const {
    return worth(one_[at], other_[beside]);
  }
  std::uint32_t together(std::size_t at, std::size_t beside) const {
    return pair(at, beside) + rest(at + 1, beside + 1);
  }
  std::uint32_t rest(std::size_t at, std::size_t beside) const {
    return worths_[index(at, beside)];
  }
  std::size_t index(std::size_t at, std::size_t beside) const {
    return (at - from_) * width_ + (beside - from_);
  }

  const Steps& one_;
  const Steps& other_;
  std::size_t from_;
  std::size_t width_;
  std::vector<std::uint32_t> worths_;
};

}  // namespace

Schedule told_steps(const Run& run) {
  Schedule schedule = make_schedule(run);
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    if (!run.steps[at].operation) continue;
    const std::string recorded = describe(*run.steps[at].operation);
    std::string& action = schedule.steps[at].action;
    const std::size_t begin = action.find(recorded);
    if (begin == std::string::npos) continue;
    action.replace(begin, recorded.size(), run.steps[at].what);
  }
  return schedule;
}

Alignment align(const Steps& one, const Steps& other) {
  const auto parted = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  Alignment both;
  both.alike = static_cast<std::size_t>(parted.first - one.begin());
  for (std::size_t at = 0; at < both.alike; ++at) both.rows.push_back({at, at, true});
  std::size_t at = both.alike;
  std::size_t beside = both.alike;
  if ((one.size() - at) * (other.size() - beside) <= most_pairs) {
    const Table table(one, other, both.alike);
    while (at < one.size() && beside < other.size()) {
      if (table.is_pair(at, beside)) {
        both.rows.push_back({at, beside, one[at] == other[beside]});
        ++at;
        ++beside;
      } else if (table.is_ones(at, beside)) {
        both.rows.push_back({at++, std::nullopt, false});
      } else {
        both.rows.push_back({std::nullopt, beside++, false});
      }
    }
  }
  while (at < one.size()) both.rows.push_back({at++, std::nullopt, false});
  while (beside < other.size()) both.rows.push_back({std::nullopt, beside++, false});
  return both;
}

}  // namespace interlock::sim
