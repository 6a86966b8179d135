#include "interlock/sim/bitstate_search.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/audit_programs.hpp"
#include "base/chance.hpp"
#include "base/longest.hpp"
#include "base/memory.hpp"
#include "model/engine.hpp"
#include "model/state_properties.hpp"
#include "run/world.hpp"
#include "scenario/told_bounds.hpp"
#include "search/coverage.hpp"
#include "search/search.hpp"
#include "search/seen_bits.hpp"
#include "search/step_check.hpp"
#include "search/successors.hpp"

namespace interlock::sim {
namespace {

// What a search has come to, in the names of the search.
class DepthFirstEnd {
 public:
  std::uint16_t violated = 0;  // the property's number, counted from 1
  std::vector<Action> path;    // to the violation
  std::string reason;          // a limit that has ended the search
  bool broken_at_once = false;
  Progress figures;
  std::size_t longest = 0;
  double omission = 0;
};

template <class S>
class DepthFirst {
 public:
  DepthFirst(Engine& engine, const BitstateSearch& how)
      : engine_(engine),
        how_(how),
        successors_(engine, true),
        seen_(how.memory),
        chance_(how.seed) {}

  DepthFirstEnd run(const WideState& from) {
    if (!seen_.has_memory() || successors_.out_of_memory()) {
      stop("there is no memory for a table of " + about(how_.memory));
      return finish();
    }
    S first{};
    for (std::size_t component = 0; component < engine_.components(); ++component)
      first.set(component, from[component]);
    successors_.add_first(first, share_);
    const S begin = share_.found.front().state;
    share_.clear();
    if (const std::uint16_t broken = check_state(engine_, from); broken != 0) {
      end_.violated = broken;
      end_.broken_at_once = true;
      return finish();
    }
    seen_.insert(seen_.places(begin));
    ++end_.figures.states;
    visit(begin);
    while (!over_ && !stack_.empty()) go_on();
    return finish();
  }

 private:
  // A step from a state of the run: taken, or still to be taken.
  class StackedStep {
   public:
    S state;
    SeenBits::Places places;
    Action action;
  };
  // A state of the run that the search is in. Its steps are those of `steps_` from `first` to where
  // those of the next state begin; those before `next` are taken.
  class StackedState {
   public:
    std::size_t first;
    std::size_t next;
  };

  // Takes one step more, or goes back by one.
  void go_on() {
    StackedState& top = stack_.back();
    if (top.next == steps_.size()) {
      steps_.resize(top.first);
      stack_.pop_back();
      return;
    }
    const StackedStep step = steps_[top.next++];
    ++end_.figures.transitions;
    if (!seen_.insert(step.places)) return;
    if (end_.figures.states >= how_.states) {
      return stop("the limit of " + std::to_string(how_.states) + " states was reached");
    }
    ++end_.figures.states;
    if (looks_at_states_) {
      const Breach breach = breach_in_some_arrangement(engine_, widened(engine_, step.state));
      if (breach.property != 0) return violate(breach.property);
    }
    visit(step.state);
    ask_now_and_then();
  }

  // Finds the steps that are possible in the state, and puts them on the stack in random order.
  void visit(const S& state) {
    share_.clear();
    for (const Steps which : {Steps::ordinary, Steps::faulty}) {
      if (!share_.last) successors_.add(state, number_, which, share_);
    }
    ++number_;
    check_limits();
    if (over_) return;
    const std::size_t first = steps_.size();
    // What one of the steps breaks ends the search before any of them is taken.
    stack_.push_back(StackedState{first, first});
    end_.longest = std::max(end_.longest, stack_.size() - 1);
    if (!share_.deadlocks.empty() && deadlock_ != 0) return violate(deadlock_);
    for (const Found<S>& found : share_.found) {
      if (looks_at_steps_) {
        const std::uint16_t broken =
            step_check_.look(found.origin.parent, state, found.origin.action);
        if (broken != 0) return violate(broken, Action::from_code(found.origin.action));
      }
      steps_.push_back(StackedStep{found.state, seen_.places(found.state),
                                   Action::from_code(found.origin.action)});
      seen_.prefetch(steps_.back().places);
    }
    if (share_.last) {
      return violate(share_.last->violation, Action::from_code(share_.last->origin.action));
    }
    for (std::size_t left = steps_.size() - first; left > 1; --left) {
      std::swap(steps_[first + left - 1], steps_[first + chance_.below(left)]);
    }
  }

  // `last`: the step that breaks it, if the run has not taken it yet.
  void violate(std::uint16_t property, std::optional<Action> last = std::nullopt) {
    over_ = true;
    end_.violated = property;
    for (std::size_t at = 0; at < stack_.size(); ++at) {
      if (stack_[at].next > stack_[at].first) {
        end_.path.push_back(steps_[stack_[at].next - 1].action);
      }
    }
    if (last) end_.path.push_back(*last);
  }

  void check_limits() {
    if (over_) return;
    if (!engine_.why_no_verdict().empty()) {
      over_ = true;
    } else if (std::string why = why_too_large(engine_, Limits()); !why.empty()) {
      stop(std::move(why));
    } else if (successors_.out_of_memory()) {
      stop("there is no memory left");
    }
  }

  // The memory is asked for, too: the stack and the tables may double. A run of a program takes far
  // longer than a state whose programs are learned.
  void ask_now_and_then() {
    constexpr std::uint64_t patience = 16'384;
    constexpr std::uint64_t states_per_run = 256;
    const std::uint64_t work = end_.figures.states + states_per_run * engine_.coroutine_runs();
    if (over_ || work < asked_at_ + patience) return;
    asked_at_ = work;
    constexpr std::size_t least = std::size_t{8} << 20;
    const std::size_t small = engine_.bytes() + successors_.bytes() +
                              steps_.capacity() * sizeof(StackedStep) +
                              stack_.capacity() * sizeof(StackedState);
    if (!has_memory_for(least + 2 * small)) return stop("there is no memory left");
    end_.figures.depth = stack_.size();
    if (how_.proceed && !how_.proceed(end_.figures)) stop(std::string(ended_by_caller));
  }

  void stop(std::string reason) {
    over_ = true;
    end_.reason = std::move(reason);
  }

  DepthFirstEnd finish() {
    if (seen_.has_memory()) end_.omission = seen_.omission();
    engine_.ask_again();
    return std::move(end_);
  }

  Engine& engine_;
  const BitstateSearch& how_;
  Successors<S> successors_;
  SeenBits seen_;
  Chance chance_;
  Share<S> share_;
  StepCheck step_check_{engine_};
  std::vector<StackedState> stack_;
  std::vector<StackedStep> steps_;
  const bool looks_at_states_ = looks_at_states(engine_.scenario());
  const bool looks_at_steps_ = looks_at_steps(engine_.scenario());
  const std::uint16_t deadlock_ = number_of_deadlock(engine_.scenario());  // 0: it is allowed
  std::uint32_t number_ = 0;    // of the state, for step_check_, which is asked state by state
  std::uint64_t asked_at_ = 0;  // the work that was done when the caller was asked
  bool over_ = false;
  DepthFirstEnd end_;
};

DepthFirstEnd depth_first(Engine& engine, const BitstateSearch& how) {
  const auto first = engine.initial<WideState>();
  engine.begin_search(first);
  using Number = std::uint32_t;
  if (engine.components() <= 8) return DepthFirst<State<Number, 8>>(engine, how).run(first);
  return DepthFirst<State<Number, 16>>(engine, how).run(first);
}

std::string percent(double probability) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2g", probability * 100);
  return std::string(text.data()) + " %";
}

std::string nothing_broken(const Scenario& scenario, const DepthFirstEnd& end) {
  std::string text = "nothing is broken in the " + std::to_string(end.figures.states) +
                     " states that were seen; a new state was taken for one of them with a "
                     "probability of at most " +
                     percent(end.omission);
  if (scenario.requires_liveness()) text += ", and whether somebody waits for ever is not known";
  return text;
}

void tell(Engine& engine, const DepthFirstEnd& end, Verdict& verdict) {
  verdict.outcome = Outcome::violated;
  verdict.property = engine.scenario().properties()[end.violated - 1U].name;
  verdict.violations = 1;
  verdict.run = tell_run(engine, end.path, verdict.reason);
  engine.predicates().compare(verdict.property, verdict.run);
  if (verdict.reason.empty()) verdict.reason = engine.predicates().failure();
  if (!verdict.reason.empty()) take_back(verdict, engine);
}

void judge(Engine& engine, const DepthFirstEnd& end, bool audited, Verdict& verdict) {
  verdict.outcome = Outcome::incomplete;
  if (!end.reason.empty()) {
    verdict.reason = end.reason;
  } else if (end.broken_at_once) {
    verdict.outcome = Outcome::invalid;
    verdict.reason = broken_before_first_step(engine.scenario().properties()[end.violated - 1U]);
  } else if (end.violated != 0 && engine.why_no_verdict().empty()) {
    tell(engine, end, verdict);
  } else if (!audited) {
    verdict.reason = std::string(ended_by_caller);
  } else {
    verdict.reason = nothing_broken(engine.scenario(), end);
  }
  if (engine.why_no_verdict().empty()) return;
  take_back(verdict, engine);
  verdict.reason = engine.why_no_verdict();
}

BitstateVerdict search_once(const Scenario& scenario, const BitstateSearch& how, Duration& longer) {
  BitstateVerdict result;
  Verdict& verdict = result.verdict;
  Engine engine(scenario, Limits());
  const DepthFirstEnd end = depth_first(engine, how);
  if (engine.why_no_verdict().empty()) verdict.coverage = coverage_of(engine);
  const bool audited = audit_programs(engine, how.repeated_steps,
                                      [&] { return !how.proceed || how.proceed(end.figures); });
  judge(engine, end, audited, verdict);
  verdict.states = end.figures.states;
  verdict.transitions = end.figures.transitions;
  verdict.depth = end.longest;
  verdict.local_states = engine.local_states();
  verdict.coroutine_runs = engine.coroutine_runs();
  verdict.trusts = engine.trusts();
  engine.happenings().leave_out_liveness();
  verdict.goals = engine.all_happenings().goals();
  result.omission = end.omission;
  result.at_end = end.reason.empty() && audited && engine.why_no_verdict().empty() &&
                  verdict.outcome == Outcome::incomplete;
  longer = engine.longer_than_longest();
  return result;
}

std::string mistake_in(const Scenario& scenario, const BitstateSearch& how) {
  std::string mistake = scenario.mistake();
  if (!mistake.empty()) return mistake;
  if (!scenario.requires_something()) return std::string(requires_nothing);
  if (how.memory < BitstateSearch::memory_least) {
    return "a table of " + size_text(how.memory) + ": BitstateSearch::memory is at least " +
           size_text(BitstateSearch::memory_least);
  }
  if (requires_only_liveness(scenario)) {
    return "no property is required that a single step or state could break: a search that keeps "
           "no states does not show whether somebody waits for ever";
  }
  return {};
}

std::string bounds_of(const BitstateSearch& how) {
  std::string text = ", bits of states in " + size_text(how.memory);
  if (how.states != BitstateSearch().states) {
    text += ", at most " + std::to_string(how.states) + " states";
  }
  return text + ", seed " + std::to_string(how.seed);
}

}  // namespace

BitstateVerdict search_bitstate(const Scenario& scenario, const BitstateSearch& how) {
  BitstateVerdict result;
  Scenario settled = scenario;
  const std::string mistake = mistake_in(scenario, how);
  if (mistake.empty()) {
    LongestGuess guess(scenario);
    do {
      guess.settle(settled);
      Duration longer{0};
      result = search_once(settled, how, longer);
      if (result.verdict.reason == ended_by_caller) break;
      guess.learn(longer);
      if (!guess.is_new()) settled = told_of(scenario, Scenario(settled), longer);
    } while (guess.is_new());
  } else {
    result.verdict.outcome = Outcome::invalid;
    result.verdict.reason = mistake;
  }
  result.verdict.scenario = scenario.name();
  result.verdict.bounds = settled.bounds() + bounds_of(how);
  return result;
}

}  // namespace interlock::sim
