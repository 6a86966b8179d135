#include "search/fair_graph.hpp"

#include <algorithm>

#include "base/memory.hpp"
#include "interlock/detail/assert.hpp"

namespace interlock::sim {

std::optional<std::uint8_t> FairnessJudge::neglected() const {
  for (std::size_t agent = 0; agent < Agent::count; ++agent) {
    const auto one = static_cast<std::uint8_t>(agent);
    if (always_.has(one) && !moved_.has(one)) return one;
  }
  return std::nullopt;
}

bool FairGraph::add(const std::vector<Edge>& edges, bool awaits_time) {
  const std::size_t more = edges.size();
  if (!begins_.reserve(begins_.size() + 2) || !awaits_time_.reserve(awaits_time_.size() + 1) ||
      !targets_.reserve(targets_.size() + more) || !movers_.reserve(movers_.size() + more)) {
    return false;
  }
  if (begins_.size() == 0) begins_.push_back(0);
  for (const Edge& edge : edges) {
    targets_.push_back(edge.to);
    movers_.push_back(static_cast<std::uint8_t>(edge.agent | (edge.reads_clock ? 128U : 0U)));
  }
  begins_.push_back(targets_.size());
  awaits_time_.push_back(awaits_time);
  return true;
}

std::size_t FairGraph::bytes() const {
  return begins_.bytes() + targets_.bytes() + movers_.bytes() + awaits_time_.bytes() +
         number_.bytes();
}

Agents FairGraph::enabled(State state) const {
  Agents enabled;
  for (std::uint64_t at = begin(state); at < end(state); ++at) {
    enabled.add(edge(state, at).agent);
  }
  return enabled;
}

// Strongly connected components, by R. Tarjan, "Depth-First Search and Linear Graph Algorithms"
// (1972), without recursion. A run that stays inside for ever ends in one of them. As fairness here
// is weak, a component has a fair loop if and only if going round all of it is fair.
FairGraph::LassoFound FairGraph::look(const Inside& inside,
                                      const Place& place,
                                      const Proceed& proceed) {
  class Frame {
   public:
    State state;
    State low;
    std::uint64_t next;
  };
  LassoFound found;
  Nearest nearest;
  Members stack;
  std::vector<Frame> frames;
  State visited = 0;
  const auto enter = [&](State state) {
    number_[state] = ++visited;
    stack.push_back(state);
    frames.push_back(Frame{state, visited, begin(state)});
  };
  const auto states = static_cast<State>(awaits_time_.size());
  found.out_of_memory = !number_.reserve(states);
  if (found.out_of_memory) return found;
  number_.resize(states);
  for (State state = 0; state < states; ++state) number_[state] = 0;
  // The two stacks of the walk: each may double when it grows.
  const auto has_room = [&] {
    constexpr std::size_t least = std::size_t{8} << 20;
    return has_memory_for(
        least + 2 * (frames.capacity() * sizeof(Frame) + stack.capacity() * sizeof(State)));
  };
  for (State root = 0; root < states; ++root) {
    if (number_[root] == 0 && inside(root)) enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next < end(frame.state)) {
        const State to = targets_[frame.next++];
        if (number_[to] == 0) {
          if (!inside(to)) continue;
          if (visited % 65536 == 0) {
            found.out_of_memory = !has_room();
            found.stopped = !found.out_of_memory && !proceed();
            if (found.out_of_memory || found.stopped) return found;
          }
          enter(to);
        } else if (number_[to] != closed) {
          frame.low = std::min(frame.low, number_[to]);
        }
        continue;
      }
      const Frame done = frame;
      frames.pop_back();
      if (!frames.empty()) frames.back().low = std::min(frames.back().low, done.low);
      if (done.low != number_[done.state]) continue;
      const auto first = static_cast<std::size_t>(
          std::find(stack.rbegin(), stack.rend(), done.state).base() - stack.begin() - 1);
      component(stack, first, place, found, nearest);
      for (std::size_t at = first; at < stack.size(); ++at) number_[stack[at]] = closed;
      stack.resize(first);
    }
  }
  if (nearest.members.empty()) return found;
  found.lasso = Lasso();
  found.lasso->entry = nearest.entry;
  const bool stuck = begin(nearest.entry) == end(nearest.entry);
  if (!stuck) {
    found.lasso->loop =
        fair_loop(nearest.entry, nearest.members, [this](State state) { return edges_of(state); });
  }
  return found;
}

std::vector<FairGraph::Edge> FairGraph::edges_of(State state) const {
  std::vector<Edge> edges;
  for (std::uint64_t at = begin(state); at < end(state); ++at) edges.push_back(edge(state, at));
  return edges;
}

// No loop: the state is left at once.
std::optional<FairnessJudge::Fairness> FairGraph::judge(const Members& stack,
                                                        std::size_t first) const {
  // A state belongs to the component if it was numbered later than the component's first state and
  // is not closed.
  const State least = number_[stack[first]];
  FairnessJudge judge;
  bool goes_round = false;
  bool stuck = true;
  for (std::size_t member = first; member < stack.size(); ++member) {
    const State state = stack[member];
    for (std::uint64_t at = begin(state); at < end(state); ++at) {
      const Edge step = edge(state, at);
      stuck = false;
      if (number_[step.to] == closed || number_[step.to] < least) continue;
      goes_round = true;
      judge.step(step.agent, step.reads_clock);
    }
    judge.state(enabled(state), awaits_time_[state]);
  }
  if (!goes_round && !stuck) return std::nullopt;
  return judge.answer();
}

void FairGraph::component(const Members& stack,
                          std::size_t first,
                          const Place& place,
                          LassoFound& found,
                          Nearest& nearest) {
  const auto answer = judge(stack, first);
  if (!answer || *answer == FairnessJudge::Fairness::unfair) return;
  if (*answer == FairnessJudge::Fairness::time_ends) {
    found.time_ends = true;
    return;
  }
  const auto begin_of_members = stack.begin() + static_cast<std::ptrdiff_t>(first);
  const State entry =
      *std::min_element(begin_of_members, stack.end(),
                        [&place](State one, State other) { return place(one) < place(other); });
  Members& best = nearest.members;
  if (!best.empty() && place(nearest.entry) <= place(entry)) return;
  nearest.entry = entry;
  best.assign(begin_of_members, stack.end());
  std::sort(best.begin(), best.end());
}

namespace {

// Breadth-first from one state, with what was done so far as a part of the place.
class LoopFinder {
 public:
  using State = FairGraph::State;
  using Edge = FairGraph::Edge;
  using EdgesOf = std::function<std::vector<Edge>(State)>;

  LoopFinder(State entry, const std::vector<State>& members, const EdgesOf& edges_of)
      : entry_(entry), members_(members), edges_of_(edges_of) {
    for (const Edge& edge : edges_of(entry)) {
      if (std::find(due_.begin(), due_.end(), edge.agent) == due_.end()) due_.push_back(edge.agent);
    }
    INTERLOCK_ASSERT(due_.size() < 60);
    for (const State member : members) at_rest_.push_back(at_rest(member));
  }

  std::vector<Edge> find() {
    constexpr std::size_t most_places = 8'000'000;
    const std::size_t all = std::size_t{1} << due_.size();
    if (due_.size() < 20 && members_.size() * all <= most_places) {
      return walk(entry_, 0, all,
                  [&](State at, std::size_t done) { return at == entry_ && done == all - 1; });
    }
    return step_by_step(all - 1);
  }

 private:
  // Adds one agent at a time, each by the shortest way.
  std::vector<Edge> step_by_step(std::size_t all) {
    std::vector<Edge> loop;
    State at = entry_;
    std::size_t done = 0;
    while (done != all || at != entry_) {
      const std::size_t before = done;
      const std::vector<Edge> part = walk(at, done, 1, [&](State to, std::size_t now) {
        return before == all ? to == entry_ : (now & ~before) != 0;
      });
      for (const Edge& edge : part) done |= done_by(edge);
      loop.insert(loop.end(), part.begin(), part.end());
      at = part.back().to;
    }
    return loop;
  }

  std::size_t at_rest(State state) const {
    Agents enabled;
    for (const Edge& edge : edges_of_(state)) enabled.add(edge.agent);
    std::size_t rest = 0;
    for (std::size_t at = 0; at < due_.size(); ++at) {
      if (!enabled.has(due_[at])) rest |= std::size_t{1} << at;
    }
    return rest;
  }
  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t index_of(State state) const {
    const auto at = std::lower_bound(members_.begin(), members_.end(), state);
    if (at == members_.end() || *at != state) return nowhere;
    return static_cast<std::size_t>(at - members_.begin());
  }

  // The agents that have had their turn with this step: they moved, or cannot move afterwards.
  std::size_t done_by(const Edge& edge) const {
    std::size_t done = at_rest_[index_of(edge.to)];
    for (std::size_t at = 0; at < due_.size(); ++at) {
      if (due_[at] == edge.agent) done |= std::size_t{1} << at;
    }
    return done;
  }

  // `layers`: how many values of `done` are places of their own.
  template <class IsGoal>
  std::vector<Edge> walk(State from, std::size_t begun, std::size_t layers, IsGoal is_goal) {
    class WalkPlace {
     public:
      Edge edge;
      std::size_t parent;
      std::size_t done;
    };
    std::vector<WalkPlace> places;
    std::vector<bool> seen(members_.size() * layers, false);
    // True if the last place is the goal.
    const auto reach = [&](State at, std::size_t done, std::size_t parent) {
      for (const Edge& edge : edges_of_(at)) {
        const std::size_t index = index_of(edge.to);
        if (index == nowhere) continue;
        const std::size_t then = done | done_by(edge);
        const std::size_t key = index * layers + (layers > 1 ? then : 0);
        if (is_goal(edge.to, then)) {
          places.push_back(WalkPlace{edge, parent, then});
          return true;
        }
        if (seen[key]) continue;
        seen[key] = true;
        places.push_back(WalkPlace{edge, parent, then});
      }
      return false;
    };
    bool there = reach(from, begun, nowhere);
    for (std::size_t at = 0; at < places.size() && !there; ++at) {
      there = reach(places[at].edge.to, places[at].done, at);
    }
    std::vector<Edge> way;
    for (std::size_t back = places.size() - 1; back != nowhere; back = places[back].parent) {
      way.push_back(places[back].edge);
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

  State entry_;
  const std::vector<State>& members_;
  const EdgesOf& edges_of_;
  std::vector<std::uint8_t> due_;
  std::vector<std::size_t> at_rest_;  // by member: who cannot move there
};

}  // namespace

std::vector<FairGraph::Edge> fair_loop(
    FairGraph::State entry,
    const std::vector<FairGraph::State>& members,
    const std::function<std::vector<FairGraph::Edge>(FairGraph::State)>& edges_of) {
  return LoopFinder(entry, members, edges_of).find();
}

}  // namespace interlock::sim
