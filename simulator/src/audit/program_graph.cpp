#include "audit/program_graph.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace interlock::sim {
namespace {

// A place on the way, and the step that led to it.
class GraphVisit {
 public:
  GraphPlace place;
  std::uint32_t before = 0;  // the visit
  ProgramGraph::Id step = 0;
  std::uint32_t steps = 0;
};

}  // namespace

ProgramGraph::ProgramGraph(const Automaton& automaton) : steps_(automaton.learned()) {
  if (automaton.ageing()) apart_ = automaton.ageing()->apart;
  std::stable_sort(
      steps_.begin(), steps_.end(),
      [](const ProgramStep& one, const ProgramStep& other) { return one.from < other.from; });
  first_.assign(automaton.size() + 1, 0);
  for (const ProgramStep& step : steps_) ++first_[step.from + 1];
  for (std::size_t local = 0; local < automaton.size(); ++local) first_[local + 1] += first_[local];
  for (const ProgramStep& step : steps_) {
    if (step.clock) readings_.push_back(step.clock->monotonic);
  }
  std::sort(readings_.begin(), readings_.end());
  readings_.erase(std::unique(readings_.begin(), readings_.end()), readings_.end());
}

GraphPlace ProgramGraph::after(const GraphPlace& place, Id id) const {
  const ProgramStep& step = steps_[id];
  GraphPlace next = place;
  next.local = step.result.local;
  if (step.passes_time) next.elapsed += apart_;
  if (step.clock) next.now = step.clock->monotonic + place.elapsed;
  return next;
}

std::vector<ProgramGraph::Id> ProgramGraph::way(const GraphPlace& from,
                                                const std::function<bool(Id)>& wanted,
                                                int most) const {
  for (Id step = begin(from.local); step < end(from.local); ++step) {
    const GraphPlace there = after(from, step);
    const bool at_once = there.elapsed == from.elapsed && there.now == from.now;
    if (at_once && wanted(step)) return {step};
  }
  std::vector<GraphVisit> visits{GraphVisit{from}};
  using Rank = std::tuple<Duration, TimePoint, std::uint32_t, std::uint32_t>;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> next;
  next.emplace(from.elapsed, from.now, 0, 0);
  std::map<Automaton::Local, bool> seen;
  while (!next.empty() && most-- > 0) {
    const std::uint32_t at = std::get<3>(next.top());
    next.pop();
    const GraphPlace place = visits[at].place;
    if (!seen.emplace(place.local, true).second) {
      ++most;
      continue;
    }
    for (Id step = begin(place.local); step < end(place.local); ++step) {
      if (!is_possible(steps_[step], place)) continue;
      if (wanted(step)) {
        std::vector<Id> way{step};
        for (std::uint32_t back = at; back != 0; back = visits[back].before) {
          way.push_back(visits[back].step);
        }
        std::reverse(way.begin(), way.end());
        return way;
      }
      const GraphPlace there = after(place, step);
      if (there.local == Automaton::done || seen.count(there.local) != 0) continue;
      const std::uint32_t steps = visits[at].steps + 1;
      next.emplace(there.elapsed, there.now, steps, static_cast<std::uint32_t>(visits.size()));
      visits.push_back(GraphVisit{there, at, step, steps});
    }
  }
  return {};
}

std::optional<TimePoint> ProgramGraph::next_reading(const GraphPlace& place) const {
  const auto at = std::upper_bound(readings_.begin(), readings_.end(), place.now);
  if (at == readings_.end()) return std::nullopt;
  return *at;
}

}  // namespace interlock::sim
