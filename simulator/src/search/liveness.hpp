// Liveness on the states of a finished search: builds the graph, and asks it about each waiter.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "interlock/detail/assert.hpp"
#include "model/expand.hpp"
#include "search/fair_graph.hpp"
#include "search/state_set.hpp"

namespace interlock::sim {

class LivenessResult {
 public:
  std::uint16_t violated = 0;  // the property's number, counted from 1
  std::uint32_t entry = 0;     // the state from which the loop goes round
  std::vector<Action> loop;
  std::string time_ends_for;  // why the bounds leave it open; empty: they do not
  bool stopped = false;
  bool out_of_memory = false;  // the system has no more
  bool over_limit = false;     // states and graph take more than they may
  std::size_t bytes = 0;
};

template <class S>
class Liveness {
 public:
  Liveness(Engine& engine,
           const StateSet<S>& states,
           std::uint64_t memory,
           FairGraph::Proceed proceed)
      : engine_(engine), states_(states), memory_(memory), proceed_(std::move(proceed)) {}

  LivenessResult look() {
    build();
    const bool alike = engine_.scenario().symmetry() && engine_.identical_clients_begin_alike();
    const std::vector<Property>& properties = engine_.scenario().properties();
    for (std::size_t at = 0; at < properties.size() && !is_over(); ++at) {
      if (!properties[at].is_liveness()) continue;
      find_waiting(properties[at].subject);
      for (std::size_t client = 0; client < engine_.clients() && !is_over(); ++client) {
        const bool twin = alike && engine_.class_of(client) != client;
        if (!twin) look_at(client, properties[at], static_cast<std::uint16_t>(at + 1));
      }
    }
    if (result_.violated != 0) name_steps();
    result_.bytes = graph_.bytes();
    return std::move(result_);
  }

 private:
  using Edge = FairGraph::Edge;

  bool is_over() const { return result_.stopped || result_.out_of_memory || result_.over_limit; }

  void build() {
    std::vector<Edge> edges;
    for (std::uint32_t at = 0; at < states_.size(); ++at) {
      if (at % 65536 == 65535 && !proceed_()) {
        result_.stopped = true;
        return;
      }
      edges.clear();
      const S state = states_[at];
      const bool awaits_time = follow(state, [&](const S& next, const Transition& detail) {
        edges.push_back(edge(at, next, detail));
      });
      result_.out_of_memory = !graph_.add(edges, awaits_time);
      result_.over_limit = states_.bytes() + graph_.bytes() > memory_;
      if (is_over()) return;
    }
  }

  template <class Emit>
  bool follow(const S& state, Emit emit) {
    Expander<S, Transition, Emit> expander(engine_, emit);
    expander.ordinary(state);
    return expander.awaits_time(state);
  }

  Edge edge(std::uint32_t from, const S& next, const Transition& detail) const {
    Edge edge;
    edge.from = from;
    edge.to = states_.find(next);
    INTERLOCK_ASSERT(edge.to != StateSet<S>::absent);
    edge.agent = Agent::of(detail.action);
    edge.reads_clock = detail.reads_clock;
    return edge;
  }

  // The clients that wait for the lock, by monitor.
  void find_waiting(const std::string& lock) {
    waiting_.assign(engine_.monitor().size(), 0);
    for (std::uint32_t monitor = 0; monitor < waiting_.size(); ++monitor) {
      for (const MonitorTable::Lock& one : engine_.monitor().locks(monitor)) {
        if (one.name == lock) waiting_[monitor] = one.waiting;
      }
    }
  }

  // No run is infinite while a connection is still to break.
  bool waits(std::uint32_t at, std::size_t client) const {
    const S& state = states_[at];
    if (engine_.budgets().breaks_are_to_come(state[engine_.budget_component()])) return false;
    if ((waiting_[state[engine_.monitor_component()]] >> client & 1U) == 0) return false;
    return !engine_.process(client).info(state[client]).finished;
  }

  void look_at(std::size_t client, const Property& property, std::uint16_t number) {
    const FairGraph::LassoFound found = graph_.look(
        [this, client](FairGraph::State state) { return waits(state, client); }, proceed_);
    result_.stopped = found.stopped;
    result_.out_of_memory = found.out_of_memory;
    if (found.time_ends && result_.time_ends_for.empty()) {
      result_.time_ends_for = "time ends while " + engine_.scenario().processes()[client].name +
                              " waits for " + property.subject + ", and more of it might help";
    }
    if (!found.lasso) return;
    if (result_.violated != 0 && result_.entry <= found.lasso->entry) return;
    result_.violated = number;
    result_.entry = found.lasso->entry;
    loop_ = found.lasso->loop;
  }

  void name_steps() {
    for (const Edge& wanted : loop_) {
      Action action;
      bool named = false;
      const S state = states_[wanted.from];
      follow(state, [&](const S& next, const Transition& detail) {
        const Edge one = edge(wanted.from, next, detail);
        if (named || one.to != wanted.to || one.agent != wanted.agent) return;
        named = true;
        action = detail.action;
      });
      INTERLOCK_ASSERT(named);
      result_.loop.push_back(action);
    }
  }

  Engine& engine_;
  const StateSet<S>& states_;
  std::uint64_t memory_;
  FairGraph::Proceed proceed_;
  FairGraph graph_;
  std::vector<std::uint32_t> waiting_;
  std::vector<Edge> loop_;
  LivenessResult result_;
};

}  // namespace interlock::sim
