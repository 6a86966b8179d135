#include "sampling/runs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "audit/audit_programs.hpp"
#include "base/longest.hpp"
#include "interlock/sim/violation.hpp"
#include "model/state_properties.hpp"
#include "run/world.hpp"
#include "sampling/series.hpp"
#include "scenario/told_bounds.hpp"
#include "search/search.hpp"

namespace interlock::sim {
namespace {

class Runs {
 public:
  Runs(Engine& engine,
       const RunLimits& limits,
       const RunWords& words,
       const MakeChooser& make_chooser)
      : engine_(engine),
        walked_(engine),
        limits_(limits),
        words_(words),
        make_chooser_(make_chooser) {}

  RandomVerdict search();
  bool ended_by_caller() const { return ended_; }

 private:
  RandomVerdict broken_at_once(std::uint16_t property);
  Series next_series();
  bool is_enough() const;
  void take_one_series();
  void take_series_side_by_side();
  void take_run(Series& series);
  void count(const Series& series);
  std::string why_no_verdict() const;
  bool learns_rarely() const;
  std::uint64_t coroutine_runs();
  bool goes_on(const Series& series);
  void ask_the_caller(RandomProgress progress);
  void ask_the_caller(const std::vector<Series>& now);
  void judge();
  void tell(Verdict& verdict);

  Engine& engine_;
  WalkedStates walked_;
  const RunLimits& limits_;
  const RunWords& words_;
  const MakeChooser& make_chooser_;
  std::uint64_t series_ = 0;           // begun
  std::uint64_t left_ = limits_.runs;  // that no series has
  bool ended_ = false;                 // by the caller
  std::string reason_;                 // why there is no further run
  bool chooser_failed_ = false;
  std::uint64_t asked_at_ = 0;
  std::uint64_t learned_ = 0;     // WalkedStates::learned() when the engine was last asked
  std::uint64_t counted_at_ = 0;  // WalkedStates::learned() when coroutine_runs_ was counted
  std::uint64_t coroutine_runs_ = 0;
  // The last series:
  std::uint64_t learned_by_series_ = 0;
  std::uint64_t steps_of_series_ = 0;
  std::vector<Action> path_;
  std::uint16_t violated_ = 0;
  RandomVerdict result_;
};

RandomVerdict Runs::search() {
  const std::uint16_t broken = check_state(engine_, engine_.initial<WideState>());
  reason_ = why_no_verdict();
  if (broken != 0 && reason_.empty()) return broken_at_once(broken);
  while (!is_enough() && left_ > 0) {
    if (limits_.team != nullptr && limits_.team->size() > 1 && learns_rarely()) {
      take_series_side_by_side();
    } else {
      take_one_series();
    }
  }
  if (reason_.empty()) reason_ = why_no_verdict();
  if (reason_.empty() && ended_) reason_ = sim::ended_by_caller;
  judge();
  return std::move(result_);
}

RandomVerdict Runs::broken_at_once(std::uint16_t property) {
  result_.verdict.outcome = Outcome::invalid;
  result_.verdict.reason = broken_before_first_step(engine_.scenario().properties()[property - 1U]);
  return std::move(result_);
}

bool Runs::is_enough() const {
  return violated_ != 0 || ended_ || !reason_.empty();
}

Series Runs::next_series() {
  const std::uint64_t runs = std::min(left_, limits_.runs_of_series);
  left_ -= runs;
  return {make_chooser_(walked_, series_++), runs, limits_.steps};
}

void Runs::count(const Series& series) {
  result_.runs += series.runs;
  result_.steps += series.steps;
  result_.cut_off += series.cut_off;
  result_.longest = std::max(result_.longest, series.longest);
  violated_ = series.violated;
  path_ = series.path;
  if (series.has_ended()) left_ = 0;
  chooser_failed_ = !series.failure().empty();
  if (reason_.empty()) reason_ = series.failure();
}

void Runs::take_one_series() {
  Series series = next_series();
  const std::uint64_t learned = walked_.learned();
  while (!series.is_over() && !ended_ && reason_.empty()) take_run(series);
  learned_by_series_ = walked_.learned() - learned;
  steps_of_series_ = series.steps;
  count(series);
}

// Most runs of a small world only repeat what others have done: then the engine knows nothing new.
void Runs::take_run(Series& series) {
  series.take_run(walked_, [this, &series] { return goes_on(series); });
  if (walked_.learned() == learned_ && !walked_.out_of_memory()) return;
  learned_ = walked_.learned();
  reason_ = why_no_verdict();
}

// To call the threads costs about as much as some thousand known steps.
bool Runs::learns_rarely() const {
  return series_ > 0 && learned_by_series_ * 20'000 < steps_of_series_;
}

// The threads take runs with what is known. Where that is not enough, the calling thread takes the
// run. Those series count that are not behind one that breaks a property.
void Runs::take_series_side_by_side() {
  std::vector<Series> all;
  while (all.size() < limits_.team->size() && left_ > 0) all.push_back(next_series());
  const std::uint64_t learned = walked_.learned();
  const auto is_over = [](const Series& series) { return series.is_over(); };
  while (!is_enough() && !std::all_of(all.begin(), all.end(), is_over)) {
    walked_.learn(false);
    limits_.team->run(all.size(), [&](std::size_t at) {
      constexpr std::uint64_t steps_of_turn = 20'000;  // about a millisecond
      if (!all[at].is_over()) all[at].take_known_runs(walked_, steps_of_turn);
    });
    walked_.learn(true);
    for (Series& series : all) {
      if (series.is_stuck() && !is_enough()) take_run(series);
    }
    const auto broken = std::find_if(all.begin(), all.end(),
                                     [](const Series& series) { return series.violated != 0; });
    if (broken != all.end()) all.erase(broken + 1, all.end());
    if (limits_.proceed) ask_the_caller(all);
  }
  learned_by_series_ = walked_.learned() - learned;
  steps_of_series_ = 0;
  for (const Series& series : all) {
    steps_of_series_ += series.steps;
    count(series);
  }
}

std::string Runs::why_no_verdict() const {
  if (walked_.out_of_memory()) return "there is no memory left";
  if (!engine_.undecidable().empty()) return engine_.undecidable();
  if (!engine_.failure().empty()) return engine_.failure();
  if (engine_.too_large()) return "a program has too many local states: bound what it remembers";
  return {};
}

std::uint64_t Runs::coroutine_runs() {
  if (walked_.learned() != counted_at_) {
    counted_at_ = walked_.learned();
    coroutine_runs_ = engine_.coroutine_runs();
  }
  return coroutine_runs_;
}

// Asks the caller, also within a run: a program whose state grows makes each step slower. Running
// programs takes most of the time, so these runs count like steps.
bool Runs::goes_on(const Series& series) {
  if (walked_.out_of_memory()) return false;
  if (ended_ || !limits_.proceed) return !ended_;
  constexpr std::uint64_t patience = 64;
  const std::uint64_t steps = result_.steps + series.steps + series.path.size();
  const std::uint64_t work = steps + coroutine_runs();
  if (work < asked_at_ + patience) return true;
  asked_at_ = work;
  ask_the_caller(RandomProgress{result_.runs + series.runs, steps});
  return !ended_;
}

void Runs::ask_the_caller(RandomProgress progress) {
  ended_ = !limits_.proceed(progress);
}

void Runs::ask_the_caller(const std::vector<Series>& now) {
  RandomProgress progress{result_.runs, result_.steps};
  for (const Series& series : now) {
    progress.runs += series.runs;
    progress.steps += series.steps;
  }
  ask_the_caller(progress);
}

void Runs::judge() {
  Verdict& verdict = result_.verdict;
  verdict.reason = reason_;
  verdict.outcome = Outcome::incomplete;
  verdict.transitions = result_.steps;
  const bool audited = audit_programs(engine_, limits_.repeated_steps, [this] {
    return !limits_.proceed || limits_.proceed(RandomProgress{result_.runs, result_.steps});
  });
  engine_.ask_again();
  if (violated_ != 0 && engine_.why_no_verdict().empty()) tell(verdict);
  if (verdict.outcome == Outcome::incomplete && verdict.reason.empty() && !audited) {
    verdict.reason = std::string(sim::ended_by_caller);
  }
  if (verdict.outcome == Outcome::incomplete && verdict.reason.empty()) {
    verdict.reason = std::to_string(result_.runs) + " " +
                     (result_.runs == 1 ? words_.one : words_.many) +
                     " broke nothing; what all the others do is not known";
    if (engine_.scenario().requires_liveness()) {
      verdict.reason += ", and none shows whether somebody waits for ever";
    }
  }
  if (!engine_.why_no_verdict().empty()) {
    take_back(verdict, engine_);
    verdict.reason = engine_.why_no_verdict();
  }
  if (chooser_failed_) verdict.outcome = Outcome::invalid;
  verdict.trusts = engine_.trusts();
  verdict.local_states = engine_.local_states();
  verdict.coroutine_runs = engine_.coroutine_runs();
  engine_.happenings().leave_out_liveness();
  verdict.goals = engine_.all_happenings().goals();
}

void Runs::tell(Verdict& verdict) {
  verdict.outcome = Outcome::violated;
  verdict.property = engine_.scenario().properties()[violated_ - 1U].name;
  verdict.reason.clear();
  verdict.depth = path_.size();
  verdict.run = tell_actions(engine_, path_, verdict.reason);
  engine_.predicates().compare(verdict.property, verdict.run);
  if (!verdict.reason.empty()) take_back(verdict, engine_);
}

std::string mistake_in(const Scenario& scenario, const RunWords& words) {
  std::string mistake = scenario.mistake();
  if (!mistake.empty()) return mistake;
  if (!scenario.requires_something()) return std::string(requires_nothing);
  if (requires_only_liveness(scenario)) {
    return "no property is required that a " + words.one +
           " could break: a run that ends does not show whether somebody waits for ever";
  }
  return {};
}

}  // namespace

RandomVerdict search_runs(const Scenario& scenario,
                          const RunLimits& limits,
                          const RunWords& words,
                          const MakeChooser& make_chooser) {
  RandomVerdict result;
  Scenario settled = scenario;
  const std::string mistake = mistake_in(scenario, words);
  if (mistake.empty()) {
    LongestGuess guess(scenario);
    do {
      guess.settle(settled);
      Engine engine(settled, Limits());
      Runs runs(engine, limits, words, make_chooser);
      result = runs.search();
      if (runs.ended_by_caller()) break;
      guess.learn(engine.longer_than_longest());
      if (!guess.is_new())
        settled = told_of(scenario, Scenario(settled), engine.longer_than_longest());
    } while (guess.is_new());
  } else {
    result.verdict.outcome = Outcome::invalid;
    result.verdict.reason = mistake;
  }
  result.verdict.scenario = scenario.name();
  result.verdict.bounds = settled.bounds() + words.bounds;
  return result;
}

}  // namespace interlock::sim
