#include "lab/shrinker.hpp"

#include <algorithm>
#include <map>

#include "interlock/detail/number.hpp"
#include "interlock/sim/fault_text.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/violation.hpp"

namespace interlock::cli {
namespace {

constexpr std::uint64_t usual_states = 5'000'000;

// The faults of a run. Pauses count or are free as before.
std::string faults_of(const sim::Run& run, const Chosen& world) {
  sim::FaultBudget budget;
  if (world.scenario.faults().pauses_count()) budget.pauses(0);
  if (world.scenario.faults().requests_survive()) budget.let_requests_survive();
  std::map<sim::Fault, std::size_t> used;
  for (const sim::RunStep& step : run.steps) {
    if (step.fault) ++used[*step.fault];
  }
  for (const auto& [fault, count] : used) {
    if (fault == sim::Fault::pause) {
      budget.pauses(count);
    } else {
      budget.allow(fault, count);
    }
  }
  return sim::to_text(budget, world.entry.make({}).faults());
}

std::size_t instants_of(const sim::Run& run) {
  std::size_t instants = 1;
  for (const sim::RunStep& step : run.steps) {
    if (step.kind == sim::StepKind::time || step.fault == sim::Fault::pause) ++instants;
  }
  return instants;
}

void set(sim::ScheduleOptions& options, const char* name, const std::string& value) {
  for (auto& option : options) {
    if (option.first == name) option.second = value;
  }
}

// 0: no such option, or not a number.
std::size_t number_in(const sim::ScheduleOptions& options, const char* name) {
  std::size_t number = 0;
  for (const auto& [option, value] : options) {
    if (option == name) number = detail::parse_number<std::size_t>(value).value_or(0);
  }
  return number;
}

}  // namespace

Shrinker::Shrinker(const Chosen& chosen, sim::Run run, sim::Limits limits)
    : options_(chosen.all_options()),
      scenario_(chosen.entry.name),
      property_(violated_property(run)),
      limits_(std::move(limits)),
      run_(std::move(run)) {
  if (limits_.states == sim::Limits().states) limits_.states = usual_states;
}

bool Shrinker::shrink() {
  trim();
  if (!find_small_world()) return false;
  limited_ = false;
  while (one_less()) {
  }
  return !limited_;
}

// Removes the steps that the run does not need, and makes the world as small as the run.
void Shrinker::trim() {
  const auto chosen = choose_scenario(scenario_, options_);
  if (!chosen || run_.loop) return;
  const auto proceed = [this] { return !limits_.proceed || limits_.proceed(sim::Progress()); };
  run_ = sim::shorten(chosen->scenario, run_, proceed);
}

// Those without more clients and attempts than the scenario has, the smallest first.
std::vector<Shrinker::Size> Shrinker::sizes() const {
  std::vector<Size> all;
  for (std::size_t clients = 1; clients <= std::max<std::size_t>(1, number_in(options_, "clients"));
       ++clients) {
    for (std::size_t attempts = 1;
         attempts <= std::max<std::size_t>(1, number_in(options_, "attempts")); ++attempts) {
      all.push_back(Size{clients, attempts});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](Size one, Size other) {
    return one.clients + one.attempts < other.clients + other.attempts;
  });
  return all;
}

bool Shrinker::find_small_world() {
  const sim::ScheduleOptions whole = options_;
  sim::ScheduleOptions small = options_;
  const auto chosen = this->chosen();
  if (!chosen) return false;
  set(small, "faults", faults_of(run_, *chosen));
  if (!run_.loop && !chosen->scenario.endless()) {
    set(small, "instants", std::to_string(instants_of(run_)));
  }
  std::vector<Size> too_large;
  for (const Size size : sizes()) {
    const bool hopeless = std::any_of(too_large.begin(), too_large.end(), [size](Size other) {
      return other.clients <= size.clients && other.attempts <= size.attempts;
    });
    if (hopeless) continue;
    set(small, "clients", std::to_string(size.clients));
    set(small, "attempts", std::to_string(size.attempts));
    limited_ = false;
    if (accept(small)) return true;
    if (limited_) too_large.push_back(size);
  }
  // A world with fewer faults or instants may behave differently.
  return too_large.empty() && accept(whole);
}

bool Shrinker::one_less() {
  for (std::size_t at = 0; at < options_.size(); ++at) {
    sim::ScheduleOptions less = options_;
    const auto& [name, value] = options_[at];
    if (name == "faults") {
      const auto world = chosen();
      if (!world) continue;
      less[at].second = faults_of(run_, *world);
    } else {
      const std::size_t count = number_in(options_, name.c_str());
      if (count <= 1) continue;
      less[at].second = std::to_string(count - 1);
    }
    if (less != options_ && accept(less)) return true;
  }
  return false;
}

bool Shrinker::accept(const sim::ScheduleOptions& options) {
  const auto chosen = choose_scenario(scenario_, options);
  if (!chosen) return false;
  sim::Verdict verdict = sim::explore(chosen->scenario, limits_);
  if (verdict.outcome == sim::Outcome::incomplete) limited_ = true;
  if (verdict.outcome != sim::Outcome::violated || verdict.property != property_) return false;
  run_ = std::move(verdict.run);
  options_ = options;
  return true;
}

Shrunk shrunk(const Chosen& chosen, const sim::Run& run, const sim::Limits& limits) {
  Shrinker shrinker(chosen, run, limits);
  const bool shortest = shrinker.shrink();
  auto world = shrinker.chosen();
  return Shrunk{world ? Chosen(std::move(*world)) : chosen, shrinker.run(), shortest};
}

}  // namespace interlock::cli
