#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/longest.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/violation.hpp"
#include "model/state_properties.hpp"
#include "run/world.hpp"

namespace interlock::sim {
namespace {

// Takes those actions of a list that are possible when it is their turn.
class Shortener {
 public:
  explicit Shortener(const Scenario& scenario) : engine_(scenario, Limits()) {}

  Engine& engine() { return engine_; }

  // The actions that were taken until the property was violated; empty if it was not.
  std::vector<Action> try_out(const std::vector<Action>& wanted, const std::string& property) {
    auto state = engine_.initial<WideState>();
    std::vector<Action> taken;
    for (const Action action : wanted) {
      const auto step = possible_step<Transition>(engine_, state, action);
      if (!step) continue;
      taken.push_back(action);
      const std::uint16_t violated = broken_by(engine_, state, step->detail, step->next);
      state = step->next;
      if (violated == 0) continue;
      if (engine_.scenario().properties()[violated - 1U].name == property) return taken;
      return {};
    }
    return {};
  }

 private:
  Engine engine_;
};

std::vector<Action> without(const std::vector<Action>& path, std::size_t from, std::size_t count) {
  std::vector<Action> rest = path;
  const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(from);
  const std::size_t many = std::min(count, path.size() - from);
  rest.erase(begin, begin + static_cast<std::ptrdiff_t>(many));
  return rest;
}

// Removes pieces of so many steps wherever they are not needed.
void leave_out(Shortener& shortener,
               std::vector<Action>& path,
               std::size_t count,
               const std::string& property) {
  for (std::size_t from = 0; from < path.size();) {
    std::vector<Action> less = shortener.try_out(without(path, from, count), property);
    if (less.empty()) {
      from += count;
    } else {
      path = std::move(less);
    }
  }
}

// Whether the scenario has this run, up to the step that breaks something: `path`.
bool is_possible(Shortener& shortener, const Run& run, const std::vector<Action>& path) {
  if (shortener.try_out(path, violated_property(run)) != path) return false;
  std::string failure;
  const Run told = tell_actions(shortener.engine(), path, failure);
  Run wanted = run;
  wanted.steps.resize(path.size());
  return failure.empty() && told.scenario == run.scenario && told.clients == run.clients &&
         describe(told) == describe(wanted);
}

Run shorten_once(Shortener& shortener, const Run& run, const std::function<bool()>& proceed) {
  const std::string property = violated_property(run);
  std::vector<Action> path;
  for (std::size_t at = 0; at <= *violating_step(run); ++at) {
    path.push_back(Action::from_code(run.steps[at].code));
  }
  if (!is_possible(shortener, run, path)) return run;
  std::size_t count = std::max<std::size_t>(1, path.size() / 2);
  while (count > 0 && (!proceed || proceed())) {
    const std::size_t before = path.size();
    leave_out(shortener, path, count, property);
    // Removes single steps, again and again, until each is needed.
    if (count > 1 || path.size() == before) count /= 2;
  }
  std::string failure;
  Run shorter = tell_actions(shortener.engine(), path, failure);
  return failure.empty() ? shorter : run;
}

}  // namespace

Run shorten(const Scenario& scenario, const Run& run, const std::function<bool()>& proceed) {
  if (run.loop || !violating_step(run)) return run;
  if (!scenario.mistake().empty()) return run;
  Scenario settled = scenario;
  LongestGuess guess(scenario);
  Run shorter;
  do {
    guess.settle(settled);
    Shortener shortener(settled);
    shorter = shorten_once(shortener, run, proceed);
    guess.learn(shortener.engine().longer_than_longest());
  } while (guess.is_new());
  return shorter;
}

}  // namespace interlock::sim
