// Which loops of a graph a fair world may go round for ever, on graphs of a few states.
#include "search/fair_graph.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace interlock::sim {
namespace {

using Edge = FairGraph::Edge;
using State = FairGraph::State;

// Each state's edges, in their order; all states are looked at, or those that `inside` says.
FairGraph::LassoFound look(
    const std::vector<std::vector<Edge>>& states,
    const FairGraph::Inside& inside = [](State) { return true; },
    const std::set<State>& await_time = {}) {
  FairGraph graph;
  for (State state = 0; state < states.size(); ++state) {
    EXPECT_TRUE(graph.add(states[state], await_time.count(state) > 0));
  }
  return graph.look(inside, [] { return true; });
}

Edge edge(State from, State to, std::uint8_t party) {
  return Edge{from, to, party, false};
}

TEST(FairGraph, WhoCanMoveAllAlongAndNeverDoesIsNeglected) {
  EXPECT_FALSE(
      look({{edge(0, 1, 1), edge(0, 2, 2)}, {edge(1, 0, 1), edge(1, 2, 2)}, {}}, [](State state) {
        return state != 2;
      }).lasso);
}

// Whichever state is seen last.
TEST(FairGraph, WhoCannotMoveInOneStateMayBePassedOver) {
  const auto inside = [](State state) { return state != 2; };
  const std::vector<Edge> there{edge(0, 1, 1)};
  const std::vector<Edge> back{edge(1, 0, 1)};
  const FairGraph::LassoFound first = look({{edge(0, 1, 1), edge(0, 2, 2)}, back, {}}, inside);
  const FairGraph::LassoFound last = look({there, {edge(1, 0, 1), edge(1, 2, 2)}, {}}, inside);
  ASSERT_TRUE(first.lasso && last.lasso);
  EXPECT_EQ(first.lasso->loop.size(), 2U);
  EXPECT_EQ(last.lasso->loop.size(), 2U);
}

// It cannot move at 1, and the way by 3 is longer.
TEST(FairGraph, ATurnIsAlsoHadWhereOneCannotMove) {
  const FairGraph::LassoFound found =
      look({{edge(0, 1, 1), edge(0, 2, 2)}, {edge(1, 0, 1)}, {edge(2, 3, 1)}, {edge(3, 0, 1)}});
  ASSERT_TRUE(found.lasso);
  EXPECT_EQ(found.lasso->loop.size(), 2U);
}

TEST(FairGraph, AStepThatLeavesIsNoTurn) {
  // From the loop of 0 and 1 into that of 2, which is looked at before it.
  const std::vector<std::vector<Edge>> states{
      {edge(0, 1, 1), edge(0, 2, 2)}, {edge(1, 0, 1), edge(1, 2, 2)}, {edge(2, 2, 3)}};
  const FairGraph::LassoFound found = look(states);
  ASSERT_TRUE(found.lasso);
  EXPECT_EQ(found.lasso->entry, 2U);
}

// The way back is found below: 0, 1, 2, and from 2 to 0.
TEST(FairGraph, ALoopIsFoundThroughAllOfIt) {
  const FairGraph::LassoFound found =
      look({{edge(0, 1, 1)}, {edge(1, 2, 1)}, {edge(2, 3, 2)}, {edge(3, 0, 1)}});
  ASSERT_TRUE(found.lasso);
  EXPECT_EQ(found.lasso->entry, 0U);
  EXPECT_EQ(found.lasso->loop.size(), 4U);
}

// Whichever is found first.
TEST(FairGraph, OfTwoLoopsTheFirstIsTold) {
  const std::vector<Edge> one{edge(1, 1, 1)};
  const std::vector<Edge> two{edge(2, 2, 1)};
  for (const State first : {State{1}, State{2}}) {
    const FairGraph::LassoFound found =
        look({{edge(0, first, 1), edge(0, 3 - first, 2)}, one, two});
    ASSERT_TRUE(found.lasso);
    EXPECT_EQ(found.lasso->entry, 1U);
  }
}

TEST(FairGraph, AStateWithoutAStepIsTheEnd) {
  const FairGraph::LassoFound found = look({{edge(0, 1, 1)}, {}});
  ASSERT_TRUE(found.lasso);
  EXPECT_EQ(found.lasso->entry, 1U);
  EXPECT_TRUE(found.lasso->loop.empty());
}

TEST(FairGraph, WhatWaitsForTimeIsDecidedOnlyWhereTimePasses) {
  const auto all = [](State) { return true; };
  const FairGraph::LassoFound ended = look({{edge(0, 1, 1)}, {edge(1, 0, 1)}}, all, {1});
  EXPECT_FALSE(ended.lasso);
  EXPECT_TRUE(ended.time_ends);
  const FairGraph::LassoFound passing =
      look({{edge(0, 1, 1)}, {edge(1, 0, Agent::time)}}, all, {0});
  EXPECT_TRUE(passing.lasso);
  EXPECT_FALSE(passing.time_ends);
  Edge reads = edge(1, 0, 1);
  reads.reads_clock = true;
  EXPECT_TRUE(look({{edge(0, 1, 1)}, {reads}}, all).time_ends);
}

// A predicate may answer otherwise at another time: also about a step that leaves, and about what
// follows an answer.
TEST(FairGraph, WhatTheClockDecidesForAPredicateIsDecidedOnlyWhereTimePasses) {
  FairnessRules rules;
  rules.are_chosen = rules.ask_predicates = true;
  rules.weak_steps = 1;
  Edge enters = edge(0, 1, 1);
  enters.marks = 1;
  Edge hears = edge(0, 1, 1);
  hears.marks = FairnessRules::hears;
  Edge enters_then = edge(1, 2, 1);
  enters_then.marks = 1;
  const auto time_ends = [&rules](const std::vector<std::vector<Edge>>& states) {
    FairGraph graph(rules);
    for (const std::vector<Edge>& edges : states) EXPECT_TRUE(graph.add(edges, false));
    const auto found = graph.look([](State state) { return state == 0; }, [] { return true; });
    EXPECT_FALSE(found.lasso);
    return found.time_ends;
  };
  EXPECT_FALSE(time_ends({{edge(0, 0, 1), enters}, {}}));
  EXPECT_FALSE(time_ends({{edge(0, 0, 1), hears}, {enters_then}, {}}));
  enters.reads_clock = enters_then.reads_clock = true;
  EXPECT_TRUE(time_ends({{edge(0, 0, 1), enters}, {}}));
  EXPECT_TRUE(time_ends({{edge(0, 0, 1), hears}, {enters_then}, {}}));
}

// Time may stop. But whether the step of time that must come is possible is not known at its end.
TEST(FairGraph, TimeThatMustGoOnMayNotStopAtItsEnd) {
  FairnessRules rules;
  rules.are_chosen = rules.may_rest = rules.time_may_stop = true;
  rules.strong_steps = 1;
  Edge passes = edge(0, 1, Agent::time);
  passes.marks = FairnessRules::need_not_come;
  const auto look_where_time = [&](StepMarks marks) {
    FairGraph graph(rules);
    passes.marks |= marks;
    EXPECT_TRUE(graph.add({passes}, true));
    EXPECT_TRUE(graph.add({}, true));
    return graph.look([](State) { return true; }, [] { return true; });
  };
  EXPECT_TRUE(look_where_time(0).lasso);
  EXPECT_TRUE(look_where_time(1).time_ends);
}

// Each of so many must have its turn, and each turn leads away from where the loop begins.
constexpr std::uint8_t parties = 21;

std::set<std::uint8_t> moved_in_a_long_loop(const FairnessRules& rules) {
  std::vector<std::vector<Edge>> states(2);
  for (std::uint8_t party = 1; party <= parties; ++party) {
    states[0].push_back(edge(0, 1, party));
    states[1].push_back(edge(1, 0, party));
  }
  FairGraph graph(rules);
  for (const std::vector<Edge>& edges : states) EXPECT_TRUE(graph.add(edges, false));
  const FairGraph::LassoFound found = graph.look([](State) { return true; }, [] { return true; });
  std::set<std::uint8_t> moved;
  if (!found.lasso) return moved;
  State at = found.lasso->entry;
  for (const Edge& step : found.lasso->loop) {
    EXPECT_EQ(step.from, at);
    at = step.to;
    moved.insert(step.agent);
  }
  EXPECT_EQ(at, found.lasso->entry);
  return moved;
}

TEST(FairGraph, AllOfManyAgentsMove) {
  std::vector<Edge> moves;
  for (std::uint8_t agent = 0; agent < Agent::count; ++agent) moves.push_back(edge(0, 0, agent));
  const FairGraph::LassoFound found = look({moves});
  ASSERT_TRUE(found.lasso);
  std::set<std::uint8_t> moved;
  for (const Edge& step : found.lasso->loop) moved.insert(step.agent);
  EXPECT_EQ(moved.size(), Agent::count);
}

TEST(FairGraph, ALongLoopComesBackToWhereItBegins) {
  EXPECT_EQ(moved_in_a_long_loop(FairnessRules()).size(), parties);
  FairnessRules strong;
  strong.are_chosen = true;
  strong.strong = Agents::all();
  EXPECT_EQ(moved_in_a_long_loop(strong).size(), parties);
}

}  // namespace
}  // namespace interlock::sim
