#include "runs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "steps.hpp"

namespace interlock::sim::independent {
namespace {

std::string written(const Snapshot& view) {
  std::string text = std::to_string(view.time.count()) + " " + std::to_string(view.faults);
  for (const KeyView& key : view.keys) {
    text += "\n" + std::to_string(key.server) + " " + key.key + " " + key.value + " " +
            (key.remaining ? std::to_string(key.remaining->count()) : "-");
  }
  for (const ClientView& client : view.clients) {
    text += "\n" + client.name + std::to_string(static_cast<int>(client.status)) + "/" +
            std::to_string(client.restarts);
    for (const std::string& lock : client.inside) text += " in " + lock;
    for (const std::string& lock : client.wants) text += " wants " + lock;
  }
  for (const ResourceView& resource : view.resources) {
    text += "\n" + resource.name + " " + std::to_string(resource.greatest_fencing) + " " +
            resource.last_writer;
  }
  return text;
}

// What both say of a step, but for the words.
std::string written(const RunStep& told) {
  const int client = told.client ? static_cast<int>(*told.client) : -1;
  return std::to_string(static_cast<int>(told.kind)) + " " + std::to_string(client) + " " +
         told.task + (told.fault ? std::string(to_string(*told.fault)) : "") +
         (told.applied ? " applied" : "") + (told.delivered ? " delivered\n" : "\n") +
         written(told.after);
}
std::string written(const Step& step, const Trial& trial) {
  RunStep told;
  told.kind = step.kind;
  if (step.client >= 0) told.client = static_cast<std::size_t>(step.client);
  if (step.task == 1) told.task = "second";
  told.fault = step.fault;
  told.applied = step.applied;
  told.delivered = step.delivered;
  told.after = step.after.snapshot(trial);
  return written(told);
}

// Goes along with a run. Different worlds may look alike: then it is in any of them.
class Follower {
 public:
  explicit Follower(const Trial& trial) : trial_(trial) { here_.push_back(beginning_of(trial)); }

  std::string begin(const Snapshot& before) const {
    return written(before) == written(here_[0].snapshot(trial_)) ? "" : "it begins otherwise";
  }
  // `of_loop`: what the run breaks is no single step's doing.
  std::string take(const RunStep& told, bool of_loop) {
    const std::string looks = written(told);
    std::map<std::string, World> next;
    for (const World& world : here_) {
      for (Step& step : steps_from(world, trial_, Grain::coarse)) {
        if (written(step, trial_) != looks) continue;
        const bool breaks = told.violates.empty() || of_loop ? step.broken.empty()
                                                             : step.broken.count(told.violates) > 0;
        if (breaks || of_loop) next.emplace(step.after.written(true), std::move(step.after));
      }
    }
    here_.clear();
    for (auto& [text, world] : next) here_.push_back(std::move(world));
    if (!here_.empty()) return {};
    return "it is not possible, or " +
           (told.violates.empty() ? "breaks something" : "does not break '" + told.violates + "'");
  }
  // Empty where there are several worlds that look alike.
  std::multiset<std::string> choices() const {
    std::multiset<std::string> all;
    if (here_.size() != 1) return all;
    for (const Step& step : steps_from(here_[0], trial_, Grain::coarse)) {
      all.insert(written(step, trial_));
    }
    return all;
  }
  bool knows() const { return here_.size() == 1; }

 private:
  const Trial& trial_;
  std::vector<World> here_;
};

}  // namespace

std::string why_not(const Run& run, const Trial& trial) {
  Follower follower(trial);
  std::string wrong = follower.begin(run.before);
  for (std::size_t at = 0; at < run.steps.size() && wrong.empty(); ++at) {
    wrong = follower.take(run.steps[at], run.loop.has_value());
    if (!wrong.empty()) wrong = "step " + std::to_string(at + 1) + ": " + wrong;
  }
  return wrong;
}

namespace {

std::vector<std::uint32_t> codes(const Run& run) {
  std::vector<std::uint32_t> all;
  for (const RunStep& step : run.steps) all.push_back(step.code);
  return all;
}

std::string compared(const Run& run, const Result<Run>& again) {
  if (!again) return again.error().detail();
  const bool same =
      codes(run) == codes(*again) && run.loop == again->loop && describe(run) == describe(*again);
  return same ? "" : "the run is another one:\n" + describe(*again);
}

}  // namespace

std::string mistold(const Run& run, const Scenario& scenario) {
  const std::string text = print(make_schedule(run));
  const Result<Schedule> schedule = parse_schedule(text);
  if (!schedule) return text + schedule.error().detail();
  const std::string by_words = compared(run, replay(scenario, *schedule));
  if (!by_words.empty()) return text + by_words;
  const std::string brief = print_short(run);
  const Result<ShortSchedule> parsed = parse_short(brief);
  if (!parsed) return brief + ": " + parsed.error().detail();
  const std::string by_characters = compared(run, replay(scenario, *parsed));
  return by_characters.empty() ? "" : brief + ": " + by_characters;
}

namespace {

std::string difference(const std::vector<RunStep>& told, const Follower& follower) {
  std::multiset<std::string> expected = follower.choices();
  std::set<std::string> brief;
  for (const RunStep& step : told) {
    const std::string text = print_short(step);
    if (!brief.insert(text).second) return "two choices are written " + text;
    if (!follower.knows()) continue;
    const auto at = expected.find(written(step));
    if (at == expected.end()) return "a choice that is none: " + text + "\n" + written(step);
    expected.erase(at);
  }
  return expected.empty() ? "" : "a choice is missing:\n" + *expected.begin();
}

}  // namespace

std::string wrong_choices(const Trial& trial, const Scenario& scenario, std::uint64_t seed) {
  constexpr int steps_max = 12;
  Simulation simulation(scenario);
  Follower follower(trial);
  for (int taken = 0; taken < steps_max; ++taken) {
    const std::vector<RunStep> choices = simulation.choices();
    const std::string wrong = difference(choices, follower);
    if (!wrong.empty()) return describe(simulation.run()) + wrong;
    if (choices.empty()) break;
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const Result<RunStep> step = simulation.take(choices[(seed >> 33) % choices.size()].code);
    if (!step) return describe(simulation.run()) + step.error().detail();
    const std::string lost = follower.take(*step, false);
    if (!lost.empty()) return describe(simulation.run()) + lost;
    // One of the two says of every later step that it breaks the property, the other of the first.
    if (!step->violates.empty()) break;
  }
  return mistold(simulation.run(), scenario);
}

std::string wrong_at_random(const Trial& trial, const Scenario& scenario, bool can_be_broken) {
  RandomSearch how;
  how.seed = trial.seed;
  how.runs = 20;
  how.depth = trial.seed % 3;
  const Verdict verdict = search_at_random(scenario, how).verdict;
  if (verdict.outcome != Outcome::violated) return {};
  const std::string says = "by chance:\n" + describe(verdict) + describe(verdict.run);
  if (!can_be_broken) return says;
  const Run shorter = shorten(scenario, verdict.run);
  for (const Run* const run : {&verdict.run, &shorter}) {
    const std::string wrong = why_not(*run, trial);
    if (!wrong.empty()) return says + describe(*run) + wrong;
    if (run->steps.back().violates != verdict.property) return says + describe(*run);
  }
  return shorter.steps.size() <= verdict.run.steps.size() ? "" : says + "made longer\n";
}

}  // namespace interlock::sim::independent
