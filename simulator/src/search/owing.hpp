// The states of a finished search in which a run may still owe what a leads_to() promises: it has
// satisfied `from`, and not `to` since then.
#pragma once

#include <cstdint>
#include <vector>

#include "base/chunked_vector.hpp"
#include "model/expand.hpp"
#include "model/snapshot.hpp"
#include "search/fair_graph.hpp"
#include "search/step_check.hpp"
#include "search/ways.hpp"

namespace interlock::sim {

// The states of a search, what can follow them, and how they were reached.
template <class S>
class SearchedStates {
 public:
  Engine& engine;
  const StateSet<S>& states;
  const FairGraph& graph;
  const Levels& levels;
};

template <class S>
class Owing {
 public:
  using Number = std::uint32_t;
  // A part of a run, state by state, which begins in a state that was reached as the search did.
  using Part = std::vector<Number>;

  Owing(const SearchedStates<S>& searched, const Property& property)
      : searched_(searched), property_(property) {}

  // Room for the walk. False: there is not enough memory.
  [[nodiscard]] bool reserve() {
    const std::size_t count = searched_.states.size();
    if (!answers_.reserve(count) || !places_.reserve(count) || !parents_.reserve(count) ||
        !reached_.reserve(count)) {
      return false;
    }
    answers_.resize(count);
    places_.resize(count);
    parents_.resize(count);
    return true;
  }
  // Walks from the states that satisfy `from` and not `to`; if `at_first`, the first state is one
  // of these, whatever it satisfies. Goes as the search did, by fewest faults, then fewest steps of
  // the whole run, and also by faults, since these may happen while a run owes something. False:
  // `proceed` has ended it, or no verdict is possible.
  bool walk(bool at_first, const FairGraph::Proceed& proceed) {
    for (Number state = 0; state < searched_.states.size(); ++state) {
      constexpr Number patience = 8192;
      if (state % patience == patience - 1 && !proceed()) return false;
      ask(state);
      if (!searched_.engine.predicates().failure().empty()) return false;
    }
    if (at_first && answers_[0] != Answer::holds) answers_[0] = Answer::broken;
    for (faults_ = 0; faults_ < searched_.levels.size(); ++faults_) {
      levels_.emplace_back();
      for (std::size_t steps = 0; may_reach(steps); ++steps) {
        if (!proceed()) return false;
        level(steps);
      }
    }
    return true;
  }

  bool has(Number state) const { return places_[state] != nowhere; }
  // The smaller, the nearer.
  Number place(Number state) const { return places_[state]; }
  // From the state that satisfies `from` to this one.
  Part part_to(Number state) const {
    Part part{state};
    while (parents_[part.back()] != nowhere) part.push_back(parents_[part.back()]);
    std::reverse(part.begin(), part.end());
    return part;
  }

  std::size_t bytes() const {
    // All states may be reached.
    return answers_.bytes() + places_.bytes() + 2 * parents_.bytes();
  }

 private:
  using Answer = Predicates::PredicateAnswer;
  static constexpr Number nowhere = ~Number{0};

  void ask(Number state) {
    Engine& engine = searched_.engine;
    const WideState world = widened(engine, searched_.states[state]);
    places_[state] = nowhere;
    answers_[state] = engine.predicates().ask(property_, snapshot(engine, world));
    if (answers_[state] != Answer::broken) return;
    engine.happenings().note(HappeningKind::is_owed, property_.name);
  }

  bool may_reach(std::size_t steps) const {
    const bool begins = steps < searched_.levels[faults_].size();
    const bool goes_on = steps > 0 && !is_empty(faults_, steps - 1);
    return begins || goes_on || (faults_ > 0 && steps <= levels_[faults_ - 1].size());
  }
  bool is_empty(std::size_t faults, std::size_t steps) const {
    return levels_[faults][steps].begin == levels_[faults][steps].end;
  }

  // What runs of so many steps, with `faults_` faults, are the first to reach.
  void level(std::size_t steps) {
    const std::size_t begin = reached_.size();
    if (steps < searched_.levels[faults_].size()) {
      const Level& same = searched_.levels[faults_][steps];
      for (std::size_t state = same.begin; state < same.end; ++state) {
        const auto number = static_cast<Number>(state);
        if (answers_[number] == Answer::broken) reach(number, nowhere);
      }
    }
    if (steps > 0) go_on_from(levels_[faults_][steps - 1]);
    if (steps > 0 && faults_ > 0 && steps <= levels_[faults_ - 1].size()) {
      fail_from(levels_[faults_ - 1][steps - 1]);
    }
    levels_[faults_].push_back(Level{begin, reached_.size()});
  }

  void go_on_from(Level level) {
    for (std::size_t at = level.begin; at < level.end; ++at) {
      const Number from = reached_[at];
      for (const FairGraph::Edge& edge : searched_.graph.edges_of(from)) reach(edge.to, from);
    }
  }

  void fail_from(Level level) {
    for (std::size_t at = level.begin; at < level.end; ++at) {
      const Number from = reached_[at];
      EmitStep<S> emit = [this, from](const S& next, const Transition&) {
        reach(searched_.states.find(next), from);
      };
      const S state = searched_.states[from];
      Expander<S, Transition, EmitStep<S>>(searched_.engine, emit).faulty(state);
    }
  }

  void reach(Number state, Number from) {
    INTERLOCK_ASSERT(state != StateSet<S>::absent);
    if (has(state) || answers_[state] == Answer::holds) return;
    places_[state] = static_cast<Number>(reached_.size());
    parents_[state] = from;
    reached_.push_back(state);
  }

  const SearchedStates<S>& searched_;
  const Property& property_;
  ChunkedVector<Answer> answers_;  // by state, as the next two
  ChunkedVector<Number> places_;   // in `reached_`
  ChunkedVector<Number> parents_;  // of those that are reached; nowhere: `from` holds there
  ChunkedVector<Number> reached_;  // in the order of the walk
  Levels levels_;                  // of `reached_`
  std::size_t faults_ = 0;
};

}  // namespace interlock::sim
