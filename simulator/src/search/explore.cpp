#include "interlock/sim/explore.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "audit/audit_programs.hpp"
#include "audit/rehearsal.hpp"
#include "base/longest.hpp"
#include "interlock/sim/memory_bound.hpp"
#include "model/engine.hpp"
#include "model/state_properties.hpp"
#include "run/words.hpp"
#include "run/world.hpp"
#include "search/coverage.hpp"
#include "search/search.hpp"
#include "search/whole_search.hpp"

namespace interlock::sim {

void take_back(Verdict& verdict, const Engine& engine) {
  const bool undecided = engine.failure().empty() && !engine.undecidable().empty();
  verdict.outcome = undecided ? Outcome::incomplete : Outcome::invalid;
  verdict.property.clear();
  verdict.run = Run();
}

namespace {

void judge(Verdict& verdict, Engine& engine, const SearchResult& found) {
  switch (found.end) {
    case SearchResult::End::violated:
      if (found.path.empty()) {
        verdict.outcome = Outcome::invalid;
        verdict.reason =
            broken_before_first_step(engine.scenario().properties()[found.violated - 1U]);
        return;
      }
      verdict.outcome = Outcome::violated;
      verdict.property = engine.scenario().properties()[found.violated - 1U].name;
      verdict.run =
          found.loop ? tell_lasso(engine, found.path, *found.loop, verdict.property, verdict.reason)
                     : tell_run(engine, found.path, verdict.reason);
      engine.predicates().compare(verdict.property, verdict.run);
      if (verdict.reason.empty()) verdict.reason = engine.predicates().failure();
      if (!verdict.reason.empty()) take_back(verdict, engine);
      return;
    case SearchResult::End::limited:
    case SearchResult::End::too_narrow:
      verdict.outcome = Outcome::incomplete;
      verdict.reason = found.reason;
      return;
    case SearchResult::End::failed:
      verdict.outcome = Outcome::invalid;
      verdict.reason = found.reason;
      return;
    case SearchResult::End::complete:
      break;
  }
  const Happenings& happenings = engine.all_happenings();
  verdict.reason = happenings.why_nothing_is_proved();
  verdict.vacuous = happenings.vacuous();
  verdict.outcome = verdict.reason.empty() ? Outcome::proved : Outcome::invalid;
}

std::string first_liveness(const Scenario& scenario) {
  for (const Property& property : scenario.properties()) {
    if (property.is_liveness()) return property.name;
  }
  return {};
}

}  // namespace

std::string mistake_in(const Scenario& scenario) {
  std::string mistake = scenario.mistake();
  if (!mistake.empty()) return mistake;
  if (!scenario.requires_something()) return std::string(requires_nothing);
  if (scenario.requires_liveness() && scenario.faults().pauses_count()) {
    return "'" + first_liveness(scenario) +
           "' is about a fair world, in which time passes by itself: let pauses be free (no "
           "FaultBudget::pauses; --faults pause:free)";
  }
  return {};
}

std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::proved:
      return "proved";
    case Outcome::violated:
      return "violated";
    case Outcome::incomplete:
      return "incomplete";
    case Outcome::invalid:
      return "invalid";
  }
  return "unknown";
}

namespace {

// Done last, and what it learns does not count: its run may use other names.
void rehearse(Verdict& verdict, Rehearsal& rehearsal) {
  const Engine& engine = rehearsal.engine();
  verdict.reason = rehearsal.run();
  if (verdict.reason.empty()) verdict.reason = engine.why_no_verdict();
  if (!verdict.reason.empty()) take_back(verdict, engine);
}

// Whether the caller lets the check of what was found go on.
bool proceed(const Limits& limits, const SearchResult& found) {
  if (!limits.proceed) return true;
  Progress progress;
  progress.states = found.states;
  progress.transitions = found.transitions;
  progress.depth = found.depth;
  return limits.proceed(progress);
}

}  // namespace

SearchResult search_whole(Engine& engine, const Limits& limits) {
  const auto first = engine.initial<WideState>();
  SearchResult found = search_narrow(engine, limits, first);
  // The tables are kept, so the second try starts where the first one found that it was too small.
  if (found.end == SearchResult::End::too_narrow && !engine.is_merge_refuted()) {
    engine.forget_taken();
    found = search_wide(engine, limits, first);
  }
  return found;
}

namespace {

void audit(Engine& engine, const Limits& limits, SearchResult& found) {
  if (found.end != SearchResult::End::complete && found.end != SearchResult::End::violated) return;
  const bool audited =
      audit_programs(engine, limits.repeated_steps, [&] { return proceed(limits, found); });
  if (!engine.failure().empty()) {
    found.end = SearchResult::End::failed;
    found.reason = engine.failure();
  } else if (!engine.undecidable().empty()) {
    found.end = SearchResult::End::limited;
    found.reason = engine.undecidable();
  } else if (!audited && found.end == SearchResult::End::complete) {
    found.end = SearchResult::End::limited;
    found.reason = ended_by_caller;
  }
}

}  // namespace

Verdict verdict_of(Engine& engine, const Limits& limits, SearchResult found, Rehearsal& rehearsal) {
  Verdict verdict;
  verdict.scenario = engine.scenario().name();
  verdict.bounds = engine.scenario().bounds() + limits.bounds();
  verdict.fairness = engine.scenario().fairness_in_words();
  if (engine.why_no_verdict().empty() && engine.merged_local_states() == 0) {
    verdict.coverage = coverage_of(engine);
  }
  audit(engine, limits, found);
  if (found.memory_limit > 0) verdict.bounds += ", " + memory_bound(found.memory_limit);
  verdict.memory_limit = found.memory_limit;
  verdict.violations = found.violations;
  verdict.states = found.states;
  verdict.transitions = found.transitions;
  verdict.depth = found.depth;
  verdict.local_states = engine.local_states();
  verdict.merged_local_states = engine.merged_local_states();
  verdict.bytes_per_state = found.states == 0 ? 0 : found.bytes / found.states;
  verdict.goals = engine.all_happenings().goals();
  judge(verdict, engine, found);
  verdict.trusts = engine.trusts();
  if (verdict.outcome == Outcome::proved) {
    const std::vector<std::string> more = engine.happenings().trusts();
    verdict.trusts.insert(verdict.trusts.end(), more.begin(), more.end());
  }
  verdict.coroutine_runs = engine.coroutine_runs();
  if (verdict.outcome == Outcome::proved) rehearse(verdict, rehearsal);
  return verdict;
}

namespace {

// Where time has no end, `longer` becomes the `longest` with which the search must begin anew.
Verdict explore_once(const Scenario& scenario, const Limits& limits, Duration& longer) {
  Engine engine(scenario, limits);
  Rehearsal rehearsal(engine);
  Verdict verdict = verdict_of(engine, limits, search_whole(engine, limits), rehearsal);
  longer = engine.longer_than_longest();
  return verdict;
}

}  // namespace

Verdict explore(const Scenario& scenario, const Limits& limits) {
  Verdict verdict;
  verdict.reason = mistake_in(scenario);
  if (!verdict.reason.empty()) {
    verdict.outcome = Outcome::invalid;
    verdict.scenario = scenario.name();
    verdict.bounds = scenario.bounds() + limits.bounds();
    return verdict;
  }
  return explore_by(scenario, LongestGuess(scenario),
                    [&limits](const Scenario& settled, Duration& longer) {
                      return explore_once(settled, limits, longer);
                    });
}

namespace {

std::string how_it_goes_on(const Run& run) {
  std::string text =
      *run.loop == run.steps.size()
          ? std::string(", after which nothing ") + (run.fairness.empty() ? "can" : "need") +
                " happen"
          : ", of which those from step " + std::to_string(*run.loop + 1) + " on repeat for ever";
  if (run.owed_since) text += ": " + draw::owed_text(*run.owed_since);
  return text;
}

}  // namespace

std::string describe(const Verdict& verdict) {
  std::string text = verdict.scenario + ": " + std::string(to_string(verdict.outcome));
  if (verdict.outcome == Outcome::violated) {
    text += ": " + verdict.property + ", in " + std::to_string(verdict.run.steps.size()) + " steps";
    if (verdict.run.loop) text += how_it_goes_on(verdict.run);
  }
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  text += "\n  bounds: " + verdict.bounds;
  for (const std::string& promise : verdict.trusts) text += "\n  trusts: " + promise;
  const std::string merged = verdict.merged_local_states == 0
                                 ? ""
                                 : " taken as " + std::to_string(verdict.merged_local_states);
  text += "\n  " + std::to_string(verdict.states) + " states, " +
          std::to_string(verdict.transitions) + " steps tried, depth " +
          std::to_string(verdict.depth) + ", " + std::to_string(verdict.local_states) +
          " local states" + merged + " from " + std::to_string(verdict.coroutine_runs) +
          " coroutine runs\n";
  for (const Goal& goal : verdict.goals) {
    text += std::string("  ") + (goal.reached ? "reached: " : "NOT reached: ") + goal.name + "\n";
  }
  const std::string never = verdict.outcome == Outcome::proved
                                ? verdict.coverage.never_in_words(verdict.coverage.outcomes())
                                : std::string();
  if (!never.empty()) text += "  never: " + never + "\n";
  return text;
}

}  // namespace interlock::sim
