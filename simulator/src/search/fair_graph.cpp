#include "search/fair_graph.hpp"

#include <algorithm>
#include <bitset>

#include "base/memory.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

std::optional<std::uint8_t> FairnessJudge::first_of(const Agents& agents) {
  for (std::size_t agent = 0; agent < Agent::count; ++agent) {
    const auto one = static_cast<std::uint8_t>(agent);
    if (agents.has(one)) return one;
  }
  return std::nullopt;
}

Agents FairnessJudge::passed_over() const {
  Agents strong = ever_;
  strong.keep(rules_.strong);
  return strong.without(moved_);
}

FairnessJudge::LoopVerdict FairnessJudge::answer() const {
  if (!always_.within(moved_)) return LoopVerdict::unfair;
  if (needs_time_ && !time_passes_ && !rules_.time_may_stop) return LoopVerdict::time_ends;
  if (neglected_steps() != 0) return LoopVerdict::unfair;
  if (steps_passed_over() != 0 || first_of(passed_over())) return LoopVerdict::fair_in_a_part;
  return LoopVerdict::fair;
}

bool FairGraph::add(const std::vector<Edge>& edges, bool awaits_time) {
  const std::size_t more = edges.size();
  if (!begins_.reserve(begins_.size() + 2) || !awaits_time_.reserve(awaits_time_.size() + 1) ||
      !targets_.reserve(targets_.size() + more) || !movers_.reserve(movers_.size() + more) ||
      (rules_.are_chosen && !marks_.reserve(marks_.size() + more))) {
    return false;
  }
  if (begins_.size() == 0) begins_.push_back(0);
  for (const Edge& edge : edges) {
    // Whether a step of time is possible when time has ended is not known.
    const bool time_must_go_on = edge.agent == Agent::time && (edge.marks & rules_.steps()) != 0;
    if (time_must_go_on) rules_.time_may_stop = false;
    targets_.push_back(edge.to);
    movers_.push_back(static_cast<std::uint8_t>(edge.agent | (edge.reads_clock ? 128U : 0U)));
    if (rules_.are_chosen) marks_.push_back(edge.marks);
  }
  begins_.push_back(targets_.size());
  awaits_time_.push_back(awaits_time);
  return true;
}

std::size_t FairGraph::bytes() const {
  return begins_.bytes() + targets_.bytes() + movers_.bytes() + marks_.bytes() +
         awaits_time_.bytes() + number_.bytes();
}

Possibilities FairGraph::possible(State state) const {
  Possibilities possible;
  possible.needs_time = awaits_time_[state];
  const auto add_action = [&](const Edge& step) {
    possible.add_action(step.marks, step.reads_clock, rules_);
  };
  for (std::uint64_t at = begin(state); at < end(state); ++at) {
    const Edge step = edge(state, at);
    if ((step.marks & FairnessRules::need_not_come) == 0) possible.agents.add(step.agent);
    add_action(step);
    if ((step.marks & FairnessRules::hears) == 0) continue;
    for (std::uint64_t after = begin(step.to); after < end(step.to); ++after) {
      const Edge next = edge(step.to, after);
      if (next.agent == step.agent) add_action(next);
    }
  }
  return possible;
}

// A run that stays inside for ever ends in a strongly connected component. If all fairness is weak,
// a component has a fair loop if and only if going round all of it is fair. If some is strong, what
// the component passes over must not even be possible on a fair loop: so the states where it is
// possible are taken away, and the components of the rest are looked at in turn. (O. Lichtenstein
// and A. Pnueli, "Checking That Finite State Concurrent Programs Satisfy Their Linear
// Specification", POPL 1985; E. A. Emerson and C.-L. Lei, "Modalities for Model Checking: Branching
// Time Logic Strikes Back", Science of Computer Programming 8, 1987.)
FairGraph::LassoFound FairGraph::look(const Inside& inside,
                                      const Place& place,
                                      const Proceed& proceed) {
  Looking looking{inside, place, proceed, {}, 0, {}, {}};
  LassoFound& found = looking.found;
  const auto states = static_cast<State>(awaits_time_.size());
  found.out_of_memory = !number_.reserve(states);
  if (found.out_of_memory) return found;
  number_.resize(states);
  for (State state = 0; state < states; ++state) number_[state] = 0;
  if (!walk(looking, nullptr)) return found;
  while (!looking.parts.empty()) {
    const Members part = take_part(looking);
    // All others are closed, or not inside.
    for (const State state : part) number_[state] = 0;
    if (!walk(looking, &part)) return found;
  }
  if (looking.members.empty()) return found;
  found.lasso = Lasso();
  found.lasso->entry = looking.entry;
  if (!may_rest(looking.entry)) {
    found.lasso->loop = fair_loop(*this, looking.entry, looking.members);
  }
  return found;
}

// Strongly connected components, by R. Tarjan, "Depth-First Search and Linear Graph Algorithms"
// (1972), without recursion: of what can be reached from these states, or from all. False: it has
// ended early.
bool FairGraph::walk(Looking& looking, const Members* roots) {
  class Frame {
   public:
    State state;
    State low;
    std::uint64_t next;
  };
  LassoFound& found = looking.found;
  Members stack;
  std::vector<Frame> frames;
  State visited = 0;
  const auto enter = [&](State state) {
    number_[state] = ++visited;
    stack.push_back(state);
    frames.push_back(Frame{state, visited, begin(state)});
    ++looking.entered;
  };
  // The two stacks of the walk, and the parts, of which the next may be all of a stack: each may
  // double when it grows.
  const auto has_room = [&] {
    constexpr std::size_t least = std::size_t{8} << 20;
    const std::size_t numbers = 2 * stack.capacity() + looking.parts.capacity();
    return has_memory_for(least +
                          2 * (frames.capacity() * sizeof(Frame) + numbers * sizeof(State)));
  };
  const std::size_t count = roots != nullptr ? roots->size() : awaits_time_.size();
  for (std::size_t number = 0; number < count; ++number) {
    const State root = roots != nullptr ? (*roots)[number] : static_cast<State>(number);
    if (number_[root] == 0 && looking.inside(root)) enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next < end(frame.state)) {
        const State to = targets_[frame.next++];
        if (number_[to] == 0) {
          if (!looking.inside(to)) continue;
          if (looking.entered % 65536 == 0) {
            found.out_of_memory = !has_room();
            found.stopped = !found.out_of_memory && !looking.proceed();
            if (found.out_of_memory || found.stopped) return false;
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
      component(looking, stack, first);
      for (std::size_t at = first; at < stack.size(); ++at) number_[stack[at]] = closed;
      stack.resize(first);
    }
  }
  return true;
}

std::vector<FairGraph::Edge> FairGraph::edges_of(State state) const {
  std::vector<Edge> edges;
  for (std::uint64_t at = begin(state); at < end(state); ++at) edges.push_back(edge(state, at));
  return edges;
}

// Whether nothing need happen there any more.
bool FairGraph::may_rest(State state) const {
  if (begin(state) == end(state)) return true;
  if (!rules_.may_rest) return false;
  FairnessJudge judge(rules_);
  judge.state(possible(state));
  return judge.answer() == FairnessJudge::LoopVerdict::fair;
}

// None: the state is left at once.
std::optional<FairnessJudge> FairGraph::judge(const Members& stack, std::size_t first) const {
  // A state belongs to the component if it was numbered later than the component's first state and
  // is not closed.
  const State least = number_[stack[first]];
  FairnessJudge judge(rules_);
  bool goes_round = false;
  bool stuck = true;
  for (std::size_t member = first; member < stack.size(); ++member) {
    const State state = stack[member];
    for (std::uint64_t at = begin(state); at < end(state); ++at) {
      const Edge step = edge(state, at);
      stuck = false;
      if (number_[step.to] == closed || number_[step.to] < least) continue;
      goes_round = true;
      judge.step(step.agent, step.reads_clock, step.marks);
    }
    judge.state(possible(state));
  }
  if (!goes_round && !stuck && !rules_.may_rest) return std::nullopt;
  return judge;
}

void FairGraph::component(Looking& looking, const Members& stack, std::size_t first) const {
  const std::optional<FairnessJudge> judge = this->judge(stack, first);
  if (!judge) return;
  switch (judge->answer()) {
    case FairnessJudge::LoopVerdict::unfair:
      return;
    case FairnessJudge::LoopVerdict::time_ends:
      looking.found.time_ends = true;
      return;
    case FairnessJudge::LoopVerdict::fair_in_a_part:
      return set_aside(looking, *judge, stack, first);
    case FairnessJudge::LoopVerdict::fair:
      break;
  }
  const Place& place = looking.place;
  const auto begin_of_members = stack.begin() + static_cast<std::ptrdiff_t>(first);
  const State entry =
      *std::min_element(begin_of_members, stack.end(),
                        [&place](State one, State other) { return place(one) < place(other); });
  Members& best = looking.members;
  if (!best.empty() && place(looking.entry) <= place(entry)) return;
  looking.entry = entry;
  best.assign(begin_of_members, stack.end());
  std::sort(best.begin(), best.end());
}

// The members where nothing is possible that the component passes over.
void FairGraph::set_aside(Looking& looking,
                          const FairnessJudge& judge,
                          const Members& stack,
                          std::size_t first) const {
  Members& parts = looking.parts;
  const std::size_t before = parts.size();
  for (std::size_t member = first; member < stack.size(); ++member) {
    const State state = stack[member];
    const Possibilities here = possible(state);
    const bool passes_over =
        (here.actions & judge.steps_passed_over()) != 0 || here.agents.meets(judge.passed_over());
    if (!passes_over) parts.push_back(state);
  }
  const std::size_t size = parts.size() - before;
  if (size != 0) parts.push_back(static_cast<State>(size));
}

FairGraph::Members FairGraph::take_part(Looking& looking) {
  Members& parts = looking.parts;
  const auto size = static_cast<std::ptrdiff_t>(parts.back());
  parts.pop_back();
  Members part(parts.end() - size, parts.end());
  parts.erase(parts.end() - size, parts.end());
  return part;
}

namespace {

// Breadth-first from one state, with what was done so far as a part of the place: as bits, which
// duties were met, and which of those that come only with an occasion have had one.
class LoopFinder {
 public:
  using State = FairGraph::State;
  using Edge = FairGraph::Edge;

  LoopFinder(const FairGraph& graph, State entry, const std::vector<State>& members)
      : graph_(graph), entry_(entry), members_(members) {
    const FairnessRules& rules = graph.rules();
    const Possibilities at_entry = graph.possible(entry);
    owe(at_entry.agents.without(rules.strong), at_entry.actions & rules.weak_steps);
    always_due_ = due_.size();
    Possibilities ever;
    for (std::size_t at = 0; rules.are_chosen && at < members.size(); ++at) {
      const Possibilities here = graph.possible(members[at]);
      ever.agents.unite(here.agents);
      ever.actions |= here.actions;
    }
    ever.agents.keep(rules.strong);
    owe(ever.agents, ever.actions & rules.strong_steps);
    for (const State member : members) at_rest_.push_back(at_rest(member));
  }

  std::vector<Edge> find() {
    constexpr std::size_t most_places = 8'000'000;
    if (is_small() && members_.size() << bits() <= most_places) {
      return walk(entry_, Done(), std::size_t{1} << bits(),
                  [&](State at, const Done& done) { return at == entry_ && is_fair(done); });
    }
    return step_by_step();
  }

 private:
  static constexpr std::size_t most_duties = Agent::count + Scenario::fair_steps_max;
  using Done = std::bitset<most_duties>;

  // An agent that must move, or an action that must come.
  class Duty {
   public:
    bool is_met_by(const Edge& edge) const {
      if (action != 0) return (edge.marks & action) != 0;
      return edge.agent == agent && (edge.marks & FairnessRules::need_not_come) == 0;
    }
    bool is_possible(const Possibilities& possible) const {
      return action != 0 ? (possible.actions & action) != 0 : possible.agents.has(agent);
    }
    std::uint8_t agent = 0;
    StepMarks action = 0;  // 0: it is about the agent
  };

  void owe(const Agents& agents, unsigned actions) {
    for (std::size_t agent = 0; agent < Agent::count; ++agent) {
      const auto one = static_cast<std::uint8_t>(agent);
      if (agents.has(one)) due_.push_back(Duty{one, 0});
    }
    for (unsigned bit = 1; bit <= actions; bit <<= 1U) {
      if ((actions & bit) != 0) due_.push_back(Duty{0, static_cast<StepMarks>(bit)});
    }
  }

  // One for each duty; one more for each that is due only if there is an occasion.
  std::size_t bits() const { return due_.size() + due_.size() - always_due_; }
  bool is_small() const { return bits() < 20; }
  // Its bit. Only if is_small().
  std::size_t occasion(std::size_t duty) const { return due_.size() + duty - always_due_; }
  bool is_fair(const Done& done) const {
    for (std::size_t at = 0; at < due_.size(); ++at) {
      const bool is_due = at < always_due_ || done[occasion(at)];
      if (is_due && !done[at]) return false;
    }
    return true;
  }

  // Meets one duty at a time, each by the shortest way.
  std::vector<Edge> step_by_step() {
    Done all;
    for (std::size_t duty = 0; duty < due_.size(); ++duty) all.set(duty);
    std::vector<Edge> loop;
    State at = entry_;
    Done done;
    while (loop.empty() || done != all || at != entry_) {
      const Done before = done;
      const std::vector<Edge> part = walk(at, done, 1, [&](State to, const Done& now) {
        return before == all ? to == entry_ : (now & all & ~before).any();
      });
      for (const Edge& edge : part) done |= done_by(edge) & all;
      loop.insert(loop.end(), part.begin(), part.end());
      at = part.back().to;
    }
    return loop;
  }

  // The duties that are not due for ever if this state comes again and again, and the occasions
  // that it is.
  Done at_rest(State state) const {
    const Possibilities possible = graph_.possible(state);
    Done rest;
    for (std::size_t at = 0; at < due_.size(); ++at) {
      const bool is_possible = due_[at].is_possible(possible);
      if (at < always_due_ && !is_possible) rest.set(at);
      // Step by step, each duty is met, with an occasion or without.
      if (at >= always_due_ && is_possible && is_small()) rest.set(occasion(at));
    }
    return rest;
  }
  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t index_of(State state) const {
    const auto at = std::lower_bound(members_.begin(), members_.end(), state);
    if (at == members_.end() || *at != state) return nowhere;
    return static_cast<std::size_t>(at - members_.begin());
  }

  // What is done with this step: by itself, or by where it leads.
  Done done_by(const Edge& edge) const {
    Done done = at_rest_[index_of(edge.to)];
    for (std::size_t at = 0; at < due_.size(); ++at) {
      if (due_[at].is_met_by(edge)) done.set(at);
    }
    return done;
  }

  // `layers`: how many values of `done` are places of their own.
  template <class IsGoal>
  std::vector<Edge> walk(State from, const Done& begun, std::size_t layers, IsGoal is_goal) {
    class WalkPlace {
     public:
      Edge edge;
      std::size_t parent;
      Done done;
    };
    std::vector<WalkPlace> places;
    std::vector<bool> seen(members_.size() * layers, false);
    // True if the last place is the goal.
    const auto reach = [&](State at, Done done, std::size_t parent) {
      for (const Edge& edge : graph_.edges_of(at)) {
        const std::size_t index = index_of(edge.to);
        if (index == nowhere) continue;
        const Done then = done | done_by(edge);
        const std::size_t key = index * layers + (layers > 1 ? then.to_ulong() : 0);
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

  const FairGraph& graph_;
  State entry_;
  const std::vector<State>& members_;
  std::vector<Duty> due_;       // first those that are due unless they are impossible somewhere
  std::size_t always_due_ = 0;  // how many these are
  std::vector<Done> at_rest_;   // by member
};

}  // namespace

std::vector<FairGraph::Edge> fair_loop(const FairGraph& graph,
                                       FairGraph::State entry,
                                       const std::vector<FairGraph::State>& members) {
  return LoopFinder(graph, entry, members).find();
}

}  // namespace interlock::sim
