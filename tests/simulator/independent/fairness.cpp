#include "fairness.hpp"

#include <algorithm>
#include <iterator>

namespace interlock::sim::independent {

Graph::Nodes Graph::reachable(std::size_t from,
                              const std::function<bool(std::size_t)>& inside,
                              const std::vector<std::vector<std::size_t>>& next) const {
  Nodes seen{from};
  std::vector<std::size_t> untried{from};
  while (!untried.empty()) {
    const std::size_t at = untried.back();
    untried.pop_back();
    for (const std::size_t to : next[at]) {
      if (inside(to) && seen.insert(to).second) untried.push_back(to);
    }
  }
  return seen;
}

// A run that stays within for ever is, from some time on, among worlds that all lead to each other.
Graph::Starved Graph::stays_within(const std::function<bool(std::size_t)>& inside) const {
  std::vector<std::vector<std::size_t>> forward(nodes.size());
  std::vector<std::vector<std::size_t>> backward(nodes.size());
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    for (const Edge& edge : nodes[from].edges) {
      forward[from].push_back(edge.to);
      backward[edge.to].push_back(from);
    }
  }
  Starved starved;
  Nodes done;
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (!inside(at) || done.count(at) > 0) continue;
    const Nodes after = reachable(at, inside, forward);
    const Nodes before = reachable(at, inside, backward);
    Nodes component;
    std::set_intersection(after.begin(), after.end(), before.begin(), before.end(),
                          std::inserter(component, component.end()));
    done.insert(component.begin(), component.end());
    look_at(component, starved);
  }
  return starved;
}

void Graph::look_at(const Nodes& component, Starved& starved) const {
  std::set<Mover> moved;
  std::set<Mover> could_always;
  bool first = true;
  bool goes_round = false;
  bool stuck = true;
  bool needs_time = false;
  bool time_passes = false;
  for (const std::size_t at : component) {
    std::set<Mover> could;
    for (const Edge& edge : nodes[at].edges) {
      stuck = false;
      could.insert(edge.mover);
      time_passes = time_passes || edge.mover == Mover();
      if (component.count(edge.to) == 0) continue;
      goes_round = true;
      moved.insert(edge.mover);
      needs_time = needs_time || edge.reads_clock;
    }
    needs_time = needs_time || nodes[at].awaits_time;
    if (first) could_always = could;
    first = false;
    std::erase_if(could_always, [&](const Mover& mover) { return could.count(mover) == 0; });
  }
  if (!goes_round && !stuck) return;
  const bool fair =
      std::includes(moved.begin(), moved.end(), could_always.begin(), could_always.end());
  if (!fair) return;
  if (needs_time && !time_passes) {
    starved.if_time_did_not_end = true;
  } else {
    starved.entries.insert(component.begin(), component.end());
  }
}

}  // namespace interlock::sim::independent
