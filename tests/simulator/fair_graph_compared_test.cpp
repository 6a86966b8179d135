// The loops that FairGraph finds under a chosen fairness, compared with the definition on random
// small graphs: every set of edges that a run could take again and again is tried.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "search/fair_graph.hpp"

namespace interlock::sim {
namespace {

using Edge = FairGraph::Edge;
using Vertex = FairGraph::State;
using EdgeSet = unsigned;  // one bit for each edge

constexpr std::uint8_t agents[] = {1, 2, 17};
constexpr StepMarks first_action = 1;
constexpr StepMarks second_action = 2;

class World {
 public:
  Vertex vertices = 0;
  std::vector<Edge> edges;  // by `from`
  FairnessRules rules;
  std::set<Vertex> inside;
};

bool is_of_its_agent(const Edge& edge) {
  return (edge.marks & FairnessRules::need_not_come) == 0;
}

// The definition, word for word.
class Definition {
 public:
  explicit Definition(const World& world) : world_(world) {}

  // Whether a run may take these edges, and no others, again and again for ever.
  bool is_fair(const std::set<Vertex>& visited, EdgeSet taken) const {
    for (const std::uint8_t agent : agents) {
      const auto is_step = [agent](const Edge& edge) {
        return edge.agent == agent && is_of_its_agent(edge);
      };
      const bool strong = world_.rules.strong.has(agent);
      if (!is_given(strong, visited, taken, is_step, false)) return false;
    }
    for (const StepMarks action : {first_action, second_action}) {
      const auto is_step = [action](const Edge& edge) { return (edge.marks & action) != 0; };
      const bool strong = (world_.rules.strong_steps & action) != 0;
      if (!strong && (world_.rules.weak_steps & action) == 0) continue;
      if (!is_given(strong, visited, taken, is_step, true)) return false;
    }
    return true;
  }
  bool may_rest(Vertex at) const {
    const bool stuck = std::none_of(world_.edges.begin(), world_.edges.end(),
                                    [at](const Edge& edge) { return edge.from == at; });
    return stuck || (world_.rules.may_rest && is_fair({at}, 0));
  }
  std::set<Vertex> vertices_of(EdgeSet taken) const {
    std::set<Vertex> vertices;
    for (std::size_t at = 0; at < world_.edges.size(); ++at) {
      if ((taken >> at & 1U) != 0) vertices.insert({world_.edges[at].from, world_.edges[at].to});
    }
    return vertices;
  }

  // The vertex with the smallest number that a fair run comes back to, and the fewest steps in
  // which it does.
  std::optional<std::pair<Vertex, std::size_t>> nearest() const {
    for (const Vertex entry : world_.inside) {
      if (may_rest(entry)) return std::pair(entry, std::size_t{0});
      if (const auto steps = shortest_loop(entry)) return std::pair(entry, *steps);
    }
    return std::nullopt;
  }

 private:
  template <class IsStep>
  bool is_given(bool strong,
                const std::set<Vertex>& visited,
                EdgeSet taken,
                const IsStep& is_step,
                bool also_after_hearing) const {
    for (std::size_t at = 0; at < world_.edges.size(); ++at) {
      if ((taken >> at & 1U) != 0 && is_step(world_.edges[at])) return true;
    }
    const auto is_possible = [&](Vertex at) {
      for (const Edge& edge : world_.edges) {
        if (edge.from != at) continue;
        if (is_step(edge)) return true;
        if (!also_after_hearing || (edge.marks & FairnessRules::hears) == 0) continue;
        for (const Edge& next : world_.edges) {
          if (next.from == edge.to && next.agent == edge.agent && is_step(next)) return true;
        }
      }
      return false;
    };
    return strong ? std::none_of(visited.begin(), visited.end(), is_possible)
                  : !std::all_of(visited.begin(), visited.end(), is_possible);
  }

  std::optional<std::size_t> shortest_loop(Vertex entry) const {
    using At = std::pair<Vertex, EdgeSet>;
    std::set<At> seen{{entry, 0}};
    std::vector<At> level{{entry, 0}};
    for (std::size_t steps = 1; !level.empty(); ++steps) {
      std::vector<At> next;
      for (const auto& [vertex, taken] : level) {
        for (std::size_t at = 0; at < world_.edges.size(); ++at) {
          const Edge& edge = world_.edges[at];
          if (edge.from != vertex || world_.inside.count(edge.to) == 0) continue;
          const EdgeSet then = taken | 1U << at;
          if (edge.to == entry && is_fair(vertices_of(then), then)) return steps;
          if (seen.insert({edge.to, then}).second) next.push_back({edge.to, then});
        }
      }
      level = std::move(next);
    }
    return std::nullopt;
  }

  const World& world_;
};

World random_world() {
  World world;
  world.vertices = *rc::gen::inRange<Vertex>(1, 6);
  world.rules.are_chosen = true;
  world.rules.may_rest = *rc::gen::arbitrary<bool>();
  for (const std::uint8_t agent : agents) {
    if (*rc::gen::inRange(0, 3) == 0) world.rules.strong.add(agent);
  }
  for (const StepMarks action : {first_action, second_action}) {
    const int kind = *rc::gen::inRange(0, 4);
    if (kind == 1) world.rules.weak_steps |= action;
    if (kind > 1) world.rules.strong_steps |= action;
  }
  const int count = *rc::gen::inRange(0, 10);
  for (int number = 0; number < count; ++number) {
    Edge edge;
    edge.from = *rc::gen::inRange<Vertex>(0, world.vertices);
    edge.to = *rc::gen::inRange<Vertex>(0, world.vertices);
    edge.agent = agents[*rc::gen::inRange(0, 3)];
    if (*rc::gen::inRange(0, 4) == 0) edge.marks |= first_action;
    if (*rc::gen::inRange(0, 4) == 0) edge.marks |= second_action;
    if (*rc::gen::inRange(0, 4) == 0) edge.marks |= FairnessRules::hears;
    const bool need_not_come = world.rules.may_rest && *rc::gen::inRange(0, 2) == 0;
    if (need_not_come) edge.marks |= FairnessRules::need_not_come;
    world.edges.push_back(edge);
  }
  std::stable_sort(world.edges.begin(), world.edges.end(),
                   [](const Edge& one, const Edge& other) { return one.from < other.from; });
  for (Vertex vertex = 0; vertex < world.vertices; ++vertex) {
    if (*rc::gen::inRange(0, 6) > 0) world.inside.insert(vertex);
  }
  return world;
}

std::string text_of(const World& world) {
  std::ostringstream text;
  text << world.vertices << " vertices; weak " << world.rules.weak_steps << ", strong "
       << world.rules.strong_steps << ", agents " << world.rules.strong.words[0]
       << (world.rules.may_rest ? ", may rest" : "") << "; inside";
  for (const Vertex vertex : world.inside) text << " " << vertex;
  for (const Edge& edge : world.edges) {
    text << "\n  " << edge.from << " -> " << edge.to << " by " << int{edge.agent} << ", marks "
         << edge.marks;
  }
  return text.str();
}

FairGraph graph_of(const World& world) {
  FairGraph graph(world.rules);
  for (Vertex vertex = 0; vertex < world.vertices; ++vertex) {
    std::vector<Edge> from_it;
    std::copy_if(world.edges.begin(), world.edges.end(), std::back_inserter(from_it),
                 [vertex](const Edge& edge) { return edge.from == vertex; });
    RC_ASSERT(graph.add(from_it, false));
  }
  return graph;
}

// The set of the world's edges that the loop takes; they must follow each other, from `entry` on.
EdgeSet taken_by(const World& world, const FairGraph::Lasso& lasso) {
  EdgeSet taken = 0;
  Vertex at = lasso.entry;
  for (const Edge& step : lasso.loop) {
    RC_ASSERT(step.from == at);
    at = step.to;
    const auto edge =
        std::find_if(world.edges.begin(), world.edges.end(), [&step](const Edge& one) {
          return one.from == step.from && one.to == step.to && one.agent == step.agent &&
                 one.marks == step.marks;
        });
    RC_ASSERT(edge != world.edges.end());
    taken |= 1U << (edge - world.edges.begin());
  }
  RC_ASSERT(at == lasso.entry);
  return taken;
}

int lassos = 0;
int none = 0;
int long_loops = 0;

void compare_one() {
  const World world = random_world();
  const Definition definition(world);
  const auto expected = definition.nearest();
  FairGraph graph = graph_of(world);
  const FairGraph::LassoFound found = graph.look(
      [&world](Vertex vertex) { return world.inside.count(vertex) > 0; }, [] { return true; });
  RC_LOG() << text_of(world) << "\n";
  RC_ASSERT(found.lasso.has_value() == expected.has_value());
  if (!expected) {
    ++none;
    return;
  }
  ++lassos;
  if (expected->second > 1) ++long_loops;
  RC_ASSERT(found.lasso->entry == expected->first);
  RC_ASSERT(found.lasso->loop.size() == expected->second);
  const EdgeSet taken = taken_by(world, *found.lasso);
  if (taken != 0) RC_ASSERT(definition.is_fair(definition.vertices_of(taken), taken));
}

RC_GTEST_PROP(FairGraphCompared, FindsWhatTheDefinitionAllows, ()) {
  constexpr int graphs = 20;
  for (int graph = 0; graph < graphs; ++graph) compare_one();
}

TEST(FairGraphCompared, HasTriedGraphsOfEachKind) {
  constexpr int enough = 20;
  EXPECT_GT(lassos, enough);
  EXPECT_GT(none, enough);
  EXPECT_GT(long_loops, enough);
}

}  // namespace
}  // namespace interlock::sim
