// The states of a finished search as a graph, and the loops in it that a fair world can go round
// for ever. What is fair is said at interlock::sim::every_waiter_acquires().
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
  bool within(const Agents& others) const {
    return ((words[0] & ~others.words[0]) | (words[1] & ~others.words[1])) == 0;
  }

  std::array<std::uint64_t, 2> words{};
};

// Facts about a part of the graph that is never left, collected state by state and step by step.
class FairnessJudge {
 public:
  enum class Fairness : std::uint8_t {
    unfair,    // somebody could move all along and never does
    fair,      // it can go on like this for ever
    time_ends  // it could, but time has ended, and more of it might change what happens
  };

  void state(const Agents& enabled, bool awaits_time) {
    always_.keep(enabled);
    time_passes_ = time_passes_ || enabled.has(Agent::time);
    needs_time_ = needs_time_ || awaits_time;
  }
  void step(std::uint8_t agent, bool reads_clock) {
    moved_.add(agent);
    needs_time_ = needs_time_ || reads_clock;
  }
  Fairness answer() const {
    if (!always_.within(moved_)) return Fairness::unfair;
    return needs_time_ && !time_passes_ ? Fairness::time_ends : Fairness::fair;
  }
  // An agent that can always move and never does.
  std::optional<std::uint8_t> neglected() const;

 private:
  Agents always_ = Agents::all();
  Agents moved_;
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
  };
  // Reached on the shortest way; then `loop` for ever. No loop: nothing can happen any more.
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

  std::vector<Edge> edges_of(State state) const;
  std::size_t bytes() const;

 private:
  static constexpr State closed = ~State{0};
  using Members = std::vector<State>;

  Edge edge(State from, std::uint64_t at) const {
    const std::uint8_t mover = movers_[at];
    return Edge{from, targets_[at], static_cast<std::uint8_t>(mover & 127U), mover > 127U};
  }
  std::uint64_t begin(State state) const { return begins_[state]; }
  std::uint64_t end(State state) const { return begins_[state + 1]; }

  class Nearest {
   public:
    State entry = 0;
    Members members;  // sorted; none: nothing was found yet
  };
  void component(const Members& stack,
                 std::size_t first,
                 const Place& place,
                 LassoFound& found,
                 Nearest& nearest);
  std::optional<FairnessJudge::Fairness> judge(const Members& stack, std::size_t first) const;
  Agents enabled(State state) const;

  ChunkedVector<std::uint64_t> begins_;
  ChunkedVector<State> targets_;
  ChunkedVector<std::uint8_t> movers_;
  ChunkedVector<bool> awaits_time_;
  ChunkedVector<State> number_;  // numbers states from 1 in the order of the walk
};

// The shortest loop through `entry` that neglects nobody, within `members`, which are sorted and
// strongly connected. In large ones a short loop.
std::vector<FairGraph::Edge> fair_loop(
    FairGraph::State entry,
    const std::vector<FairGraph::State>& members,
    const std::function<std::vector<FairGraph::Edge>(FairGraph::State)>& edges_of);

}  // namespace interlock::sim
