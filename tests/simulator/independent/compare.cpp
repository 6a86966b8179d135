#include "compare.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "as_scenario.hpp"
#include "explorer.hpp"
#include "interlock/sim/bitstate_search.hpp"
#include "interlock/sim/merged_search.hpp"
#include "interlock/sim/thread_team.hpp"
#include "rules.hpp"
#include "runs.hpp"
#include "starving.hpp"

namespace interlock::sim::independent {
namespace {

// Most trials have a few hundred worlds, some have millions.
constexpr std::size_t worlds_max = 2'000;

std::string all_of(const Verdict& verdict) {
  return describe(verdict) + describe(verdict.run) + std::to_string(verdict.violations);
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "'" + name + "' ";
  return text.empty() ? "nothing" : text;
}

class Comparer {
 public:
  explicit Comparer(const Trial& trial) : trial_(trial), scenario_(as_scenario(trial)) {
    limits_.states = worlds_max * 10;
    limits_.local_states = 50'000;
  }

  Comparison compare() {
    expected_ = explore(trial_, Grain::fine, Until::violation, worlds_max);
    if (expected_.too_large) {
      expected_ = explore(trial_, Grain::coarse, Until::violation, worlds_max);
    }
    result_.too_large = expected_.too_large;
    if (!result_.too_large && expected_.broken.empty()) expect_starving();
    if (result_.too_large) return result_;
    const Verdict merged = sim::explore(scenario_, limits_);
    result_.outcome = merged.outcome;
    check(merged, "with symmetry");
    check_threads(merged);
    check_equal_futures(merged);
    Scenario told_apart = as_scenario(trial_);
    told_apart.symmetry(false);
    check(sim::explore(told_apart, limits_), "without symmetry");
    check_runs(merged);
    if (can_be_counted()) count(told_apart);
    return result_;
  }

 private:
  // What must happen at last is asked only where nothing happens that must not.
  void expect_starving() {
    const bool asked = std::any_of(trial_.rules.begin(), trial_.rules.end(), [](auto& rule) {
      return rule.kind == Rule::Kind::every_waiter_acquires;
    });
    if (!asked) return;
    const Starving starving = who_starves(trial_, worlds_max);
    result_.too_large = starving.too_large;
    expected_.broken = starving.broken;
    expected_.faults = starving.faults;
    expected_.length = starving.steps;
    time_ends_ = starving.broken.empty() && starving.if_time_did_not_end;
  }

  void differ(const std::string& what) {
    if (result_.agree()) result_.difference = what;
  }

  void check(const Verdict& verdict, const std::string& how) {
    const std::string says =
        how + " the search says:\n" + describe(verdict) + describe(verdict.run);
    switch (verdict.outcome) {
      case Outcome::incomplete:
        if (verdict.reason.find("time ends while") == std::string::npos) {
          result_.too_large = true;
        } else if (!time_ends_) {
          differ(says + expectation());
        }
        return;
      case Outcome::proved:
        if (!expected_.broken.empty() || time_ends_) differ(says + expectation());
        check_goals(verdict, says);
        return;
      case Outcome::invalid:
        if (!is_rightly_invalid(verdict)) differ(says);
        return;
      case Outcome::violated:
        check_violation(verdict, says);
    }
  }

  std::string expectation() const {
    if (time_ends_) return "the explorer: whether somebody waits for ever is open: time ends\n";
    return "the explorer: " + listed(expected_.broken) + "broken with " +
           std::to_string(expected_.faults) + " faults in " + std::to_string(expected_.length) +
           " steps\n";
  }

  void check_violation(const Verdict& verdict, const std::string& says) {
    // If the run goes round for ever, the way to its loop is what is shortest.
    const std::size_t length = verdict.run.loop.value_or(verdict.run.steps.size());
    if (expected_.broken.count(verdict.property) == 0 ||
        static_cast<int>(verdict.run.faults()) != expected_.faults ||
        static_cast<int>(length) != expected_.length) {
      differ(says + expectation());
    }
    std::string wrong = why_not(verdict.run, trial_);
    if (!wrong.empty()) differ(says + "the explorer: this run cannot be: " + wrong + "\n");
    wrong = mistold(verdict.run, scenario_);
    if (!wrong.empty()) differ(says + "written down and replayed: " + wrong + "\n");
  }

  void check_goals(const Verdict& verdict, const std::string& says) {
    for (const Goal& goal : verdict.goals) {
      const bool reached = expected_.reached.count(goal.name) > 0;
      if (goal.reached != reached) differ(says + "the explorer differs on '" + goal.name + "'\n");
    }
  }

  bool is_rightly_invalid(const Verdict& verdict) {
    if (verdict.reason.find("is broken before the first step") != std::string::npos) {
      return !broken_in(beginning_of(trial_), trial_).empty();
    }
    if (verdict.reason.find("no run reaches the goal") == std::string::npos) return false;
    check_goals(verdict, "invalid, and ");
    return expected_.broken.empty();
  }

  void check_threads(const Verdict& alone) {
    ThreadTeam team(2);
    Limits limits = limits_;
    limits.team = &team;
    limits.team_from = 1;
    const std::string together = all_of(sim::explore(scenario_, limits));
    if (together != all_of(alone))
      differ("two threads say:\n" + together + "one says:\n" + all_of(alone));
  }

  // With local states of equal futures as one: guessed early, so that many guesses are refuted, and
  // when all is known, so that few are.
  void check_equal_futures(const Verdict& apart) {
    constexpr std::uint64_t most_states = 5'000;  // because it begins anew many times
    if (apart.outcome == Outcome::incomplete || apart.states > most_states) return;
    MergingLimits merging;
    merging.gain = 0;
    merging.effort = 100;
    for (const std::uint64_t from : {apart.states / 4, apart.states}) {
      merging.from = from;
      const Verdict merged = explore_merged(scenario_, limits_, merging);
      const bool same = merged.outcome == apart.outcome && merged.reason == apart.reason &&
                        merged.property == apart.property &&
                        describe(merged.run) == describe(apart.run);
      if (!same || !std::equal(merged.goals.begin(), merged.goals.end(), apart.goals.begin(),
                               apart.goals.end(), [](const Goal& one, const Goal& other) {
                                 return one.name == other.name && one.reached == other.reached;
                               })) {
        differ("with equal futures as one from " + std::to_string(from) + " states on:\n" +
               all_of(merged) + "without:\n" + all_of(apart));
      }
      result_.merged_futures = result_.merged_futures || merged.states < apart.states;
    }
  }

  // One by one, and by chance.
  void check_runs(const Verdict& verdict) {
    if (verdict.outcome == Outcome::incomplete || verdict.outcome == Outcome::invalid) return;
    const std::string wrong = wrong_choices(trial_, scenario_, trial_.seed);
    if (!wrong.empty()) differ("by one step after the other:\n" + wrong + "\n");
    const bool by_single_steps = !verdict.run.loop;
    const bool violated = verdict.outcome == Outcome::violated && by_single_steps;
    const std::string by_chance = wrong_at_random(trial_, scenario_, violated);
    if (!by_chance.empty()) differ(by_chance);
    check_bits(violated);
  }

  // In a table with room the search that keeps bits of states overlooks nothing.
  void check_bits(bool violated) {
    BitstateSearch how;
    how.memory = std::uint64_t{1} << 20;
    const BitstateVerdict bits = search_bitstate(scenario_, how);
    const Verdict& verdict = bits.verdict;
    if (verdict.reason.find("no property is required") != std::string::npos) return;
    const std::string says = "with bits of states: " + describe(verdict);
    if (!violated) {
      if (verdict.outcome != Outcome::incomplete || !bits.at_end) differ(says);
      return;
    }
    if (verdict.outcome != Outcome::violated) return differ(says);
    std::string wrong = why_not(verdict.run, trial_);
    if (!wrong.empty()) differ(says + "the explorer: this run cannot be: " + wrong + "\n");
    wrong = mistold(verdict.run, scenario_);
    if (!wrong.empty()) differ(says + "written down and replayed: " + wrong + "\n");
  }

  bool can_be_counted() const {
    // Beliefs that have ended may be one, or not.
    const bool beliefs = std::any_of(trial_.rules.begin(), trial_.rules.end(), [](auto& rule) {
      return rule.kind == Rule::Kind::lease_exclusion;
    });
    return !trial_.remembers && !beliefs && !result_.too_large &&
           broken_in(beginning_of(trial_), trial_).empty();
  }

  void count(const Scenario& told_apart) {
    const Found all = explore(trial_, Grain::coarse, Until::end, worlds_max);
    if (all.too_large) return;
    Limits limits = limits_;
    limits.count_violations = true;
    const Verdict apart = sim::explore(told_apart, limits);
    const Verdict merged = sim::explore(scenario_, limits);
    if (apart.outcome == Outcome::incomplete || merged.outcome == Outcome::incomplete) return;
    result_.counted = true;
    if (apart.states != all.states || apart.transitions != all.steps) {
      differ("the search counts " + std::to_string(apart.states) + " states and " +
             std::to_string(apart.transitions) + " steps, the explorer " +
             std::to_string(all.states) + " and " + std::to_string(all.steps) + "\n");
    }
    if (merged.states < all.states_up_to_names || merged.states > all.states) {
      differ("with symmetry the search counts " + std::to_string(merged.states) +
             " states, and there are " + std::to_string(all.states_up_to_names) + " up to names, " +
             std::to_string(all.states) + " in all\n");
    }
  }

  const Trial& trial_;
  Scenario scenario_;
  Limits limits_;
  Found expected_;
  bool time_ends_ = false;
  Comparison result_;
};

}  // namespace

Comparison compare(const Trial& trial) {
  return Comparer(trial).compare();
}

namespace {

// Leaves an instruction out, and lets jumps over it land where they did.
void leave_out(Code& code, std::size_t at) {
  code.erase(code.begin() + static_cast<std::ptrdiff_t>(at));
  for (Instruction& in : code) {
    if (in.target > static_cast<int>(at)) --in.target;
  }
}

// Every way to make a trial a little smaller.
std::vector<Trial> smaller(const Trial& trial) {
  std::vector<Trial> all;
  const auto add = [&](const std::function<void(Trial&)>& change) {
    Trial one = trial;
    change(one);
    all.push_back(std::move(one));
  };
  for (std::size_t at = 0; at < trial.clients.size() && trial.clients.size() > 1; ++at) {
    add([&](Trial& one) {
      one.clients.erase(one.clients.begin() + static_cast<std::ptrdiff_t>(at));
    });
  }
  for (std::size_t code = 0; code < trial.codes.size(); ++code) {
    for (std::size_t at = trial.codes[code].size(); at-- > 0;) {
      add([&](Trial& one) { leave_out(one.codes[code], at); });
    }
  }
  for (std::size_t fault = 0; fault < fault_kinds; ++fault) {
    if (trial.faults[fault] > 0) add([&](Trial& one) { --one.faults[fault]; });
  }
  if (trial.at_most > 0) add([](Trial& one) { --one.at_most; });
  if (trial.instants > 1) add([](Trial& one) { --one.instants; });
  if (trial.pauses_count) add([](Trial& one) { one.pauses_count = false; });
  if (trial.requests_survive) add([](Trial& one) { one.requests_survive = false; });
  if (trial.first != 0) add([](Trial& one) { one.first = 0; });
  if (trial.remembers) add([](Trial& one) { one.remembers = false; });
  if (trial.checks_fencing) add([](Trial& one) { one.checks_fencing = false; });
  if (!trial.keys.empty()) add([](Trial& one) { one.keys.pop_back(); });
  if (trial.replica != Replica()) add([](Trial& one) { one.replica = Replica(); });
  for (std::size_t at = 0; at < trial.rules.size() && trial.rules.size() > 1; ++at) {
    add([&](Trial& one) { one.rules.erase(one.rules.begin() + static_cast<std::ptrdiff_t>(at)); });
  }
  return all;
}

}  // namespace

Trial shrink(const Trial& trial) {
  Trial least = trial;
  for (bool again = true; again;) {
    again = false;
    for (Trial& one : smaller(least)) {
      if (compare(one).agree()) continue;
      least = std::move(one);
      again = true;
      break;
    }
  }
  return least;
}

}  // namespace interlock::sim::independent
