#include "sampling/runs.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "audit/audit_programs.hpp"
#include "base/longest.hpp"
#include "interlock/sim/violation.hpp"
#include "model/state_properties.hpp"
#include "run/world.hpp"
#include "scenario/told_bounds.hpp"
#include "search/search.hpp"

namespace interlock::sim {
namespace {

class Runs {
 public:
  Runs(Engine& engine, StepChooser& chooser, const RunLimits& limits, const RunWords& words)
      : engine_(engine), chooser_(chooser), limits_(limits), words_(words) {}

  RandomVerdict search();
  bool ended_by_caller() const { return ended_; }

 private:
  RandomVerdict broken_at_once(std::uint16_t property);
  bool one_run();
  void take_run();
  void take(const WideState& before, const BriefStep& step);
  std::string why_no_verdict() const;
  std::string why_not_on() const;
  bool goes_on();
  void judge(std::string reason);
  void tell(Verdict& verdict);

  Engine& engine_;
  StepChooser& chooser_;
  const RunLimits& limits_;
  const RunWords& words_;
  bool cut_off_ = false;  // the run that is being taken
  bool ended_ = false;    // by its caller
  std::uint64_t asked_at_ = 0;
  std::vector<Action> path_;
  std::uint16_t violated_ = 0;
  RandomVerdict result_;
};

RandomVerdict Runs::search() {
  const std::uint16_t broken = check_state(engine_, engine_.initial<WideState>());
  std::string reason = why_no_verdict();
  if (broken != 0 && reason.empty()) return broken_at_once(broken);
  while (reason.empty() && result_.runs < limits_.runs && violated_ == 0 && one_run()) {
    reason = why_not_on();
  }
  judge(reason.empty() ? why_not_on() : std::move(reason));
  return std::move(result_);
}

RandomVerdict Runs::broken_at_once(std::uint16_t property) {
  result_.verdict.outcome = Outcome::invalid;
  result_.verdict.reason = broken_before_first_step(engine_.scenario().properties()[property - 1U]);
  return std::move(result_);
}

// False: no further run was begun.
bool Runs::one_run() {
  bool again = true;
  for (bool first = true; again; first = false) {
    if (!chooser_.begin_run()) return false;
    if (first) ++result_.runs;
    cut_off_ = false;
    take_run();
    result_.longest = std::max(result_.longest, path_.size());
    again = chooser_.repeats(path_.size()) && violated_ == 0 && !ended_ && why_no_verdict().empty();
  }
  if (cut_off_) ++result_.cut_off;
  return true;
}

void Runs::take_run() {
  path_.clear();
  auto state = engine_.initial<WideState>();
  while (violated_ == 0 && goes_on()) {
    if (!chooser_.can_go_on(state, path_.size())) break;
    cut_off_ = path_.size() == limits_.steps;
    if (cut_off_) break;
    const std::optional<BriefStep> step = chooser_.next();
    if (!step) break;
    take(state, *step);
    state = step->next;
  }
}

void Runs::take(const WideState& before, const BriefStep& step) {
  path_.push_back(step.detail.action);
  ++result_.steps;
  violated_ = broken_by(engine_, before, step.detail, step.next);
}

std::string Runs::why_no_verdict() const {
  if (!engine_.undecidable().empty()) return engine_.undecidable();
  if (!engine_.failure().empty()) return engine_.failure();
  if (engine_.too_large()) return "a program has too many local states: bound what it remembers";
  return chooser_.failure();
}

std::string Runs::why_not_on() const {
  std::string why = why_no_verdict();
  if (why.empty() && ended_) why = sim::ended_by_caller;
  return why;
}

// Asks the caller, also within a run: a program whose state grows makes each step slower. Running
// programs takes most of the time, so these runs count like steps.
bool Runs::goes_on() {
  constexpr std::uint64_t patience = 64;
  const std::uint64_t work = result_.steps + engine_.coroutine_runs();
  if (ended_ || !limits_.proceed || work < asked_at_ + patience) return !ended_;
  asked_at_ = work;
  ended_ = !limits_.proceed(RandomProgress{result_.runs, result_.steps});
  return !ended_;
}

void Runs::judge(std::string reason) {
  Verdict& verdict = result_.verdict;
  verdict.reason = std::move(reason);
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
    verdict.reason = std::to_string(result_.runs) + " " + words_.many +
                     " broke nothing; what all the others do is not known";
    if (engine_.scenario().requires_liveness()) {
      verdict.reason += ", and none shows whether somebody waits for ever";
    }
  }
  if (!engine_.why_no_verdict().empty()) {
    take_back(verdict, engine_);
    verdict.reason = engine_.why_no_verdict();
  }
  if (!chooser_.failure().empty()) verdict.outcome = Outcome::invalid;
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
      const std::unique_ptr<StepChooser> chooser = make_chooser(engine);
      Runs runs(engine, *chooser, limits, words);
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
