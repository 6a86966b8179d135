#include "starving.hpp"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fairness.hpp"
#include "steps.hpp"
#include "world.hpp"

namespace interlock::sim::independent {
namespace {

// So late that no clock of a trial comes there.
constexpr std::int64_t too_late = std::int64_t{apart} * 30'000;

// Whether more time would let something happen: a wait ends, a key expires.
bool awaits_time(const World& world, const Trial& trial) {
  for (const Shared<Server>& server : world.servers) {
    for (const auto& [key, kept] : server->keys) {
      if (kept.expiry) return true;
    }
  }
  for (std::size_t client = 0; client < world.processes.size(); ++client) {
    const Process& process = *world.processes[client];
    const Clocks now = world.clocks(trial, static_cast<int>(client));
    for (const TaskState& task : process.tasks) {
      const Waiting& waiting = task.waiting;
      const bool by_clock =
          waiting.what == Waiting::For::sleep || waiting.what == Waiting::For::message;
      if (process.finished() || !by_clock || task.held) continue;
      const std::int64_t clock = waiting.wall ? now.wall : now.monotonic;
      if (waiting.until > clock && waiting.until < trial.first + too_late) return true;
    }
  }
  return false;
}

class Search {
 public:
  Search(const Trial& trial, std::size_t worlds_max) : trial_(trial), worlds_max_(worlds_max) {}

  Starving look() {
    build();
    if (result_.too_large) return result_;
    for (const Rule& rule : trial_.rules) {
      if (rule.kind != Rule::Kind::every_waiter_acquires) continue;
      for (std::size_t client = 0; client < trial_.clients.size(); ++client) {
        look_at(rule, static_cast<int>(client));
      }
    }
    return result_;
  }

 private:
  using Distance = std::pair<int, int>;  // faults, then steps

  std::size_t number_of(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, graph_.nodes.size());
    if (is_new) {
      graph_.nodes.emplace_back();
      waiting_.emplace_back();
      breaks_to_come_.push_back(false);
      distances_.emplace_back();
    }
    return at->second;
  }

  void come_to(World world, Distance at) {
    std::string text = world.written(true);
    const std::size_t number = number_of(text);
    if (done_.count(number) == 0) untried_[at].try_emplace(number, std::move(world));
  }

  void build() {
    come_to(beginning_of(trial_), Distance(0, 0));
    while (!untried_.empty() && !result_.too_large) {
      const auto nearest = untried_.extract(untried_.begin());
      for (const auto& [number, world] : nearest.mapped()) {
        if (done_.insert(number).second) look_at(number, world, nearest.key());
      }
      result_.too_large = done_.size() > worlds_max_;
    }
  }

  void look_at(std::size_t number, const World& world, Distance at) {
    distances_[number] = at;
    breaks_to_come_[number] = !world.breaks_to_come.empty();
    graph_.nodes[number].awaits_time = awaits_time(world, trial_);
    for (const auto& [lock, who] : world.waiting) {
      for (const int client : who) {
        const auto index = static_cast<std::size_t>(client);
        if (!world.processes[index]->finished()) waiting_[number][lock].insert(client);
      }
    }
    for (Step& step : steps_from(world, trial_, Grain::coarse)) {
      if (!step.fault) {
        Graph::Edge edge;
        edge.to = number_of(step.after.written(true));
        edge.mover.client = step.client;
        edge.mover.task = step.kind == StepKind::late ? 2 : step.task;
        edge.reads_clock = step.reads_clock;
        graph_.nodes[number].edges.push_back(edge);
      }
      const Distance to(at.first + (step.fault ? 1 : 0), at.second + 1);
      come_to(std::move(step.after), to);
    }
  }

  void look_at(const Rule& rule, int client) {
    const Graph::Starved starved = graph_.stays_within([&](std::size_t number) {
      if (breaks_to_come_[number]) return false;
      const auto lock = waiting_[number].find(lock_name(rule.name));
      return lock != waiting_[number].end() && lock->second.count(client) > 0;
    });
    result_.if_time_did_not_end = result_.if_time_did_not_end || starved.if_time_did_not_end;
    for (const std::size_t entry : starved.entries) {
      const Distance best(result_.faults, result_.steps);
      if (!result_.broken.empty() && best < distances_[entry]) continue;
      if (best != distances_[entry]) result_.broken.clear();
      result_.faults = distances_[entry].first;
      result_.steps = distances_[entry].second;
      result_.broken.insert(property_of(rule).name);
    }
  }

  const Trial& trial_;
  std::size_t worlds_max_;
  Graph graph_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::map<std::string, std::set<int>>> waiting_;
  std::vector<Distance> distances_;
  std::vector<bool> breaks_to_come_;  // nothing goes on for ever before they have come
  std::map<Distance, std::map<std::size_t, World>> untried_;
  std::set<std::size_t> done_;
  Starving result_;
};

}  // namespace

Starving who_starves(const Trial& trial, std::size_t worlds_max) {
  return Search(trial, worlds_max).look();
}

}  // namespace interlock::sim::independent
