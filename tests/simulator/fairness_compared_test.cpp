// What the search says of leads_to() under a chosen fairness, compared with the definition on
// random programs that write one number. The steps of the programs are modelled here once more, and
// a run that is fair for ever is looked for by trying which strongly fair steps it makes
// impossible.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "line_programs.hpp"

namespace interlock::sim {
namespace {

// The steps in which one client, or any of them, writes this number, which was another before; or
// those in which one client comes to this line from another.
class Steps {
 public:
  Fairness fairness = Fairness::strong;
  std::optional<std::size_t> client;
  std::optional<int> writes;
  std::int64_t comes_to = 0;  // unless it is about what is written

  bool are(std::optional<std::size_t> mover,
           std::int64_t number_before,
           std::int64_t number,
           std::int64_t line_before,
           std::int64_t line) const {
    if (!mover || (client && *client != *mover)) return false;
    if (writes) return number_before != *writes && number == *writes;
    return line_before != comes_to && line == comes_to;
  }
};

class Trial {
 public:
  std::vector<Lines> programs;
  std::vector<Fairness> of_clients;
  std::vector<Steps> of_steps;
  int crashes = 0;
};

// --- the definition ------------------------------------------------------------------------------

class Place {
 public:
  enum class Kind : std::uint8_t { not_started, asks, hears, ended, crashed };
  Kind kind = Kind::not_started;
  std::int64_t line = -1;  // that it has noted last
  friend auto operator<=>(const Place&, const Place&) = default;
};

class Node {
 public:
  std::vector<Place> at;  // by client
  int number = 0;
  friend auto operator<=>(const Node&, const Node&) = default;
};
class Edge {
 public:
  std::size_t client = 0;
  bool hears = false;
  Node from;
  Node to;
};
class Way {
 public:
  int faults = 0;
  int steps = 0;
  friend auto operator<=>(const Way&, const Way&) = default;
};

class SlowSearch {
 public:
  explicit SlowSearch(const Trial& trial) : trial_(trial) { state_conditions(); }

  // The shortest way to where something is owed for ever.
  std::optional<Way> look() {
    walk();
    std::optional<Way> best;
    for (const auto& [owing, way] : ways_) {
      if (owing.second && (!best || way < *best) && goes_on_for_ever(owing.first)) best = way;
    }
    return best;
  }
  // Nothing was owed, or some steps never come.
  bool is_vacuous() const { return !owed_ || came_.size() != trial_.of_steps.size(); }

 private:
  using Kind = Place::Kind;
  using Owing = std::pair<Node, bool>;

  // What a run must do again and again if it is always possible; `strong`: again and again.
  class Condition {
   public:
    bool strong = false;
    bool also_after_hearing = false;
    std::function<bool(const Edge&)> is_step;
  };

  bool is_one_of(const Steps& steps, const Edge& edge) const {
    return steps.are(edge.client, edge.from.number, edge.to.number, edge.from.at[edge.client].line,
                     edge.to.at[edge.client].line);
  }
  bool need_not_come(const Edge& edge) const {
    if (trial_.of_clients[edge.client] == Fairness::none) return true;
    for (const Steps& steps : trial_.of_steps) {
      if (steps.fairness == Fairness::none && is_one_of(steps, edge)) return true;
    }
    return false;
  }
  void state_conditions() {
    for (std::size_t client = 0; client < trial_.programs.size(); ++client) {
      conditions_.push_back(Condition{trial_.of_clients[client] == Fairness::strong, false,
                                      [this, client](const Edge& edge) {
                                        return edge.client == client && !need_not_come(edge);
                                      }});
    }
    for (const Steps& steps : trial_.of_steps) {
      if (steps.fairness == Fairness::none) continue;
      conditions_.push_back(
          Condition{steps.fairness == Fairness::strong, true,
                    [this, &steps](const Edge& edge) { return is_one_of(steps, edge); }});
    }
  }

  // By fewest faults, then fewest steps.
  void walk() {
    Node first;
    first.at.resize(trial_.programs.size());
    std::map<Way, std::set<Owing>> untried{{Way(), {Owing(first, false)}}};
    while (!untried.empty()) {
      const auto nearest = untried.extract(untried.begin());
      const Way way = nearest.key();
      for (const auto& [node, owes] : nearest.mapped()) {
        if (!ways_.try_emplace(Owing(node, owes), way).second) continue;
        const auto go = [&, owing = owes](const Node& to, int faults) {
          std::set<Owing>& there = untried[Way{way.faults + faults, way.steps + 1}];
          if (!owing) there.insert(Owing(to, false));
          const bool owes_then = to.number == from_number || (owing && to.number != to_number);
          if (owes_then) there.insert(Owing(to, true));
          owed_ = owed_ || owes_then;
        };
        for (const Edge& edge : edges_of(node)) {
          note_what_comes(edge);
          go(edge.to, 0);
        }
        if (way.faults == trial_.crashes) continue;
        for (const Node& to : crashes_in(node)) go(to, 1);
      }
    }
  }
  void note_what_comes(const Edge& edge) {
    for (std::size_t at = 0; at < trial_.of_steps.size(); ++at) {
      if (is_one_of(trial_.of_steps[at], edge)) came_.insert(at);
    }
  }
  static std::vector<Node> crashes_in(const Node& node) {
    std::vector<Node> all;
    for (std::size_t client = 0; client < node.at.size(); ++client) {
      const Kind kind = node.at[client].kind;
      if (kind != Kind::asks && kind != Kind::hears) continue;
      all.push_back(node);
      all.back().at[client].kind = Kind::crashed;
    }
    return all;
  }

  // A client begins, and may ask in the same step. A request is carried out, and its answer arrives
  // in the same step or in one of its own.
  const std::vector<Edge>& edges_of(const Node& node) {
    const auto [known, is_new] = edges_.try_emplace(node);
    std::vector<Edge>& edges = known->second;
    for (std::size_t client = 0; is_new && client < node.at.size(); ++client) {
      const Place place = node.at[client];
      if (place.kind == Kind::ended || place.kind == Kind::crashed) continue;
      const bool starts = place.kind == Kind::not_started;
      const bool hears = place.kind == Kind::hears;
      const std::int64_t line = starts ? 0 : place.line;
      const Line& now = trial_.programs[client][static_cast<std::size_t>(line)];
      Node to = node;
      const auto add = [&](Kind kind, std::int64_t at) {
        to.at[client] = Place{kind, at};
        edges.push_back(Edge{client, hears, node, to});
      };
      if (starts) add(Kind::asks, 0);
      if (!hears) {
        to.number = now.writes;
        add(Kind::hears, line);
      }
      if (now.next.empty()) add(Kind::ended, line);
      for (const std::size_t next : now.next) add(Kind::asks, static_cast<std::int64_t>(next));
    }
    return edges;
  }

  bool is_possible(const Condition& condition, const Node& node) {
    for (const Edge& edge : edges_of(node)) {
      if (condition.is_step(edge)) return true;
      if (!condition.also_after_hearing || !edge.hears) continue;
      for (const Edge& next : edges_of(edge.to)) {
        if (next.client == edge.client && condition.is_step(next)) return true;
      }
    }
    return false;
  }

  bool goes_on_for_ever(const Node& node) {
    bool may_rest = true;
    std::vector<std::size_t> strong;
    for (std::size_t at = 0; at < conditions_.size(); ++at) {
      may_rest = may_rest && !is_possible(conditions_[at], node);
      if (conditions_[at].strong) strong.push_back(at);
    }
    if (may_rest) return true;
    for (unsigned chosen = 0; chosen < 1U << strong.size(); ++chosen) {
      std::set<std::size_t> impossible;
      for (std::size_t at = 0; at < strong.size(); ++at) {
        if ((chosen >> at & 1U) != 0) impossible.insert(strong[at]);
      }
      if (goes_round(node, impossible)) return true;
    }
    return false;
  }

  // Whether a fair run may come back to this node again and again if it goes where these conditions
  // are impossible, and meets each other one that is strong.
  bool goes_round(const Node& node, const std::set<std::size_t>& impossible) {
    const auto is_allowed = [&](const Node& one) {
      if (one.number == to_number) return false;
      for (const std::size_t at : impossible) {
        if (is_possible(conditions_[at], one)) return false;
      }
      return true;
    };
    if (!is_allowed(node)) return false;
    std::map<Node, std::set<Node>> before;  // what can be reached, and from where in one step
    std::vector<Node> untried{node};
    while (!untried.empty()) {
      const Node one = untried.back();
      untried.pop_back();
      for (const Edge& edge : edges_of(one)) {
        if (!is_allowed(edge.to)) continue;
        const auto [known, is_new] = before.try_emplace(edge.to);
        known->second.insert(one);
        if (is_new) untried.push_back(edge.to);
      }
    }
    if (before.count(node) == 0) return false;
    std::set<Node> around{node};
    untried.push_back(node);
    while (!untried.empty()) {
      const Node one = untried.back();
      untried.pop_back();
      for (const Node& other : before[one]) {
        if (around.insert(other).second) untried.push_back(other);
      }
    }
    for (std::size_t at = 0; at < conditions_.size(); ++at) {
      if (impossible.count(at) == 0 && !is_met(conditions_[at], around)) return false;
    }
    return true;
  }
  bool is_met(const Condition& condition, const std::set<Node>& around) {
    for (const Node& one : around) {
      if (!condition.strong && !is_possible(condition, one)) return true;
      for (const Edge& edge : edges_of(one)) {
        if (around.count(edge.to) > 0 && condition.is_step(edge)) return true;
      }
    }
    return false;
  }

  const Trial& trial_;
  std::vector<Condition> conditions_;
  std::map<Owing, Way> ways_;
  std::map<Node, std::vector<Edge>> edges_;
  std::set<std::size_t> came_;
  bool owed_ = false;
};

// --- both ----------------------------------------------------------------------------------------

Trial random_trial(std::mt19937& random) {
  const auto below = [&random](std::size_t bound) {
    return static_cast<std::size_t>(random() % bound);
  };
  constexpr auto none = Fairness::none;
  constexpr auto weak = Fairness::weak;
  constexpr auto strong = Fairness::strong;
  constexpr Fairness of_clients[] = {none, weak, weak, weak, strong};
  constexpr Fairness of_steps[] = {none, weak, weak, strong, strong};
  constexpr int numbers[] = {from_number, from_number, to_number, 3};
  Trial trial;
  const std::size_t clients = below(3) == 0 ? 2 : 1;
  for (std::size_t client = 0; client < clients; ++client) {
    Lines lines(2 + below(clients == 1 ? 3 : 2));
    for (Line& line : lines) {
      line.writes = numbers[below(4)];
      const std::size_t most = below(6) == 0 ? 0 : 2;
      for (std::size_t ways = most; ways > 0; --ways) line.next.push_back(below(lines.size()));
    }
    if (below(8) > 0) lines.front().writes = from_number;
    if (below(2) == 0) lines.back().writes = to_number;
    trial.programs.push_back(lines);
    trial.of_clients.push_back(of_clients[below(5)]);
  }
  for (std::size_t count = below(3); count > 0; --count) {
    Steps steps;
    steps.fairness = of_steps[below(5)];
    const std::size_t client = below(clients);
    if (below(3) > 0) steps.client = client;
    const Lines& lines = trial.programs[client];
    const std::size_t line = lines.size() - 1 - below(2);
    if (below(2) == 0) steps.writes = lines[line].writes;
    steps.comes_to = static_cast<std::int64_t>(line);
    trial.of_steps.push_back(steps);
  }
  trial.crashes = below(4) == 0 ? 1 : 0;
  return trial;
}

std::int64_t line_of(const Snapshot& world, std::size_t client) {
  return world.clients[client].ghost("line").value_or(-1);
}

Scenario scenario_of(const Trial& trial) {
  Scenario scenario("random");
  for (std::size_t client = 0; client < trial.programs.size(); ++client) {
    scenario.client([lines = trial.programs[client]](Client& me) { return run_lines(me, lines); });
    scenario.fairness(trial.of_clients[client], steps_of(client));
  }
  for (const Steps& steps : trial.of_steps) {
    std::string name = "steps " + std::to_string(scenario.all_fairness().size());
    scenario.fairness(steps.fairness, steps_called(std::move(name), [steps](const StepView& step) {
                        if (!step.client) return false;
                        return steps.are(step.client, step.before.number("n").value_or(0),
                                         step.after.number("n").value_or(0),
                                         line_of(step.before, *step.client),
                                         line_of(step.after, *step.client));
                      }));
  }
  if (trial.crashes > 0) scenario.faults(FaultBudget().allow(Fault::crash));
  const auto is = [](int number) {
    return [number](const Snapshot& world) { return world.number("n") == number; };
  };
  return scenario.require(leads_to("1 leads to 2", is(from_number), is(to_number)));
}

std::string text_of(const Trial& trial) {
  std::string text = text_of(trial.programs);
  for (const Steps& steps : trial.of_steps) {
    text += steps.client ? "client " + std::to_string(*steps.client) : std::string("any");
    text += steps.writes ? " writes " + std::to_string(*steps.writes)
                         : " comes to " + std::to_string(steps.comes_to);
    text += "\n";
  }
  return text;
}

class Found {
 public:
  int proved = 0;
  int by_choice = 0;  // proved, and without the choice broken
  int violated = 0;
  int by_rest = 0;
  int by_fault = 0;
  int vacuous = 0;
};

void compare(const Trial& trial, Found& found) {
  SlowSearch slow(trial);
  const std::optional<Way> way = slow.look();
  const Scenario scenario = scenario_of(trial);
  const Verdict verdict = explore(scenario);
  const std::string what = text_of(trial) + describe(verdict) + describe(verdict.run);
  if (way) {
    ASSERT_EQ(verdict.outcome, Outcome::violated) << what;
    ASSERT_EQ(verdict.run.faults(), static_cast<std::size_t>(way->faults)) << what;
    ASSERT_EQ(verdict.run.loop, static_cast<std::size_t>(way->steps)) << what;
    const Result<Run> again = replay(scenario, make_schedule(verdict.run));
    ASSERT_TRUE(again) << again.error().detail() << what;
    ++found.violated;
    if (verdict.run.loop == verdict.run.steps.size()) ++found.by_rest;
    if (way->faults > 0) ++found.by_fault;
  } else if (slow.is_vacuous()) {
    ASSERT_EQ(verdict.outcome, Outcome::invalid) << what;
    ++found.vacuous;
  } else {
    ASSERT_EQ(verdict.outcome, Outcome::proved) << what;
    ++found.proved;
    Trial unchosen = trial;
    unchosen.of_clients.assign(trial.programs.size(), Fairness::weak);
    unchosen.of_steps.clear();
    if (explore(scenario_of(unchosen)).outcome == Outcome::violated) ++found.by_choice;
  }
}

TEST(FairnessCompared, AgreesWithTheDefinitionOnRandomPrograms) {
  constexpr int trials = 500;
  std::mt19937 random(7);
  Found found;
  for (int trial = 0; trial < trials && !HasFatalFailure(); ++trial) {
    compare(random_trial(random), found);
  }
  constexpr int enough = 5;
  EXPECT_GT(found.proved, enough);
  EXPECT_GT(found.by_choice, enough);
  EXPECT_GT(found.violated, enough);
  EXPECT_GT(found.by_rest, enough);
  EXPECT_GT(found.by_fault, enough);
  EXPECT_GT(found.vacuous, enough);
}

}  // namespace
}  // namespace interlock::sim
