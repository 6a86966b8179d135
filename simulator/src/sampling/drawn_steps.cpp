#include "sampling/drawn_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace interlock::sim {
namespace {

// The mover of a step: a task of a client, or time.
using Mover = std::uint32_t;
constexpr Mover time_itself = 0;
Mover mover_of(const Action& action) {
  if (action.is(ActionKind::time)) return time_itself;
  return static_cast<Mover>(action.actor() * 16 + action.slot() + 1);
}

// Draws who moves next, for one run.
class MoverOrder {
 public:
  // `usual`: about how many steps a run has.
  MoverOrder(Chance& chance, std::size_t depth, std::size_t usual)
      : chance_(chance), depth_(depth) {
    for (std::size_t change = 1; change < depth; ++change) falls_.push_back(chance.below(usual));
  }

  const BriefStep& choose(const std::vector<BriefStep>& nexts, std::size_t step) {
    const Mover mover = depth_ == 0 ? by_odds(nexts) : by_precedence(nexts, step);
    std::vector<const BriefStep*> of_mover;
    for (const BriefStep& next : nexts) {
      if (mover_of(next.detail.action) == mover) of_mover.push_back(&next);
    }
    return *of_mover[chance_.below(of_mover.size())];
  }

 private:
  static std::vector<Mover> movers(const std::vector<BriefStep>& nexts) {
    std::vector<Mover> all;
    for (const BriefStep& next : nexts) {
      const Mover mover = mover_of(next.detail.action);
      if (std::find(all.begin(), all.end(), mover) == all.end()) all.push_back(mover);
    }
    return all;
  }

  // Everybody's odds differ by up to 32 to 1, so that some runs have a client that hardly moves, or
  // time that hardly passes. With even odds, time is over before anybody has done much.
  Mover by_odds(const std::vector<BriefStep>& nexts) {
    const std::vector<Mover> all = movers(nexts);
    std::uint64_t sum = 0;
    for (const Mover mover : all) sum += odds(mover);
    std::uint64_t drawn = chance_.below(sum);
    for (const Mover mover : all) {
      if (drawn < odds(mover)) return mover;
      drawn -= odds(mover);
    }
    return all.back();
  }
  std::uint64_t odds(Mover mover) {
    const auto [at, is_new] = ranks_.try_emplace(mover, 0);
    if (is_new) at->second = std::uint64_t{1} << chance_.below(6);
    return at->second;
  }

  Mover by_precedence(const std::vector<BriefStep>& nexts, std::size_t step) {
    const std::vector<Mover> all = movers(nexts);
    for (std::size_t change = 0; change < falls_.size(); ++change) {
      if (falls_[change] == step) ranks_[first_of(all)] = change;
    }
    return first_of(all);
  }
  Mover first_of(const std::vector<Mover>& all) {
    return *std::max_element(all.begin(), all.end(), [this](Mover one, Mover other) {
      return precedence(one) < precedence(other);
    });
  }
  std::uint64_t precedence(Mover mover) {
    const auto [at, is_new] = ranks_.try_emplace(mover, 0);
    if (is_new) at->second = depth_ + (chance_.number() >> 16);
    return at->second;
  }

  Chance& chance_;
  std::size_t depth_;
  std::vector<std::uint64_t> falls_;      // the steps at which somebody falls behind
  std::map<Mover, std::uint64_t> ranks_;  // odds, or precedence
};

// The steps at which a fault is to happen, in one run.
class FaultTimes {
 public:
  FaultTimes(Chance& chance, std::size_t most, std::size_t usual) : chance_(chance) {
    for (std::uint64_t count = chance.below(most + 1); count > 0; --count) {
      due_.push_back(chance.below(usual));
    }
    std::sort(due_.begin(), due_.end(), std::greater<>());
  }

  // A fault that is due waits until one is possible. `stuck`: nothing but a fault can happen.
  std::optional<BriefStep> choose(Engine& engine,
                                  const WideState& state,
                                  std::size_t step,
                                  bool stuck) {
    const bool due = !due_.empty() && due_.back() <= step;
    const bool breaks = stuck && breaks_are_to_come(engine, state);
    if (!due && !breaks) return std::nullopt;
    const std::vector<BriefStep> nexts =
        possible_steps<Transition>(engine, state, StepKinds::faulty);
    if (nexts.empty()) return std::nullopt;
    if (due) due_.pop_back();
    // Draws the kind first, because some kinds have many more ways to happen than others.
    std::vector<std::uint32_t> kinds;
    for (const BriefStep& next : nexts) {
      const std::uint32_t kind = next.detail.action.kind_number();
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    const std::uint32_t kind = kinds[chance_.below(kinds.size())];
    std::vector<BriefStep> of_kind;
    for (const BriefStep& next : nexts) {
      if (next.detail.action.kind_number() == kind) of_kind.push_back(next);
    }
    return of_kind[chance_.below(of_kind.size())];
  }

 private:
  static bool breaks_are_to_come(Engine& engine, const WideState& state) {
    return engine.budgets().breaks_are_to_come(state[engine.budget_component()]);
  }

  Chance& chance_;
  std::vector<std::uint64_t> due_;  // the next one last
};

}  // namespace

// The draws of one run, and its next step.
class DrawnSteps::OneRun {
 public:
  OneRun(Chance& chance, const Engine& engine, std::size_t depth, std::size_t usual)
      : drawn_from(usual),
        order(chance, depth, std::max<std::size_t>(1, usual)),
        faults(chance, engine.scenario().faults().total(), std::max<std::size_t>(1, usual)) {}

  std::size_t drawn_from;
  MoverOrder order;
  FaultTimes faults;
  std::vector<BriefStep> ordinary;
  std::optional<BriefStep> fault;
  std::size_t taken = 0;
};

DrawnSteps::DrawnSteps(Engine& engine, const RandomSearch& how)
    : engine_(engine), depth_(how.depth), chance_(how.seed) {}

DrawnSteps::~DrawnSteps() = default;

bool DrawnSteps::begin_run() {
  run_ = std::make_unique<OneRun>(chance_, engine_, depth_, longest_);
  return true;
}

bool DrawnSteps::can_go_on(const WideState& state, std::size_t taken) {
  run_->taken = taken;
  run_->ordinary = possible_steps<Transition>(engine_, state, StepKinds::ordinary);
  run_->fault = run_->faults.choose(engine_, state, taken, run_->ordinary.empty());
  return run_->fault || !run_->ordinary.empty();
}

std::optional<BriefStep> DrawnSteps::next() {
  if (run_->fault) return *run_->fault;
  return run_->order.choose(run_->ordinary, run_->taken);
}

bool DrawnSteps::repeats(std::size_t length) {
  longest_ = std::max(longest_, length);
  return length > run_->drawn_from;
}

}  // namespace interlock::sim
