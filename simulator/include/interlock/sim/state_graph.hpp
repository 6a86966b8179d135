// The states of a small scenario and the steps between them, as a graph to look at. States may be
// merged: those in which a reader sees the same are one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// What a reader sees of a state, in lines. With StateGraphOptions::merge_by, states with equal
// lines are one node.
using StateView = std::function<std::vector<std::string>(const Snapshot&)>;

// The view of that name: `keys` (with the rest of their ttl), `values` (without), `beliefs` (who
// believes it holds what), `clients` (where each is), `time`, `faults`, `resources`, or the name of
// a client: where it is. A list joins views: `values,beliefs`. `invalid_argument`: names what is
// unknown, and what there is.
Result<StateView> state_view(const Scenario& scenario, std::string_view list);
// The words that state_view() knows for this scenario.
std::vector<std::string> state_view_words(const Scenario& scenario);

class StateGraphOptions {
 public:
  StateView merge_by;  // null: each state is a node
  std::uint64_t states = 100'000;
  std::size_t nodes = 500;
  // Called every so often; false ends it.
  std::function<bool(const Progress&)> proceed;
};

class GraphNode {
 public:
  std::vector<std::string> lines;   // what the view shows; without merging, all of the state
  std::uint64_t states = 0;         // how many are merged in it
  std::size_t depth = 0;            // the steps of the shortest run to it
  std::vector<std::string> inside;  // the clients that believe they hold a lock, in its first state
  bool ends = false;                // nothing can follow one of its states
  // The property that is broken when one of its states is reached; empty: none. Nothing follows.
  std::string violates;
};

// All steps from one node to another that read the same.
class GraphEdge {
 public:
  std::size_t from = 0;  // as indices of nodes
  std::size_t to = 0;
  std::string mover;  // `A`, `A/renewal`; `world`
  std::string what;   // `SETNX lock.foo 112`, `time +1000 ms`
  std::string reply;  // empty: none
  bool fault = false;
  std::uint64_t steps = 0;  // how many are merged in it
};

class StateGraph {
 public:
  std::string scenario;
  std::string bounds;
  std::string merged_by;  // set by the caller, for drawings; empty: nothing is merged
  // Why there are no nodes: there would be more states or nodes than the options allow, and how to
  // have fewer. Empty: the graph is whole.
  std::string too_large;
  std::vector<GraphNode> nodes;  // the first one has the state in which the world begins
  std::vector<GraphEdge> edges;
  std::uint64_t states = 0;
  std::uint64_t steps = 0;
};

// Clients that are identical are told apart, and what follows a violation is left out; the rest is
// what explore() visits. Unlike explore(), this checks no promise of the programs.
// `invalid_argument`: the scenario is invalid. `rejected`: a client is not deterministic, or a
// predicate throws. `cancelled`: `proceed` returned false.
Result<StateGraph> state_graph(const Scenario& scenario, const StateGraphOptions& options = {});

}  // namespace interlock::sim
