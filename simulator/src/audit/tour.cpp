#include "audit/tour.hpp"

#include <algorithm>
#include <numeric>

#include "base/chance.hpp"

namespace interlock::sim {

Strides::Strides(std::uint64_t count, std::uint64_t first, std::uint64_t stride)
    : count_(std::max<std::uint64_t>(1, count)),
      stride_(std::max<std::uint64_t>(1, stride % count_)),
      at_(first % count_) {
  while (std::gcd(stride_, count_) != 1) ++stride_;
}

std::size_t Strides::next() {
  const std::uint64_t now = at_;
  at_ = (at_ + stride_) % count_;
  return static_cast<std::size_t>(now);
}

Strides far_apart(std::size_t count, std::size_t first) {
  return {count, first, count * 618 / 1000};
}

Strides mixed_order(std::size_t count, std::size_t seed) {
  const std::uint64_t chance = mix(seed);
  return {count, chance, mix(chance)};
}

Tour::Tour(const Automaton& automaton,
           const ProgramGraph& graph,
           Companion::As as,
           std::size_t mixed)
    : automaton_(automaton),
      graph_(graph),
      as_(as),
      mixed_(mixed),
      order_(mixed_order(graph.size(), mixed)),
      taken_(graph.size()) {}

bool Tour::go_on() {
  if (differs_) return false;
  if (left_.empty()) return begin();
  const Id step = left_.back();
  left_.pop_back();
  taken_now_.push_back(step);
  count_ += taken_[step] ? 0 : 1;
  taken_[step] = true;
  differs_ = !run_->take(step);
  if (!differs_ && left_.empty()) look_for_more();
  return true;
}

bool Tour::begin() {
  for (; number_ < graph_.size(); ++number_) {
    const Id first = mixed_ == 0 ? number_ : static_cast<Id>(order_.next());
    if (taken_[first]) continue;
    ++number_;
    run_.emplace(automaton_, graph_, as_);
    taken_now_.clear();
    left_ = {first};
    if (run_->lead_to(graph_[first].from)) return true;
    differs_ = true;
    taken_now_ = {first};
    return true;
  }
  return false;
}

// The nearest steps that no run has taken.
void Tour::look_for_more() {
  constexpr int nearby = 64;  // places that are looked at
  left_ = graph_.way(
      run_->place(), [this](Id step) { return !taken_[step]; }, nearby);
  std::reverse(left_.begin(), left_.end());
}

}  // namespace interlock::sim
