#include "interlock/sim/random_search.hpp"

#include <memory>
#include <string>

#include "base/chance.hpp"
#include "sampling/drawn_steps.hpp"
#include "sampling/runs.hpp"

namespace interlock::sim {
namespace {

std::string bounds_of(const RandomSearch& how) {
  std::string text =
      ", " + std::to_string(how.runs) + (how.runs == 1 ? " random run" : " random runs");
  if (how.depth > 0) text += " of " + std::to_string(how.depth) + " orderings";
  if (how.steps != RandomSearch().steps) {
    text += " of at most " + std::to_string(how.steps) + " steps";
  }
  return text + ", seed " + std::to_string(how.seed);
}

std::uint64_t seed_of(const RandomSearch& how, std::uint64_t series) {
  if (series == 0) return how.seed;
  return Chance(how.seed + series * 0x9e3779b97f4a7c15U).number();
}

RandomVerdict too_deep(const Scenario& scenario, const RandomSearch& how) {
  RandomVerdict result;
  result.verdict.outcome = Outcome::invalid;
  result.verdict.reason =
      "runs of " + std::to_string(how.depth) + " orderings: RandomSearch::depth is at most " +
      std::to_string(RandomSearch::depth_max) + ": failures need a few; give it 3";
  result.verdict.scenario = scenario.name();
  result.verdict.bounds = scenario.bounds() + bounds_of(how);
  return result;
}

}  // namespace

RandomVerdict search_at_random(const Scenario& scenario, const RandomSearch& how) {
  if (how.depth > RandomSearch::depth_max && scenario.mistake().empty()) {
    return too_deep(scenario, how);
  }
  RunLimits limits{how.runs, how.steps, how.proceed, how.repeated_steps};
  limits.runs_of_series = RandomSearch::series;
  limits.team = how.team;
  return search_runs(scenario, limits, {"random run", "random runs", bounds_of(how)},
                     [&how](WalkedStates& walked, std::uint64_t series) {
                       return std::make_unique<DrawnSteps>(walked, how, seed_of(how, series));
                     });
}

}  // namespace interlock::sim
