// The states of a finished search as a graph, and the loops in it that a fair world can go round
// for ever. What is fair is said at interlock::sim::every_waiter_acquires(), and at
// Scenario::fairness() where a scenario chooses it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/action.hpp"
#include "search/state_set.hpp"

namespace interlock::sim {

// An agent, which must eventually move if it can always move: each task of each client, the
// requests that a client has left behind, and time.
class Agent {
 public:
  static constexpr std::size_t count = 128;
  static constexpr std::uint8_t time = 14;
  static constexpr std::size_t task_slots = 14;

  static std::uint8_t of(Action action) {
    if (action.is(ActionKind::time)) return time;
    constexpr std::size_t left_behind = 15;
    std::size_t slot = action.slot();
    // Before it has started a client has nothing else to do, so this is its first task, too.
    if (action.is(ActionKind::start) || slot == left_behind) slot = 0;
    if (action.late()) slot = left_behind;
    return static_cast<std::uint8_t>(action.actor() << 4 | slot);
  }
};

class Agents {
 public:
  static Agents all() { return Agents{{~std::uint64_t{0}, ~std::uint64_t{0}}}; }
  void add(std::uint8_t agent) { words[agent >> 6] |= std::uint64_t{1} << (agent & 63U); }
  bool has(std::uint8_t agent) const { return (words[agent >> 6] >> (agent & 63U) & 1) != 0; }
  void keep(const Agents& others) {
    words[0] &= others.words[0];
    words[1] &= others.words[1];
  }
  void unite(const Agents& others) {
    words[0] |= others.words[0];
    words[1] |= others.words[1];
  }
  Agents without(const Agents& others) const {
    return Agents{{words[0] & ~others.words[0], words[1] & ~others.words[1]}};
  }
  bool meets(const Agents& others) const {
    return ((words[0] & others.words[0]) | (words[1] & others.words[1])) != 0;
  }
  bool within(const Agents& others) const {
    return ((words[0] & ~others.words[0]) | (words[1] & ~others.words[1])) == 0;
  }

  std::array<std::uint64_t, 2> words{};
};

// What a step is besides a step of its agent, as bits: 0 if the scenario chooses no fairness.
using StepMarks = std::uint16_t;

// What the scenario has chosen. By itself: weak fairness of each agent.
class FairnessRules {
 public:
  // A step whose fairness is `none`; it is not among those of its agent.
  static constexpr StepMarks need_not_come = 1U << 15;
  // The client does nothing but hear an answer: what it can do next counts as possible before.
  static constexpr StepMarks hears = 1U << 14;

  bool are_chosen = false;
  bool ask_predicates = false;
  bool may_rest = false;       // some steps need never come: all may come to rest before the end
  bool time_may_stop = false;  // so need the steps of time
  Agents strong;               // of which fairness is strong
  StepMarks weak_steps = 0;    // one bit for each action that a predicate describes
  StepMarks strong_steps = 0;

  StepMarks steps() const { return static_cast<StepMarks>(weak_steps | strong_steps); }
};

// What may happen next in a state.
class Possibilities {
 public:
  Agents agents;            // that can move
  StepMarks actions = 0;    // those that a predicate describes
  bool needs_time = false;  // more time might let something happen, or change what is possible

  // A step that is possible. At another time it might be another step for a predicate.
  void add_action(StepMarks marks, bool reads_clock, const FairnessRules& rules) {
    actions = static_cast<StepMarks>(actions | (marks & rules.steps()));
    needs_time = needs_time || (rules.ask_predicates && reads_clock);
  }
};

// Facts about a part of the graph that is never left, collected state by state and step by step.
class FairnessJudge {
 public:
  explicit FairnessJudge(const FairnessRules& rules) : rules_(rules) {}

  enum class LoopVerdict : std::uint8_t {
    unfair,          // somebody could move all along and never does
    fair,            // it can go on like this for ever
    time_ends,       // it could, but time has ended, and more of it might change what happens
    fair_in_a_part,  // at most: what must come if it is possible again and again never does
  };

  void state(const Possibilities& possible) {
    always_.keep(possible.agents);
    ever_.unite(possible.agents);
    always_possible_ &= possible.actions;
    ever_possible_ |= possible.actions;
    time_passes_ = time_passes_ || possible.agents.has(Agent::time);
    needs_time_ = needs_time_ || possible.needs_time;
  }
  void step(std::uint8_t agent, bool reads_clock, StepMarks marks) {
    if ((marks & FairnessRules::need_not_come) == 0) moved_.add(agent);
    taken_ |= marks;
    needs_time_ = needs_time_ || reads_clock;
  }
  LoopVerdict answer() const;
  // An agent that can always move and never does.
  std::optional<std::uint8_t> neglected() const { return first_of(always_.without(moved_)); }
  // The actions that are always possible and never come, although they are to be weakly fair.
  StepMarks neglected_steps() const {
    return static_cast<StepMarks>(always_possible_ & rules_.weak_steps & ~taken_);
  }
  // The same for those that are to be strongly fair, and are possible now and then.
  Agents passed_over() const;
  StepMarks steps_passed_over() const {
    return static_cast<StepMarks>(ever_possible_ & rules_.strong_steps & ~taken_);
  }
  static std::optional<std::uint8_t> first_of(const Agents& agents);

 private:
  const FairnessRules& rules_;
  Agents always_ = Agents::all();
  Agents ever_;
  Agents moved_;
  StepMarks always_possible_ = static_cast<StepMarks>(~0U);
  StepMarks ever_possible_ = 0;
  StepMarks taken_ = 0;
  bool time_passes_ = false;
  bool needs_time_ = false;
};

class FairGraph {
 public:
  using State = std::uint32_t;
  class Edge {
   public:
    State from = 0;
    State to = 0;
    std::uint8_t agent = 0;
    bool reads_clock = false;
    StepMarks marks = 0;
  };
  // Reached on the shortest way; then `loop` for ever. No loop: nothing can happen any more, or
  // nothing need happen.
  class Lasso {
   public:
    State entry = 0;
    std::vector<Edge> loop;
  };
  class LassoFound {
   public:
    std::optional<Lasso> lasso;  // the one with the nearest entry
    bool time_ends = false;      // there is one, if only time did not end
    bool stopped = false;        // by `proceed`
    bool out_of_memory = false;
  };
  using Inside = std::function<bool(State)>;
  using Place = std::function<State(State)>;  // the smaller, the nearer; no two are the same
  using Proceed = std::function<bool()>;

  explicit FairGraph(const FairnessRules& rules = {}) : rules_(rules) {}

  // States are numbered from 0 in the order in which they are added; edges must be `from` it.
  // False: there is not enough memory.
  [[nodiscard]] bool add(const std::vector<Edge>& edges, bool awaits_time);

  // A run that comes to a place from where it stays within `inside` for ever.
  LassoFound look(const Inside& inside, const Place& place, const Proceed& proceed);
  // The same where the first states are the nearest.
  LassoFound look(const Inside& inside, const Proceed& proceed) {
    return look(
        inside, [](State state) { return state; }, proceed);
  }

  const FairnessRules& rules() const { return rules_; }
  std::vector<Edge> edges_of(State state) const;
  Possibilities possible(State state) const;
  std::size_t bytes() const;

 private:
  static constexpr State closed = ~State{0};
  using Members = std::vector<State>;

  Edge edge(State from, std::uint64_t at) const {
    const std::uint8_t mover = movers_[at];
    const StepMarks marks = rules_.are_chosen ? marks_[at] : StepMarks{0};
    return Edge{from, targets_[at], static_cast<std::uint8_t>(mover & 127U), mover > 127U, marks};
  }
  std::uint64_t begin(State state) const { return begins_[state]; }
  std::uint64_t end(State state) const { return begins_[state + 1]; }

  // What is asked in a look, and what it has found so far.
  class Looking {
   public:
    const Inside& inside;
    const Place& place;
    const Proceed& proceed;
    LassoFound found;
    State entry = 0;            // the nearest
    Members members;            // of its component, sorted; none: nothing was found yet
    Members parts;              // of components, still to be looked at: each, and its size
    std::uint64_t entered = 0;  // states, by all walks
  };
  bool walk(Looking& looking, const Members* roots);
  void component(Looking& looking, const Members& stack, std::size_t first) const;
  void set_aside(Looking& looking,
                 const FairnessJudge& judge,
                 const Members& stack,
                 std::size_t first) const;
  static Members take_part(Looking& looking);
  std::optional<FairnessJudge> judge(const Members& stack, std::size_t first) const;
  bool may_rest(State state) const;

  FairnessRules rules_;
  ChunkedVector<std::uint64_t> begins_;
  ChunkedVector<State> targets_;
  ChunkedVector<std::uint8_t> movers_;
  ChunkedVector<StepMarks> marks_;  // none if no fairness is chosen
  ChunkedVector<bool> awaits_time_;
  ChunkedVector<State> number_;  // numbers states from 1 in the order of the walk
};

// The shortest loop through `entry` that neglects nobody, within `members`, which are sorted and
// strongly connected, and which a fair run can go round. In large ones a short loop.
std::vector<FairGraph::Edge> fair_loop(const FairGraph& graph,
                                       FairGraph::State entry,
                                       const std::vector<FairGraph::State>& members);

}  // namespace interlock::sim
