// The states that runs have come to, each with the steps that are possible there. To work out these
// steps takes some microseconds, and to look them up some nanoseconds: short runs come to the same
// states again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/possible_steps.hpp"
#include "search/state_set.hpp"

namespace interlock::sim {

// Numbers of states and steps hold until the next begin_run().
//
// While learn(false) holds, only add() changes anything: any number of threads may ask at a time.
// Then the steps of a state may be unknown, and a step may be `not_judged`, with a next state that
// is not known.
class WalkedStates {
 public:
  static constexpr std::uint16_t not_judged = 0xffff;

  class WalkedStep {
   public:
    Action action;
    std::uint32_t next = unknown;       // the number of the state after it, when it is judged
    std::uint16_t violation = 0;        // of the step by itself
    std::uint16_t broken = not_judged;  // the property that it or its next state breaks; 0: none
  };
  // The steps of one mover, or the faults of one kind, in the order of possible_steps().
  class StepGroup {
   public:
    std::uint32_t of = 0;     // the mover, or Action::kind_number()
    std::uint32_t first = 0;  // its first step
    std::uint32_t count = 0;
  };
  class StepGroups {
   public:
    bool is_known() const { return count != unknown; }
    std::uint32_t first = 0;
    std::uint32_t count = unknown;
  };

  // Keeps about so many states, or so many steps times four: here at most some 50 MB.
  explicit WalkedStates(Engine& engine, std::size_t states_most = std::size_t{1} << 17)
      : engine_(engine), states_most_(states_most) {}

  Engine& engine() const { return engine_; }
  void learn(bool on) { learns_ = on; }
  // The number of the initial state. Forgets all states if there are too many, or if runs seldom
  // come back to them: in a large world they only fill the processor's caches.
  std::uint32_t begin_run();

  const WideState& state(std::uint32_t number) const { return states_[number]; }
  std::size_t size() const { return states_.size(); }
  // Without the faults, by movers.
  StepGroups ordinary(std::uint32_t state) { return known(ordinary_, state, StepKinds::ordinary); }
  // The faults, by kinds.
  StepGroups faulty(std::uint32_t state) { return known(faulty_, state, StepKinds::faulty); }
  const StepGroup& group(std::uint32_t number) const { return groups_[number]; }
  const WalkedStep& step(std::uint32_t number) const { return steps_[number]; }
  // The number of a step that the caller has worked out.
  std::uint32_t add(const BriefStep& step);
  // The property that the step from this state breaks, by itself or by the state to which it leads,
  // counted from 1; 0: none. The user's predicates are asked once.
  std::uint16_t broken_by(std::uint32_t before, std::uint32_t step);

  // Grows when steps are worked out or predicates asked: before that the engine knows nothing new.
  std::uint64_t learned() const { return learned_; }
  // Then numbers mean nothing.
  bool out_of_memory() const { return out_of_memory_; }

  static std::uint32_t mover_of(const Action& action);
  static constexpr std::uint32_t time_itself = 0;
  static constexpr std::uint32_t movers = Permutation::count * 16 + 1;

 private:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  bool are_worth_keeping() const;
  StepGroups known(std::vector<StepGroups>& all, std::uint32_t state, StepKinds kinds);
  StepGroups work_out(std::uint32_t state, StepKinds kinds);
  std::uint32_t number_of(const WideState& state);
  void forget();

  Engine& engine_;
  const std::size_t states_most_;
  StateSet<WideState> states_;
  std::vector<StepGroups> ordinary_;  // of each state
  std::vector<StepGroups> faulty_;    // of each state
  std::vector<StepGroup> groups_;
  std::vector<WalkedStep> steps_;
  std::vector<WideState> after_;  // the state after each step: most steps are never taken
  std::uint64_t learned_ = 1;
  // Since states were last forgotten:
  std::size_t taken_ = 0;
  std::size_t worked_out_ = 0;
  bool learns_ = true;
  bool out_of_memory_ = !states_.has_memory();
};

}  // namespace interlock::sim
