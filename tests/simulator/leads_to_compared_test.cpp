// What the search says of leads_to(), compared with the slowest way to find it out: random programs
// that write one number, and every run of them with a mark on it for what is owed.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "line_programs.hpp"

namespace interlock::sim {
namespace {

Lines random_lines(std::mt19937& random, std::size_t most) {
  const auto below = [&random](std::size_t bound) {
    return static_cast<std::size_t>(random() % bound);
  };
  Lines lines(1 + below(most));
  for (Line& line : lines) {
    line.writes = static_cast<int>(below(4));
    for (std::size_t ways = below(3); ways > 0; --ways) line.next.push_back(below(lines.size()));
  }
  return lines;
}

// --- the slow way --------------------------------------------------------------------------------

constexpr std::size_t not_started = 999;  // it starts, or starts and writes in one step
constexpr std::size_t ended = 1000;
constexpr std::size_t crashed = 1001;

class Node {
 public:
  std::vector<std::size_t> at;  // by client: its line, or one of those above
  int number = 0;
  bool owes = false;  // this run has decided that the last `from` is never followed by `to`
  friend auto operator<=>(const Node&, const Node&) = default;
};
class Way {
 public:
  int faults = 0;
  int steps = 0;
  friend auto operator<=>(const Way&, const Way&) = default;
};

class SlowSearch {
 public:
  SlowSearch(std::vector<Lines> programs, int crashes)
      : programs_(std::move(programs)), crashes_(crashes) {}

  // The shortest way to where something is owed for ever.
  std::optional<Way> look() {
    build();
    std::optional<Way> best;
    for (const auto& [node, way] : ways_) {
      if (node.owes && goes_on_for_ever(node) && (!best || way < *best)) best = way;
    }
    return best;
  }
  bool is_vacuous() const { return !owed_; }

 private:
  class Edge {
   public:
    std::size_t mover;
    bool fault;
    Node to;
  };

  void build() {
    Node first;
    first.at.assign(programs_.size(), not_started);
    std::map<Way, std::set<Node>> untried{{Way(), {first}}};
    while (!untried.empty()) {
      const auto nearest = untried.extract(untried.begin());
      const Way way = nearest.key();
      for (const Node& node : nearest.mapped()) {
        if (!ways_.try_emplace(node, way).second) continue;
        for (const Edge& edge : edges_of(node, way.faults)) {
          untried[Way{way.faults + (edge.fault ? 1 : 0), way.steps + 1}].insert(edge.to);
        }
      }
    }
  }

  std::vector<Edge> edges_of(const Node& node, int faults) {
    std::vector<Edge> edges;
    const auto add = [&](std::size_t mover, bool fault, Node to) {
      if (node.owes) {
        if (to.number != to_number) edges.push_back(Edge{mover, fault, to});
        return;
      }
      edges.push_back(Edge{mover, fault, to});
      to.owes = to.number == from_number;
      owed_ = owed_ || to.owes;
      if (to.owes) edges.push_back(Edge{mover, fault, to});
    };
    for (std::size_t client = 0; client < programs_.size(); ++client) {
      if (node.at[client] >= ended) continue;
      const bool starts = node.at[client] == not_started;
      const Line& line = programs_[client][starts ? 0 : node.at[client]];
      Node to = node;
      to.at[client] = 0;
      if (starts) add(client, false, to);
      to.number = line.writes;
      to.at[client] = ended;
      if (line.next.empty()) add(client, false, to);
      for (const std::size_t next : line.next) {
        to.at[client] = next;
        add(client, false, to);
      }
      Node without = node;
      without.at[client] = crashed;
      if (!starts && faults < crashes_) add(client, true, without);
    }
    return edges;
  }

  const std::set<Node>& reached_from(const Node& node) {
    const auto [at, is_new] = reached_.try_emplace(node);
    std::set<Node>& reached = at->second;
    if (!is_new) return reached;
    std::vector<Node> untried{node};
    while (!untried.empty()) {
      const Node one = untried.back();
      untried.pop_back();
      for (const Edge& edge : edges_of(one, crashes_)) {
        if (edge.to.owes && reached.insert(edge.to).second) untried.push_back(edge.to);
      }
    }
    return reached;
  }

  // All nodes that can be reached and from which it comes back: if a fair run can stay among them.
  bool goes_on_for_ever(const Node& node) {
    bool all_over = true;
    for (const std::size_t at : node.at) all_over = all_over && at >= ended;
    if (all_over) return true;
    std::set<Node> around;
    for (const Node& one : reached_from(node)) {
      if (reached_from(one).count(node) > 0) around.insert(one);
    }
    if (around.empty()) return false;
    for (std::size_t client = 0; client < programs_.size(); ++client) {
      bool has_its_turn = false;
      for (const Node& one : around) {
        has_its_turn = has_its_turn || one.at[client] >= ended;
        for (const Edge& edge : edges_of(one, crashes_)) {
          has_its_turn = has_its_turn || (edge.mover == client && around.count(edge.to) > 0);
        }
      }
      if (!has_its_turn) return false;
    }
    return true;
  }

  std::vector<Lines> programs_;
  int crashes_;
  std::map<Node, Way> ways_;
  std::map<Node, std::set<Node>> reached_;
  bool owed_ = false;
};

// --- both ----------------------------------------------------------------------------------------

Verdict searched(const std::vector<Lines>& programs, int crashes) {
  Scenario scenario("random");
  for (const Lines& lines : programs) {
    scenario.client([lines](Client& me) { return run_lines(me, lines); });
  }
  if (crashes > 0) scenario.faults(FaultBudget().allow(Fault::crash));
  const auto is = [](int number) {
    return [number](const Snapshot& world) { return world.number("n") == number; };
  };
  return explore(scenario.require(leads_to("1 leads to 2", is(from_number), is(to_number))));
}

class Found {
 public:
  int proved = 0;
  int violated = 0;
  int by_fault = 0;
  int vacuous = 0;
};

void compare(const std::vector<Lines>& programs, int crashes, Found& found) {
  SlowSearch slow(programs, crashes);
  const std::optional<Way> way = slow.look();
  const Verdict verdict = searched(programs, crashes);
  const std::string what = text_of(programs) + describe(verdict) + describe(verdict.run);
  if (way) {
    ASSERT_EQ(verdict.outcome, Outcome::violated) << what;
    ASSERT_EQ(verdict.run.faults(), static_cast<std::size_t>(way->faults)) << what;
    ASSERT_EQ(verdict.run.loop, static_cast<std::size_t>(way->steps)) << what;
    ++found.violated;
    if (way->faults > 0) ++found.by_fault;
  } else if (slow.is_vacuous()) {
    ASSERT_EQ(verdict.outcome, Outcome::invalid) << what;
    ++found.vacuous;
  } else {
    ASSERT_EQ(verdict.outcome, Outcome::proved) << what;
    ++found.proved;
  }
}

TEST(LeadsToCompared, AgreesWithTheSlowestWayOnRandomPrograms) {
  constexpr int trials = 300;
  std::mt19937 random(7);
  Found found;
  for (int trial = 0; trial < trials && !HasFatalFailure(); ++trial) {
    const std::size_t clients = 1 + random() % 2;
    std::vector<Lines> programs;
    for (std::size_t client = 0; client < clients; ++client) {
      programs.push_back(random_lines(random, clients == 1 ? 5 : 3));
    }
    compare(programs, static_cast<int>(random() % 2), found);
  }
  constexpr int enough = 5;
  EXPECT_GT(found.proved, enough);
  EXPECT_GT(found.violated, enough);
  EXPECT_GT(found.by_fault, enough);
  EXPECT_GT(found.vacuous, enough);
}

}  // namespace
}  // namespace interlock::sim
