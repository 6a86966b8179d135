#include "interlock/sim/random_search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit_programs.hpp"
#include "base/chance.hpp"
#include "base/longest.hpp"
#include "interlock/sim/violation.hpp"
#include "model/engine.hpp"
#include "model/expand.hpp"
#include "model/state_properties.hpp"
#include "run/world.hpp"
#include "scenario/told_bounds.hpp"
#include "search/search.hpp"

namespace interlock::sim {
namespace {

class Next {
 public:
  WideState state;
  Brief detail;
};
using Nexts = std::vector<Next>;

enum class Kinds : std::uint8_t { ordinary, faulty, all };

Nexts next_of(Engine& engine, const WideState& state, Kinds kinds) {
  Nexts nexts;
  auto emit = [&nexts](const WideState& next, const Brief& detail) {
    nexts.push_back(Next{next, detail});
  };
  Expander<WideState, Brief, decltype(emit)> expander(engine, emit);
  if (kinds != Kinds::faulty) expander.ordinary(state);
  if (kinds != Kinds::ordinary) expander.faulty(state);
  return nexts;
}

// Whose step it is: a task of a client, or time.
using Mover = std::uint32_t;
constexpr Mover time_itself = 0;
Mover mover_of(const Action& action) {
  if (action.is(Action::Kind::time)) return time_itself;
  return static_cast<Mover>(action.actor() * 16 + action.slot() + 1);
}

// Who moves next, for one run.
class Order {
 public:
  // `usual`: about how many steps a run has.
  Order(Chance& chance, std::size_t depth, std::size_t usual) : chance_(chance), depth_(depth) {
    for (std::size_t change = 1; change < depth; ++change) falls_.push_back(chance.below(usual));
  }

  const Next& choose(const Nexts& nexts, std::size_t step) {
    const Mover mover = depth_ == 0 ? by_odds(nexts) : by_precedence(nexts, step);
    std::vector<const Next*> of_mover;
    for (const Next& next : nexts) {
      if (mover_of(next.detail.action) == mover) of_mover.push_back(&next);
    }
    return *of_mover[chance_.below(of_mover.size())];
  }

 private:
  static std::vector<Mover> movers(const Nexts& nexts) {
    std::vector<Mover> all;
    for (const Next& next : nexts) {
      const Mover mover = mover_of(next.detail.action);
      if (std::find(all.begin(), all.end(), mover) == all.end()) all.push_back(mover);
    }
    return all;
  }

  // Everybody's odds differ by up to 32 to 1, so that some runs have a client that hardly moves, or
  // time that hardly passes. With even odds, time is over before anybody has done much.
  Mover by_odds(const Nexts& nexts) {
    const std::vector<Mover> all = movers(nexts);
    std::uint64_t sum = 0;
    for (const Mover mover : all) sum += odds(mover);
    std::uint64_t drawn = chance_.below(sum);
    for (const Mover mover : all) {
      if (drawn < odds(mover)) return mover;
      drawn -= odds(mover);
    }
    return all.back();
  }
  std::uint64_t odds(Mover mover) {
    const auto [at, is_new] = ranks_.try_emplace(mover, 0);
    if (is_new) at->second = std::uint64_t{1} << chance_.below(6);
    return at->second;
  }

  Mover by_precedence(const Nexts& nexts, std::size_t step) {
    const std::vector<Mover> all = movers(nexts);
    for (std::size_t change = 0; change < falls_.size(); ++change) {
      if (falls_[change] == step) ranks_[first_of(all)] = change;
    }
    return first_of(all);
  }
  Mover first_of(const std::vector<Mover>& all) {
    return *std::max_element(all.begin(), all.end(), [this](Mover one, Mover other) {
      return precedence(one) < precedence(other);
    });
  }
  std::uint64_t precedence(Mover mover) {
    const auto [at, is_new] = ranks_.try_emplace(mover, 0);
    if (is_new) at->second = depth_ + (chance_.number() >> 16);
    return at->second;
  }

  Chance& chance_;
  std::size_t depth_;
  std::vector<std::uint64_t> falls_;      // the steps at which somebody falls behind
  std::map<Mover, std::uint64_t> ranks_;  // odds, or precedence
};

// The steps at which a fault is to happen, in one run.
class Mishaps {
 public:
  Mishaps(Chance& chance, std::size_t most, std::size_t usual) : chance_(chance) {
    for (std::uint64_t count = chance.below(most + 1); count > 0; --count) {
      due_.push_back(chance.below(usual));
    }
    std::sort(due_.begin(), due_.end(), std::greater<>());
  }

  // One that is due is put off until one is possible. `stuck`: nothing but a fault can happen.
  std::optional<Next> choose(Engine& engine, const WideState& state, std::size_t step, bool stuck) {
    const bool due = !due_.empty() && due_.back() <= step;
    const bool breaks = stuck && breaks_are_to_come(engine, state);
    if (!due && !breaks) return std::nullopt;
    const Nexts nexts = next_of(engine, state, Kinds::faulty);
    if (nexts.empty()) return std::nullopt;
    if (due) due_.pop_back();
    // First which kind: some have many more ways to happen than others.
    std::vector<std::uint32_t> kinds;
    for (const Next& next : nexts) {
      const std::uint32_t kind = next.detail.action.kind_number();
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    const std::uint32_t kind = kinds[chance_.below(kinds.size())];
    Nexts of_kind;
    for (const Next& next : nexts) {
      if (next.detail.action.kind_number() == kind) of_kind.push_back(next);
    }
    return of_kind[chance_.below(of_kind.size())];
  }

 private:
  static bool breaks_are_to_come(Engine& engine, const WideState& state) {
    return engine.budgets().breaks_are_to_come(state[engine.budget_lane()]);
  }

  Chance& chance_;
  std::vector<std::uint64_t> due_;  // the next one last
};

class RandomRuns {
 public:
  RandomRuns(const Scenario& scenario, const RandomSearch& how)
      : how_(how), engine_(scenario, Limits()), chance_(how.seed) {}

  RandomVerdict search() {
    const std::uint16_t broken = check_state(engine_, engine_.initial<WideState>());
    std::string reason = why_no_verdict();
    if (broken != 0 && reason.empty()) return broken_at_once(broken);
    while (reason.empty() && result_.runs < how_.runs && violated_ == 0) {
      one_run();
      reason = why_not_on();
    }
    judge(std::move(reason));
    return std::move(result_);
  }
  bool ended_by_caller() const { return ended_; }
  Duration longer_than_longest() const { return engine_.longer_than_longest(); }

 private:
  RandomVerdict broken_at_once(std::uint16_t property) {
    result_.verdict.outcome = Outcome::invalid;
    result_.verdict.reason =
        broken_before_first_step(engine_.scenario().properties()[property - 1U]);
    return std::move(result_);
  }

  // The steps at which something is to happen are drawn from as many as the longest run has had. If
  // a run is longer than that, they were drawn from too few: it only measures the length, and the
  // run is repeated.
  void one_run() {
    ++result_.runs;
    std::size_t drawn_from = 0;
    do {
      drawn_from = result_.longest;
      cut_off_ = false;
      take_run(std::max<std::size_t>(1, drawn_from));
      result_.longest = std::max(result_.longest, path_.size());
    } while (violated_ == 0 && !ended_ && path_.size() > drawn_from && why_no_verdict().empty());
    if (cut_off_) ++result_.cut_off;
  }

  void take_run(std::size_t usual) {
    path_.clear();
    auto state = engine_.initial<WideState>();
    Order order(chance_, how_.depth, usual);
    Mishaps mishaps(chance_, engine_.scenario().faults().total(), usual);
    while (violated_ == 0 && goes_on()) {
      const Nexts nexts = next_of(engine_, state, Kinds::ordinary);
      std::optional<Next> next = mishaps.choose(engine_, state, path_.size(), nexts.empty());
      if (!next && nexts.empty()) break;
      cut_off_ = path_.size() == how_.steps;
      if (cut_off_) break;
      if (!next) next = order.choose(nexts, path_.size());
      take(*next);
      state = next->state;
    }
  }

  void take(const Next& next) {
    path_.push_back(next.detail.action);
    ++result_.steps;
    violated_ = next.detail.violation;
    if (violated_ == 0) violated_ = broken_in(engine_, next.state);
  }

  std::string why_no_verdict() const {
    if (!engine_.undecidable().empty()) return engine_.undecidable();
    if (!engine_.failure().empty()) return engine_.failure();
    if (engine_.too_large()) return "a program has too many local states: bound what it remembers";
    return {};
  }
  std::string why_not_on() {
    std::string why = why_no_verdict();
    if (why.empty() && ended_) why = sim::ended_by_caller;
    return why;
  }

  // Asks the caller, within a run too: a program whose state grows makes each step slower. What
  // takes long is running programs, so these runs count like steps.
  bool goes_on() {
    constexpr std::uint64_t patience = 64;
    const std::uint64_t work = result_.steps + engine_.coroutine_runs();
    if (ended_ || !how_.proceed || work < asked_at_ + patience) return !ended_;
    asked_at_ = work;
    ended_ = !how_.proceed(RandomProgress{result_.runs, result_.steps});
    return !ended_;
  }

  void judge(std::string reason) {
    Verdict& verdict = result_.verdict;
    verdict.reason = std::move(reason);
    verdict.outcome = Outcome::incomplete;
    verdict.transitions = result_.steps;
    const bool audited = audit_programs(engine_, [this] {
      return !how_.proceed || how_.proceed(RandomProgress{result_.runs, result_.steps});
    });
    engine_.predicates().ask_again();
    if (violated_ != 0 && engine_.why_no_verdict().empty()) tell(verdict);
    if (verdict.outcome == Outcome::incomplete && verdict.reason.empty() && !audited) {
      verdict.reason = std::string(sim::ended_by_caller);
    }
    if (verdict.outcome == Outcome::incomplete && verdict.reason.empty()) {
      verdict.reason = std::to_string(result_.runs) +
                       " random runs broke nothing; what all the others do is not known";
    }
    if (!engine_.why_no_verdict().empty()) take_back(verdict);
    verdict.trusts = engine_.trusts();
    verdict.local_states = engine_.local_states();
    verdict.coroutine_runs = engine_.coroutine_runs();
    verdict.goals = engine_.all_happenings().goals();
  }

  void tell(Verdict& verdict) {
    verdict.outcome = Outcome::violated;
    verdict.property = engine_.scenario().properties()[violated_ - 1U].name;
    verdict.reason.clear();
    verdict.depth = path_.size();
    verdict.run = tell_actions(engine_, path_, verdict.reason);
    engine_.predicates().compare(verdict.property, verdict.run);
    if (!verdict.reason.empty()) verdict.outcome = Outcome::invalid;
  }

  // The clients break a promise on which the verdict would rest.
  void take_back(Verdict& verdict) const {
    verdict.outcome = engine_.failure().empty() ? Outcome::incomplete : Outcome::invalid;
    verdict.reason = engine_.why_no_verdict();
    verdict.property.clear();
    verdict.run = Run();
  }

  const RandomSearch& how_;
  Engine engine_;
  Chance chance_;
  bool cut_off_ = false;  // the run that is being taken
  bool ended_ = false;    // by its caller
  std::uint64_t asked_at_ = 0;
  std::vector<Action> path_;
  std::uint16_t violated_ = 0;
  RandomVerdict result_;
};

// Takes those actions of a list that are possible when it is their turn.
class Shortener {
 public:
  explicit Shortener(const Scenario& scenario) : engine_(scenario, Limits()) {}

  Engine& engine() { return engine_; }

  // What was taken until the property was violated; empty if it was not.
  std::vector<Action> try_out(const std::vector<Action>& wanted, const std::string& property) {
    auto state = engine_.initial<WideState>();
    std::vector<Action> taken;
    for (const Action action : wanted) {
      const Nexts nexts = next_of(engine_, state, Kinds::all);
      const auto next = std::find_if(nexts.begin(), nexts.end(), [action](const Next& one) {
        return one.detail.action == action;
      });
      if (next == nexts.end()) continue;
      taken.push_back(action);
      state = next->state;
      std::uint16_t violated = next->detail.violation;
      if (violated == 0) violated = broken_in(engine_, state);
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

// Pieces of so many steps, wherever they are not needed.
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

std::string mistake_in(const Scenario& scenario) {
  std::string mistake = scenario.mistake();
  if (!mistake.empty()) return mistake;
  const std::vector<Property>& all = scenario.properties();
  const bool none = std::all_of(all.begin(), all.end(),
                                [](const Property& property) { return property.is_liveness(); });
  if (none) {
    return "no property is required that a random run could break: a run that ends does not show "
           "whether somebody waits for ever";
  }
  return {};
}

std::string bounds_of(const RandomSearch& how) {
  std::string text =
      ", " + std::to_string(how.runs) + (how.runs == 1 ? " random run" : " random runs");
  if (how.depth > 0) text += " of " + std::to_string(how.depth) + " orderings";
  if (how.steps != RandomSearch().steps) {
    text += " of at most " + std::to_string(how.steps) + " steps";
  }
  return text + ", seed " + std::to_string(how.seed);
}

}  // namespace

RandomVerdict search_at_random(const Scenario& scenario, const RandomSearch& how) {
  RandomVerdict result;
  Scenario settled = scenario;
  std::string mistake = mistake_in(scenario);
  if (mistake.empty() && how.depth > RandomSearch::depth_max) {
    mistake = "runs of " + std::to_string(how.depth) +
              " orderings: RandomSearch::depth is at most " +
              std::to_string(RandomSearch::depth_max) + ": failures need a few; give it 3";
  }
  if (mistake.empty()) {
    LongestGuess guess(scenario);
    do {
      guess.settle(settled);
      RandomRuns runs(settled, how);
      result = runs.search();
      if (runs.ended_by_caller()) break;
      guess.learn(runs.longer_than_longest());
      if (!guess.is_new())
        settled = told_of(scenario, Scenario(settled), runs.longer_than_longest());
    } while (guess.is_new());
  } else {
    result.verdict.outcome = Outcome::invalid;
    result.verdict.reason = mistake;
  }
  result.verdict.scenario = scenario.name();
  result.verdict.bounds = settled.bounds() + bounds_of(how);
  return result;
}

namespace {

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
    // Single steps again and again, until each is needed.
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
