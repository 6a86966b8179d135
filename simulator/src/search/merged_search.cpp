#include "interlock/sim/merged_search.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "audit/rehearsal.hpp"
#include "model/engine.hpp"
#include "process/equal_futures.hpp"
#include "process/learned_programs.hpp"
#include "search/search.hpp"
#include "search/whole_search.hpp"

namespace interlock::sim {
namespace {

constexpr std::uint64_t no_more = ~std::uint64_t{0};

// Predicates look at clients between steps, and liveness is about each of them. Where time has no
// end, programs are also asked what they do an instant earlier.
bool may_merge(const Scenario& scenario, const Limits& limits) {
  return !limits.count_violations && !scenario.requires_liveness() && !scenario.requires_own() &&
         !scenario.requires_kind(PropertyKind::linearizability) && !scenario.endless();
}

// Takes local states whose futures seem equal as one. False, and nothing is changed: that would not
// make the programs smaller by `merging.gain`.
bool merge_equal_futures(Engine& engine, const MergingLimits& merging) {
  std::vector<std::unique_ptr<EqualFutures>> all;
  std::size_t locals = 0;
  std::size_t classes = 0;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    if (engine.class_of(client) != client) continue;
    all.push_back(
        std::make_unique<EqualFutures>(engine.process(client).automaton(), merging.members));
    locals += all.back()->locals();
    classes += all.back()->count();
  }
  if (static_cast<double>(locals) < merging.gain * static_cast<double>(classes)) return false;
  auto next = all.begin();
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    if (engine.class_of(client) == client) engine.process(client).merge(std::move(*next++));
  }
  return true;
}

// Whether the search may end so without the ordinary one. A violation is told as the ordinary
// search finds it, and so is whatever is wrong with a program.
bool is_final(const Engine& engine, const Limits& limits, const SearchResult& found) {
  const bool ended =
      found.end == SearchResult::End::complete || found.end == SearchResult::End::limited;
  return ended && engine.why_no_verdict().empty() && why_too_large(engine, limits).empty();
}

// Goes on with what a search of `merging.from` states has learned. Each guess that is refuted makes
// the next one better, and has an engine of its own: a wrong guess leads to what no run does.
// Nothing: the guesses have cost too much, or have led to something else than a proof.
std::optional<Verdict> search_merged(const Scenario& scenario,
                                     const Limits& limits,
                                     const MergingLimits& merging,
                                     const std::shared_ptr<LearnedPrograms>& programs,
                                     Rehearsal& rehearsal) {
  constexpr std::uint64_t states_per_run = 16;
  const double most_work = merging.effort * static_cast<double>(merging.from);
  std::uint64_t work = 0;
  while (static_cast<double>(work) <= most_work) {
    Engine engine(scenario, limits, programs);
    if (!merge_equal_futures(engine, merging)) return std::nullopt;
    const std::uint64_t runs = engine.coroutine_runs();
    SearchResult found = search_whole(engine, limits);
    if (engine.is_merge_refuted() && engine.failure().empty()) {
      work +=
          engine.local_states() + found.states + states_per_run * (engine.coroutine_runs() - runs);
      continue;
    }
    if (!is_final(engine, limits, found)) return std::nullopt;
    Verdict verdict = verdict_of(engine, limits, std::move(found), rehearsal);
    const bool known = verdict.outcome == Outcome::proved || verdict.outcome == Outcome::incomplete;
    return known ? std::optional(std::move(verdict)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Verdict explore_merged(const Scenario& scenario,
                       const Limits& limits,
                       const MergingLimits& merging) {
  if (!may_merge(scenario, limits) || !mistake_in(scenario).empty()) {
    return explore(scenario, limits);
  }
  MergingLimits now = merging;
  for (;;) {
    Engine engine(scenario, limits);
    Rehearsal rehearsal(engine);
    Limits first = limits;
    first.states = std::min(limits.states, now.from);
    SearchResult found = search_whole(engine, first);
    const bool is_large = found.end == SearchResult::End::limited && found.states >= first.states &&
                          engine.why_no_verdict().empty();
    if (!is_large || first.states == limits.states) {
      return verdict_of(engine, limits, std::move(found), rehearsal);
    }
    auto merged = search_merged(scenario, limits, now, engine.programs(), rehearsal);
    if (merged) return *merged;
    // The next try costs little beside what was searched until then.
    constexpr std::uint64_t later = 64;
    now.from = now.from > no_more / later ? no_more : (now.from + 1) * later;
  }
}

}  // namespace interlock::sim
