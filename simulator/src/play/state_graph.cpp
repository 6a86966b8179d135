#include "interlock/sim/state_graph.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/flat_map.hpp"
#include "base/longest.hpp"
#include "model/state_properties.hpp"
#include "run/possible_steps.hpp"
#include "run/world.hpp"

namespace interlock::sim {
namespace {

// What a state shows if nothing is merged.
StateView whole_view(const Scenario& scenario) {
  std::string list = "keys,clients,beliefs";
  if (scenario.instants() > 1 && !scenario.endless()) list = "time," + list;
  if (scenario.faults().total() > 0) list += ",faults";
  if (!scenario.checking_resources().empty()) list += ",resources";
  return *state_view(scenario, list);
}

std::string joined(const std::vector<std::string>& lines) {
  Encoder encoder;
  for (const std::string& line : lines) encoder.text(line);
  return encoder.take();
}

class GraphBuilder {
 public:
  GraphBuilder(const Scenario& scenario, const StateGraphOptions& options)
      : options_(options),
        engine_(scenario, Limits()),
        view_(options.merge_by ? options.merge_by : whole_view(scenario)) {
    graph_.scenario = scenario.name();
    graph_.bounds = scenario.bounds();
  }

  // The whole graph, breadth-first.
  Result<StateGraph> build() {
    const auto first = engine_.initial<WideState>();
    numbers_.try_emplace(bytes_of(first), 0);
    node_of(first, 0);
    const std::uint16_t broken = broken_in(engine_, first);
    if (broken != 0) {
      return Error(Errc::invalid_argument,
                   broken_before_first_step(engine_.scenario().properties()[broken - 1U]));
    }
    for (std::size_t at = 0; at < states_.size(); ++at) {
      if (!too_large().empty()) return given_up();
      if (at % 256 == 0 && !proceed()) return Error(Errc::cancelled, "the graph was not finished");
      expand(at);
    }
    engine_.ask_again();
    const std::string why = engine_.why_no_verdict();
    if (!why.empty()) return Error(Errc::rejected, why);
    if (!too_large().empty()) return given_up();
    graph_.states = states_.size();
    return std::move(graph_);
  }
  Duration longer_than_longest() { return engine_.longer_than_longest(); }

 private:
  class Visited {
   public:
    WideState state;
    std::size_t node = 0;
    std::size_t depth = 0;
  };

  bool proceed() const {
    if (!options_.proceed) return true;
    Progress progress;
    progress.states = states_.size();
    progress.transitions = graph_.steps;
    progress.depth = states_.empty() ? 0 : states_.back().depth;
    return options_.proceed(progress);
  }

  // Why the graph is given up; empty: it is small enough.
  std::string too_large() const {
    const auto more_than = [this](const std::string& what, const char* how) {
      return "'" + graph_.scenario + "' has more than " + what +
             ": choose fewer clients, attempts, instants or faults, " + how;
    };
    if (states_.size() > options_.states) {
      return more_than(std::to_string(options_.states) + " states", "or allow more states");
    }
    if (graph_.nodes.size() > options_.nodes) {
      return more_than(std::to_string(options_.nodes) + " nodes in its graph",
                       "merge states by what matters, or allow more nodes");
    }
    return {};
  }

  StateGraph given_up() {
    graph_.too_large = too_large();
    graph_.nodes.clear();
    graph_.edges.clear();
    graph_.states = states_.size();
    return std::move(graph_);
  }

  // The number of the node that the state belongs to; it may be new.
  std::size_t node_of(const WideState& state, std::size_t depth) {
    const Snapshot world = snapshot(engine_, state);
    std::vector<std::string> lines = view_(world);
    std::string key = joined(lines);
    // Without merging, states differ in more than a reader sees.
    if (!options_.merge_by) key = std::to_string(states_.size());
    const auto [at, added] = nodes_.try_emplace(std::move(key), graph_.nodes.size());
    if (added) {
      GraphNode& node = graph_.nodes.emplace_back();
      node.lines = std::move(lines);
      node.depth = depth;
      for (const ClientView& client : world.clients) {
        if (!client.inside.empty()) node.inside.push_back(client.name);
      }
    }
    ++graph_.nodes[at->second].states;
    Visited& visited = states_.emplace_back();
    visited.state = state;
    visited.node = at->second;
    visited.depth = depth;
    return at->second;
  }

  static std::string bytes_of(const WideState& state) {
    Encoder encoder;
    for (std::size_t at = 0; at < WideState::components; ++at) encoder.number(state[at]);
    return encoder.take();
  }

  void expand(std::size_t at) {
    const Visited from = states_[at];
    if (broken_.contains(at)) return;
    const auto steps = possible_steps<TransitionTrace>(engine_, from.state);
    for (const TracedStep& step : steps) {
      const RunStep told = tell(engine_, from.state, step.next, step.detail);
      // A state is one of its own if a step into it breaks a property.
      const auto [known, added] =
          numbers_.try_emplace(bytes_of(step.next) + told.violates, states_.size());
      if (added) {
        const std::size_t node = node_of(step.next, from.depth + 1);
        if (!told.violates.empty()) {
          broken_.insert(known->second);
          graph_.nodes[node].violates = told.violates;
        }
      }
      add_edge(from.node, states_[known->second].node, told);
      ++graph_.steps;
    }
    if (steps.empty()) graph_.nodes[from.node].ends = true;
  }

  void add_edge(std::size_t from, std::size_t to, const RunStep& told) {
    GraphEdge edge;
    edge.from = from;
    edge.to = to;
    edge.mover = mover_of(told);
    edge.what = told.what;
    edge.reply = told.reply;
    edge.fault = told.fault.has_value();
    const auto [at, added] = edges_.try_emplace(
        std::tuple(from, to, edge.mover, edge.what + " -> " + edge.reply), graph_.edges.size());
    if (added) graph_.edges.push_back(std::move(edge));
    ++graph_.edges[at->second].steps;
  }

  std::string mover_of(const RunStep& told) const {
    if (!told.client) return "world";
    const std::string& name = engine_.scenario().processes()[*told.client].name;
    return told.task.empty() ? name : name + "/" + told.task;
  }

  const StateGraphOptions& options_;
  Engine engine_;
  StateView view_;
  StateGraph graph_;
  std::vector<Visited> states_;
  std::map<std::string, std::size_t> numbers_;  // of states, by their bytes
  std::map<std::string, std::size_t> nodes_;    // by what they show
  std::set<std::size_t> broken_;                // states into which a violation leads
  std::map<std::tuple<std::size_t, std::size_t, std::string, std::string>, std::size_t> edges_;
};

}  // namespace

Result<StateGraph> state_graph(const Scenario& scenario, const StateGraphOptions& options) {
  const std::string mistake = scenario.mistake();
  if (!mistake.empty()) return Error(Errc::invalid_argument, mistake);
  Scenario settled = scenario;
  settled.symmetry(false);
  LongestGuess guess(scenario);
  for (;;) {
    guess.settle(settled);
    GraphBuilder builder(settled, options);
    Result<StateGraph> graph = builder.build();
    guess.learn(builder.longer_than_longest());
    if (guess.is_new()) continue;
    if (graph) graph->bounds = scenario.bounds();
    return graph;
  }
}

}  // namespace interlock::sim
