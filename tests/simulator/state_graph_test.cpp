// The graph of a scenario's states, against the search.
#include "interlock/sim/state_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"

namespace interlock::sim {
namespace {

Scenario scenario(std::string_view name) {
  return *catalogue::build(name, {});
}

StateGraph graph_of(const Scenario& scenario, const std::string& merge_by = "") {
  StateGraphOptions options;
  options.nodes = 100'000;
  if (!merge_by.empty()) options.merge_by = *state_view(scenario, merge_by);
  Result<StateGraph> graph = state_graph(scenario, options);
  EXPECT_TRUE(graph) << graph.error().detail();
  return *graph;
}

TEST(StateGraph, HasTheStatesOfTheSearch) {
  for (const char* name : {"stamp-lock", "setnx-expire-lock-repaired", "lost-wakeup-repaired"}) {
    Scenario told_apart = scenario(name);
    const Verdict verdict = explore(told_apart.symmetry(false));
    ASSERT_EQ(verdict.outcome, Outcome::proved) << name;
    const StateGraph graph = graph_of(scenario(name));
    EXPECT_EQ(graph.states, verdict.states) << name;
    EXPECT_EQ(graph.nodes.size(), verdict.states) << name;
    EXPECT_EQ(graph.steps, verdict.transitions) << name;
    const auto deepest = std::max_element(
        graph.nodes.begin(), graph.nodes.end(),
        [](const GraphNode& one, const GraphNode& other) { return one.depth < other.depth; });
    EXPECT_EQ(deepest->depth, verdict.depth) << name;
  }
}

TEST(StateGraph, ItsNearestViolationIsTheShortestRun) {
  for (const char* name : {"del-setnx-lock", "blind-del-after-expiry", "expiry-edge"}) {
    const Verdict verdict = explore(scenario(name));
    const StateGraph graph = graph_of(scenario(name));
    std::size_t nearest = graph.states;
    std::set<std::size_t> broken;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      if (graph.nodes[node].violates.empty()) continue;
      broken.insert(node);
      nearest = std::min(nearest, graph.nodes[node].depth);
      EXPECT_EQ(graph.nodes[node].violates, verdict.property) << name;
    }
    EXPECT_EQ(nearest, verdict.run.steps.size()) << name;
    for (const GraphEdge& edge : graph.edges) EXPECT_FALSE(broken.contains(edge.from)) << name;
  }
}

TEST(StateGraph, MergedStatesAndStepsAreCounted) {
  const StateGraph whole = graph_of(scenario("stamp-lock"));
  const StateGraph merged = graph_of(scenario("stamp-lock"), "beliefs,values");
  EXPECT_LT(merged.nodes.size(), whole.nodes.size());
  EXPECT_EQ(merged.states, whole.states);
  EXPECT_EQ(merged.steps, whole.steps);
  std::uint64_t states = 0;
  std::set<std::vector<std::string>> seen;
  for (const GraphNode& node : merged.nodes) {
    states += node.states;
    EXPECT_TRUE(seen.insert(node.lines).second);
  }
  EXPECT_EQ(states, whole.states);
  std::uint64_t steps = 0;
  for (const GraphEdge& edge : merged.edges) steps += edge.steps;
  EXPECT_EQ(steps, whole.steps);
}

TEST(StateGraph, TimeWithoutEndIsSearchedAsLongAsItNeeds) {
  const Scenario endless =
      *catalogue::build("setnx-expire-lock-repaired", {{"instants", "endless"}});
  Scenario told_apart = endless;
  const Verdict verdict = explore(told_apart.symmetry(false));
  ASSERT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_EQ(graph_of(endless).states, verdict.states);
}

TEST(StateGraph, ALargeOneIsGivenUpWithAReason) {
  StateGraphOptions options;
  options.states = 20;
  const auto states = state_graph(scenario("lease-lock"), options);
  ASSERT_TRUE(states);
  EXPECT_NE(states->too_large.find("more than 20 states"), std::string::npos) << states->too_large;
  EXPECT_TRUE(states->nodes.empty());
  options.states = 1000;
  options.nodes = 5;
  const auto nodes = state_graph(scenario("lease-lock"), options);
  ASSERT_TRUE(nodes);
  EXPECT_NE(nodes->too_large.find("more than 5 nodes"), std::string::npos) << nodes->too_large;
}

TEST(StateGraph, ItsCallerCanEndIt) {
  StateGraphOptions options;
  options.proceed = [](const Progress&) { return false; };
  const auto graph = state_graph(scenario("stamp-lock"), options);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code(), Errc::cancelled);
  Scenario wrong("wrong");
  EXPECT_EQ(state_graph(wrong.instants(0)).error().code(), Errc::invalid_argument);
}

TEST(StateGraph, ViewsThatAreUnknownAreNamed) {
  const auto view = state_view(scenario("stamp-lock"), "beliefs,C");
  ASSERT_FALSE(view);
  EXPECT_NE(view.error().detail().find("'C' is no view"), std::string::npos);
  for (const std::string& word : state_view_words(scenario("stamp-lock"))) {
    EXPECT_TRUE(state_view(scenario("stamp-lock"), word)) << word;
  }
}

TEST(Dot, TextCannotBreakTheDocument) {
  StateGraph graph;
  graph.nodes.resize(2);
  graph.nodes[0].lines = {"key = \"quoted\" \\l"};
  for (int step = 0; step < 7; ++step) {
    GraphEdge edge;
    edge.to = 1;
    edge.mover = "A";
    edge.what = "step " + std::to_string(step);
    edge.steps = 1;
    graph.edges.push_back(edge);
  }
  const std::string text = draw_dot(graph);
  EXPECT_NE(text.find("key = \\\"quoted\\\" \\\\l\\l"), std::string::npos) << text;
  EXPECT_NE(text.find("A step 3\\nand 3 more\\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace interlock::sim
