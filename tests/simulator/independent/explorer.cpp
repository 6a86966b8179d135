#include "explorer.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rules.hpp"

namespace interlock::sim::independent {
namespace {

// Faults, then steps.
using Distance = std::pair<int, int>;

class Explorer {
 public:
  Explorer(const Trial& trial, Grain grain, Until until, std::size_t worlds_max)
      : trial_(trial), grain_(grain), until_(until), worlds_max_(worlds_max) {}

  Found explore() {
    come_to(beginning_of(trial_), Distance(0, 0));
    while (!untried_.empty() && !found_.too_large && !is_decided()) {
      auto nearest = untried_.extract(untried_.begin());
      for (const auto& [text, world] : nearest.mapped()) {
        if (!found_.too_large && seen_.insert(text).second) look_at(world, nearest.key());
      }
    }
    add_goals_of_two(found_.reached);
    found_.states = seen_.size();
    found_.states_up_to_names = up_to_names_.size();
    return found_;
  }

 private:
  bool is_decided() const {
    return until_ == Until::violation && !found_.broken.empty() &&
           untried_.begin()->first >= Distance(found_.faults, found_.length);
  }

  void come_to(World world, Distance at) {
    std::string text = world.written(until_ == Until::end);
    if (seen_.count(text) == 0) untried_[at].try_emplace(std::move(text), std::move(world));
  }

  void look_at(const World& world, Distance distance) {
    if (until_ == Until::end) up_to_names_.insert(canonical(world));
    if (seen_.size() > worlds_max_) found_.too_large = true;
    const std::set<std::string> reached = reached_in(world);
    found_.reached.insert(reached.begin(), reached.end());
    for (Step& step : steps_from(world, trial_, grain_)) {
      ++found_.steps;
      found_.reached.insert(step.reached.begin(), step.reached.end());
      const Distance to(distance.first + (step.fault ? 1 : 0), distance.second + 1);
      if (!step.broken.empty()) note(step, to);
      come_to(std::move(step.after), to);
    }
  }

  void note(const Step& step, Distance at) {
    const Distance best(found_.faults, found_.length);
    if (!found_.broken.empty() && best < at) return;
    if (best != at) found_.broken.clear();
    found_.faults = at.first;
    found_.length = at.second;
    found_.broken.insert(step.broken.begin(), step.broken.end());
  }

  // The same text for worlds that differ in nothing but who of several identical clients is who.
  std::string canonical(const World& world) const {
    std::vector<int> names(world.processes.size());
    std::iota(names.begin(), names.end(), 0);
    std::string least;
    do {
      bool alike = true;
      for (std::size_t client = 0; client < names.size(); ++client) {
        alike = alike &&
                trial_.clients[client] == trial_.clients[static_cast<std::size_t>(names[client])];
      }
      if (!alike) continue;
      std::string text = world.written_as(names);
      if (least.empty() || text < least) least = std::move(text);
    } while (std::next_permutation(names.begin(), names.end()));
    return least;
  }

  const Trial& trial_;
  Grain grain_;
  Until until_;
  std::size_t worlds_max_;
  std::map<Distance, std::unordered_map<std::string, World>> untried_;
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> up_to_names_;
  Found found_;
};

}  // namespace

Found explore(const Trial& trial, Grain grain, Until until, std::size_t worlds_max) {
  return Explorer(trial, grain, until, worlds_max).explore();
}

}  // namespace interlock::sim::independent
