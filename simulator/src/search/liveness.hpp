// Liveness on the states of a finished search: builds the graph, and asks it about each waiter, and
// about what each leads_to() still owes.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "interlock/detail/assert.hpp"
#include "model/expand.hpp"
#include "search/fair_graph.hpp"
#include "search/fair_steps.hpp"
#include "search/owing.hpp"
#include "search/search.hpp"
#include "search/ways.hpp"

namespace interlock::sim {

class LivenessResult {
 public:
  std::uint16_t violated = 0;  // the property's number, counted from 1
  std::vector<Action> way;     // to the state from which the loop goes round
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
           const Levels& levels,
           std::uint64_t memory,
           FairGraph::Proceed proceed)
      : engine_(engine),
        states_(states),
        levels_(levels),
        memory_(memory),
        proceed_(std::move(proceed)),
        graph_(rules_of(engine.scenario())) {}

  // `owed`: by property, whether the first state already owes what a leads_to() promises.
  LivenessResult look(const OwedProperties& owed) {
    build();
    const std::vector<Property>& properties = engine_.scenario().properties();
    for (std::size_t at = 0; at < properties.size() && !is_over(); ++at) {
      if (!properties[at].is_liveness()) continue;
      const auto number = static_cast<std::uint16_t>(at + 1);
      if (properties[at].kind == PropertyKind::leads_to) {
        look_at_owing(properties[at], number, at < owed.size() && owed[at]);
      } else {
        look_at_waiters(properties[at], number);
      }
    }
    if (result_.violated != 0) name_steps();
    result_.bytes = std::max(most_bytes_, graph_.bytes());
    return std::move(result_);
  }

 private:
  using Edge = FairGraph::Edge;
  using Number = FairGraph::State;
  using Part = typename Owing<S>::Part;

  // The beginning of a run that goes round for ever; the order of comparison is that of searches.
  class Beginning {
   public:
    std::size_t faults = 0;
    std::size_t steps = 0;
    Number entry = 0;
    friend auto operator<=>(const Beginning&, const Beginning&) = default;
  };

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
        edges.push_back(edge(at, state, next, detail));
      });
      result_.out_of_memory = !graph_.add(edges, awaits_time);
      result_.over_limit = states_.bytes() + graph_.bytes() > memory_;
      if (is_over()) return;
    }
  }

  bool follow(const S& state, EmitStep<S> emit) {
    Expander<S, Transition, EmitStep<S>> expander(engine_, emit);
    expander.ordinary(state);
    return expander.awaits_time(state);
  }

  Edge edge(std::uint32_t from, const S& state, const S& next, const Transition& detail) const {
    Edge edge;
    edge.from = from;
    edge.to = states_.find(next);
    INTERLOCK_ASSERT(edge.to != StateSet<S>::absent);
    edge.agent = Agent::of(detail.action);
    edge.reads_clock = detail.reads_clock;
    if (graph_.rules().are_chosen) {
      edge.marks = marks_of(engine_, widened(engine_, state), detail, widened(engine_, next));
    }
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
  bool may_go_on(const S& state) const {
    return !engine_.budgets().breaks_are_to_come(state[engine_.budget_component()]);
  }

  bool waits(std::uint32_t at, std::size_t client) const {
    const S& state = states_[at];
    if (!may_go_on(state)) return false;
    if ((waiting_[state[engine_.monitor_component()]] >> client & 1U) == 0) return false;
    return !engine_.process(client).info(state[client]).finished;
  }

  void look_at_waiters(const Property& property, std::uint16_t number) {
    const bool alike = engine_.scenario().symmetry() && engine_.identical_clients_begin_alike() &&
                       !graph_.rules().are_chosen;
    find_waiting(property.subject);
    for (std::size_t client = 0; client < engine_.clients() && !is_over(); ++client) {
      const bool twin = alike && engine_.class_of(client) != client;
      if (!twin) look_at(client, property, number);
    }
  }

  void look_at(std::size_t client, const Property& property, std::uint16_t number) {
    const FairGraph::LassoFound found =
        graph_.look([this, client](Number state) { return waits(state, client); }, proceed_);
    note_end(found, engine_.scenario().processes()[client].name + " waits for " + property.subject);
    if (!found.lasso || !is_nearest(beginning(*found.lasso, {found.lasso->entry}))) return;
    result_.violated = number;
    part_.assign(1, found.lasso->entry);
    loop_ = found.lasso->loop;
  }

  void look_at_owing(const Property& property, std::uint16_t number, bool at_first) {
    const SearchedStates<S> searched{engine_, states_, graph_, levels_};
    Owing<S> owing(searched, property);
    result_.out_of_memory = !owing.reserve();
    if (is_over()) return;
    most_bytes_ = std::max(most_bytes_, graph_.bytes() + owing.bytes());
    result_.over_limit = states_.bytes() + most_bytes_ > memory_;
    if (is_over()) return;
    result_.stopped = !owing.walk(at_first, proceed_);
    if (is_over()) return;
    const FairGraph::LassoFound found =
        graph_.look([&](Number state) { return owing.has(state) && may_go_on(states_[state]); },
                    [&owing](Number state) { return owing.place(state); }, proceed_);
    most_bytes_ = std::max(most_bytes_, graph_.bytes() + owing.bytes());
    note_end(found, "what '" + property.name + "' leads to is still to come");
    if (!found.lasso) return;
    const Part part = owing.part_to(found.lasso->entry);
    if (!is_nearest(beginning(*found.lasso, part))) return;
    result_.violated = number;
    part_ = part;
    loop_ = found.lasso->loop;
  }

  void note_end(const FairGraph::LassoFound& found, const std::string& what) {
    result_.stopped = found.stopped;
    result_.out_of_memory = found.out_of_memory;
    if (!found.time_ends || !result_.time_ends_for.empty()) return;
    const std::string end =
        engine_.endless ? "no time passes when all clients have ended, while " : "time ends while ";
    result_.time_ends_for = end + what + ", and more of it might help";
  }

  // `part`: the end of the way to the lasso.
  Beginning beginning(const FairGraph::Lasso& lasso, const Part& part) const {
    Beginning beginning;
    for (const std::vector<Level>& of_faults : levels_) {
      for (std::size_t steps = 0; steps < of_faults.size(); ++steps) {
        if (part.front() < of_faults[steps].begin || part.front() >= of_faults[steps].end) continue;
        beginning.steps = steps + part.size() - 1;
      }
    }
    const S& entry = states_[lasso.entry];
    beginning.faults = engine_.budgets()[entry[engine_.budget_component()]].total;
    beginning.entry = lasso.entry;
    return beginning;
  }

  // Whether it is nearer than that of the run which was found before.
  bool is_nearest(const Beginning& one) {
    if (result_.violated != 0 && nearest_ <= one) return false;
    nearest_ = one;
    return true;
  }

  void name_steps() {
    result_.way = way_to(states_, part_.front());
    for (std::size_t at = 1; at < part_.size(); ++at) {
      result_.way.push_back(step_between(part_[at - 1], part_[at]));
    }
    for (const Edge& wanted : loop_) result_.loop.push_back(action_of(wanted));
  }

  Action action_of(const Edge& wanted) {
    std::optional<Action> action;
    StepMarks differ = 0;
    const S state = states_[wanted.from];
    follow(state, [&](const S& next, const Transition& detail) {
      const Edge one = edge(wanted.from, state, next, detail);
      if (action || one.to != wanted.to || one.agent != wanted.agent) return;
      differ = one.marks ^ wanted.marks;
      if (differ == 0) action = detail.action;
    });
    if (action) return *action;
    INTERLOCK_ASSERT(differ != 0);
    engine_.predicates().is_inconstant(names_of(engine_.scenario(), differ));
    return Action();
  }

  // The first action, without a fault if there is one, that leads from one state to another.
  Action step_between(Number from, Number to) {
    std::optional<Action> named;
    EmitStep<S> emit = [&](const S& next, const Transition& detail) {
      if (!named && states_.find(next) == to) named = detail.action;
    };
    Expander<S, Transition, EmitStep<S>> expander(engine_, emit);
    const S state = states_[from];
    expander.ordinary(state);
    if (!named) expander.faulty(state);
    INTERLOCK_ASSERT(named);
    return *named;
  }

  Engine& engine_;
  const StateSet<S>& states_;
  const Levels& levels_;
  std::uint64_t memory_;
  FairGraph::Proceed proceed_;
  FairGraph graph_;
  std::vector<std::uint32_t> waiting_;
  Part part_;  // the end of the way to the loop
  std::vector<Edge> loop_;
  Beginning nearest_;
  std::size_t most_bytes_ = 0;  // of graph and walk
  LivenessResult result_;
};

}  // namespace interlock::sim
