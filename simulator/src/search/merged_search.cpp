#include "interlock/sim/merged_search.hpp"

#include <algorithm>
#include <functional>
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
bool merge_equal_futures(Engine& engine,
                         const MergingLimits& merging,
                         const std::function<bool()>& may_ask) {
  std::vector<std::unique_ptr<EqualFutures>> all;
  std::size_t locals = 0;
  std::size_t classes = 0;
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    if (engine.class_of(client) != client) continue;
    all.push_back(std::make_unique<EqualFutures>(engine.process(client).automaton(),
                                                 merging.members, may_ask));
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

// What a guess may cost. A program that retries for ever has ever more members.
class GuessCost {
 public:
  GuessCost(const Engine& engine, const Limits& limits, double most)
      : engine_(engine), limits_(limits), most_(most), runs_before_(engine.coroutine_runs()) {}

  double work() const { return static_cast<double>(engine_.local_states()) + states() + runs(); }
  // For Limits::proceed of the search that is under way.
  bool proceed(const Progress& progress) {
    progress_ = progress;
    is_ended_ = is_ended_ || (limits_.proceed && !limits_.proceed(progress));
    return !is_ended_;
  }
  // By the caller.
  bool is_ended() const { return is_ended_; }
  // Whether another member may be asked.
  bool is_fair() {
    constexpr std::uint64_t patience = 64;
    if (runs() > most_ + states() || !why_too_large(engine_, limits_).empty()) return false;
    return ++asked_ % patience != 0 || proceed(Progress(progress_));
  }

 private:
  double states() const { return static_cast<double>(progress_.states); }
  double runs() const {
    constexpr double states_per_run = 16;
    return states_per_run * static_cast<double>(engine_.coroutine_runs() - runs_before_);
  }

  const Engine& engine_;
  const Limits& limits_;
  double most_;
  std::uint64_t runs_before_;
  std::uint64_t asked_ = 0;
  Progress progress_;
  bool is_ended_ = false;
};

// Goes on with what a search of `merging.from` states has learned. Each guess that is refuted makes
// the next one better, and has an engine of its own: a wrong guess leads to what no run does.
// Nothing: the guesses have cost too much, or have led to something else than a proof.
std::optional<Verdict> search_merged(const Scenario& scenario,
                                     const Limits& limits,
                                     const MergingLimits& merging,
                                     const std::shared_ptr<LearnedPrograms>& programs,
                                     Rehearsal& rehearsal) {
  double left = merging.effort * static_cast<double>(merging.from);
  while (left >= 0) {
    Engine engine(scenario, limits, programs);
    GuessCost cost(engine, limits, left);
    if (!merge_equal_futures(engine, merging, [&cost] { return cost.is_fair(); })) {
      return std::nullopt;
    }
    Limits watched = limits;
    watched.proceed = [&cost](const Progress& progress) { return cost.proceed(progress); };
    SearchResult found = search_whole(engine, watched);
    if (engine.is_merge_refuted() && engine.failure().empty()) {
      if (cost.is_ended()) return std::nullopt;  // the ordinary search says so
      left -= cost.work();
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
