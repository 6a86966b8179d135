#include "sampling/drawn_steps.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace interlock::sim {

// Draws who moves next. Each number is drawn when it is first needed, in the same order in every
// build: a seed is the same run everywhere.
class DrawnSteps::MoverOrder {
 public:
  MoverOrder(Chance& chance, std::size_t depth) : chance_(chance), depth_(depth) {}

  // `usual`: about how many steps a run has.
  void begin_run(std::size_t usual) {
    is_drawn_.reset();
    falls_.clear();
    for (std::size_t change = 1; change < depth_; ++change) falls_.push_back(chance_.below(usual));
  }

  std::uint32_t choose(const WalkedStates& walked,
                       WalkedStates::StepGroups groups,
                       std::size_t step) {
    const StepGroup& mover =
        depth_ == 0 ? by_odds(walked, groups) : by_precedence(walked, groups, step);
    return mover.first + static_cast<std::uint32_t>(chance_.below(mover.count));
  }

 private:
  using StepGroup = WalkedStates::StepGroup;

  // Everybody's odds differ by up to 32 to 1, so that some runs have a client that hardly moves, or
  // time that hardly passes. With even odds, time is over before anybody has done much.
  const StepGroup& by_odds(const WalkedStates& walked, WalkedStates::StepGroups groups) {
    std::uint64_t sum = 0;
    for (std::uint32_t at = 0; at < groups.count; ++at) {
      sum += odds(walked.group(groups.first + at).of);
    }
    std::uint64_t drawn = chance_.below(sum);
    std::uint32_t at = groups.first;
    for (; at + 1 < groups.first + groups.count; ++at) {
      const std::uint64_t mine = odds(walked.group(at).of);
      if (drawn < mine) break;
      drawn -= mine;
    }
    return walked.group(at);
  }
  std::uint64_t odds(std::uint32_t mover) {
    if (!is_drawn_[mover]) draw(mover, std::uint64_t{1} << chance_.below(6));
    return ranks_[mover];
  }

  const StepGroup& by_precedence(const WalkedStates& walked,
                                 WalkedStates::StepGroups groups,
                                 std::size_t step) {
    for (std::size_t change = 0; change < falls_.size(); ++change) {
      if (falls_[change] == step) draw(first_of(walked, groups).of, change);
    }
    return first_of(walked, groups);
  }
  // A mover that is alone needs no precedence.
  const StepGroup& first_of(const WalkedStates& walked, WalkedStates::StepGroups groups) {
    std::uint32_t first = groups.first;
    for (std::uint32_t at = first + 1; at < groups.first + groups.count; ++at) {
      const std::uint64_t highest = precedence(walked.group(first).of);
      if (highest < precedence(walked.group(at).of)) first = at;
    }
    return walked.group(first);
  }
  std::uint64_t precedence(std::uint32_t mover) {
    if (!is_drawn_[mover]) draw(mover, depth_ + (chance_.number() >> 16));
    return ranks_[mover];
  }

  void draw(std::uint32_t mover, std::uint64_t rank) {
    is_drawn_[mover] = true;
    ranks_[mover] = rank;
  }

  Chance& chance_;
  const std::size_t depth_;
  std::vector<std::uint64_t> falls_;  // the steps at which somebody falls behind
  std::bitset<WalkedStates::movers> is_drawn_;
  std::array<std::uint64_t, WalkedStates::movers> ranks_{};  // odds, or precedence
};

// The steps at which a fault is to happen.
class DrawnSteps::FaultTimes {
 public:
  FaultTimes(Chance& chance, std::size_t most) : chance_(chance), most_(most) {}

  void begin_run(std::size_t usual) {
    due_.clear();
    for (std::uint64_t count = chance_.below(most_ + 1); count > 0; --count) {
      due_.push_back(chance_.below(usual));
    }
    std::sort(due_.begin(), due_.end(), std::greater<>());
  }

  // Whether a fault is to happen now, if one is possible; one that is due waits until then.
  // `stuck`: nothing but a fault can happen.
  bool is_due(const WalkedStates& walked, std::uint32_t state, std::size_t step, bool stuck) const {
    return is_due(step) || (stuck && breaks_are_to_come(walked, state));
  }
  // One of these, which are not none.
  std::uint32_t choose(const WalkedStates& walked,
                       WalkedStates::StepGroups kinds,
                       std::size_t step) {
    if (is_due(step)) due_.pop_back();
    // Draws the kind first, because some kinds have many more ways to happen than others.
    const auto drawn = static_cast<std::uint32_t>(chance_.below(kinds.count));
    const WalkedStates::StepGroup& kind = walked.group(kinds.first + drawn);
    return kind.first + static_cast<std::uint32_t>(chance_.below(kind.count));
  }

 private:
  bool is_due(std::size_t step) const { return !due_.empty() && due_.back() <= step; }
  static bool breaks_are_to_come(const WalkedStates& walked, std::uint32_t state) {
    const Engine& engine = walked.engine();
    return engine.budgets().breaks_are_to_come(walked.state(state)[engine.budget_component()]);
  }

  Chance& chance_;
  const std::size_t most_;
  std::vector<std::uint64_t> due_;  // the next one last
};

DrawnSteps::DrawnSteps(WalkedStates& walked, const RandomSearch& how, std::uint64_t seed)
    : walked_(walked),
      chance_(seed),
      chance_before_(seed),
      order_(std::make_unique<MoverOrder>(chance_, how.depth)),
      faults_(std::make_unique<FaultTimes>(chance_, walked.engine().scenario().faults().total())) {}

DrawnSteps::~DrawnSteps() = default;

bool DrawnSteps::begin_run() {
  chance_before_ = chance_;
  drawn_from_ = longest_;
  const std::size_t usual = std::max<std::size_t>(1, longest_);
  order_->begin_run(usual);
  faults_->begin_run(usual);
  return true;
}

NextStep DrawnSteps::look(std::uint32_t state, std::size_t taken) {
  taken_ = taken;
  fault_.reset();
  ordinary_ = walked_.ordinary(state);
  if (!ordinary_.is_known()) return NextStep::unknown;
  if (faults_->is_due(walked_, state, taken, ordinary_.count == 0)) {
    const WalkedStates::StepGroups kinds = walked_.faulty(state);
    if (!kinds.is_known()) return NextStep::unknown;
    if (kinds.count > 0) fault_ = faults_->choose(walked_, kinds, taken);
  }
  return fault_ || ordinary_.count > 0 ? NextStep::there : NextStep::none;
}

std::optional<std::uint32_t> DrawnSteps::next() {
  if (fault_) return fault_;
  return order_->choose(walked_, ordinary_, taken_);
}

bool DrawnSteps::repeats(std::size_t length) {
  longest_ = std::max(longest_, length);
  return length > drawn_from_;
}

}  // namespace interlock::sim
