// The exhaustive search itself, as search.cpp runs it, and resumable_search.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "model/state_properties.hpp"
#include "search/liveness.hpp"
#include "search/search.hpp"
#include "search/search_place.hpp"
#include "search/state_loader.hpp"
#include "search/state_set.hpp"
#include "search/step_check.hpp"
#include "search/successors.hpp"
#include "search/team_work.hpp"
#include "search/ways.hpp"

namespace interlock::sim {

// `Keeper` keeps what is needed to go on later: Checkpointer; one whose `keeps` is false costs
// nothing.
template <class S, class Keeper>
class Search {
 public:
  Search(Engine& engine, const Limits& limits, Keeper& keeper)
      : engine_(engine),
        limits_(limits),
        keeper_(keeper),
        most_states_(std::min(limits.states, engine.widths().states)),
        successors_(engine, !limits.count_violations) {
    if (limits.team != nullptr && limits.team->size() > 1) {
      team_.emplace(*limits.team, successors_, states_);
    }
  }

  SearchResult run(const WideState& from, const OwedProperties& owed) {
    levels_.emplace_back();
    if (!states_.has_memory() || successors_.out_of_memory()) return without_memory();
    S first{};
    for (std::size_t component = 0; component < engine_.components(); ++component)
      first.set(component, from[component]);
    successors_.add_first(first, share_);
    if (!take_in(share_)) return without_memory();
    judge(share_);
    if (result_.violated != 0)
      return engine_.why_no_verdict().empty() ? broken_at_once() : finish();
    if (full_) check_limits();  // there was room for no state at all
    result_.transitions = 0;
    levels_[0].push_back(Level{0, states_.size()});

    std::size_t depth = 1;
    if constexpr (Keeper::keeps) depth = go_back();
    const std::size_t most_faults = engine_.scenario().faults().total();
    for (; faults_ <= most_faults && !over_; ++faults_, depth = 1) {
      if (faults_ == levels_.size()) levels_.emplace_back(1, Level{0, 0});
      for (; !over_ && level_is_possible(depth); ++depth) explore(depth);
    }
    if (!over_ && result_.violated == 0 && engine_.scenario().requires_liveness()) {
      look_for_lasso(owed);
    }
    return finish();
  }

 private:
  bool level_is_possible(std::size_t depth) const {
    const std::vector<Level>& mine = levels_[faults_];
    const bool more = mine[depth - 1].end > mine[depth - 1].begin;
    return more || (faults_ > 0 && depth <= levels_[faults_ - 1].size());
  }

  void explore(std::size_t depth) {
    level_begin_ = states_.size();
    bool ordinary = true;
    if constexpr (Keeper::keeps) {
      if (resumed_) level_begin_ = resumed_->level_begin;
      ordinary = !resumed_ || resumed_->faulty == 0;
    }
    const std::size_t begin = level_begin_;
    ++level_;
    if (ordinary) expand_all(levels_[faults_][depth - 1], depth, Steps::ordinary);
    if (faults_ > 0 && depth <= levels_[faults_ - 1].size()) {
      expand_all(levels_[faults_ - 1][depth - 1], depth, Steps::faulty);
    }
    levels_[faults_].push_back(Level{begin, states_.size()});
    if (states_.size() > begin) result_.depth = std::max(result_.depth, depth);
    ask_caller(depth);
  }

  void ask_caller(std::size_t depth) {
    if (over_) return;
    if (!proceed(depth)) return stop_at_limit(std::string(ended_by_caller));
    if constexpr (Keeper::keeps) {
      if (keeper_.is_due()) keeper_.write(states_, levels_, successors_.lessons());
    }
  }

  bool proceed(std::size_t depth) const {
    if (!limits_.proceed) return true;
    Progress progress;
    progress.states = states_.size();
    progress.transitions = result_.transitions;
    progress.depth = depth;
    progress.faults = faults_;
    return limits_.proceed(progress);
  }

  void look_for_lasso(const OwedProperties& owed) {
    Liveness<S> liveness(engine_, states_, levels_, limits_.memory,
                         [this] { return proceed(result_.depth); });
    const LivenessResult found = liveness.look(owed);
    graph_bytes_ = found.bytes;
    if (found.over_limit) return stop_at_memory_limit();
    if (found.out_of_memory) return stop_for_memory();
    if (found.stopped) return stop_at_limit(std::string(ended_by_caller));
    if (found.violated == 0) {
      if (!found.time_ends_for.empty()) stop(found.time_ends_for);
      return;
    }
    result_.violated = found.violated;
    ++result_.violations;
    result_.path = found.way;
    result_.loop = result_.path.size();
    result_.path.insert(result_.path.end(), found.loop.begin(), found.loop.end());
  }

  void expand_all(Level level, std::size_t depth, Steps which) {
    // A level may take minutes: its caller is asked some hundred times a second.
    constexpr std::size_t patience = 16'384;
    std::size_t since = 0;
    const std::size_t block = block_of(level);
    std::size_t at = level.begin;
    if constexpr (Keeper::keeps) {
      if (resumed_) at = resumed_->at;
      resumed_.reset();
    }
    for (; at < level.end && !over_; at += block) {
      check_limits();
      // Not before the limits: one of them may have cut off what was found in the block before.
      if constexpr (Keeper::keeps) {
        if (!over_) keeper_.mark(place(at, depth, which));
      }
      if (since >= patience) ask_caller(depth);
      since = since >= patience ? block : since + block;
      if (over_) break;
      expand_block(at, std::min(at + block, level.end), which);
      if (over_ && result_.violated != 0 && which == Steps::ordinary)
        look_for_deadlock(at, level.end);
    }
    check_limits();
  }

  // A step breaks a property, and the search ends. But a state of this level that was not looked at
  // yet may be a deadlock, which is a counterexample with a step less.
  void look_for_deadlock(std::size_t begin, std::size_t end) {
    if (deadlock_ == 0) return;
    auto emit = [](const S&, const Transition&) {};
    Expander<S, Transition, decltype(emit)> expander(engine_, emit);
    for (std::size_t at = begin; at < end; ++at) {
      if (!expander.is_deadlock(states_[at])) continue;
      return violate(deadlock_, ViolationPlace{static_cast<std::uint32_t>(at), std::nullopt});
    }
  }

  // The search expands this many states before it takes in what it has found, which stays in the
  // cache meanwhile. The number must not depend on threads: if the search ends early, its figures
  // depend on it.
  static std::size_t block_of(Level level) {
    return std::clamp<std::size_t>((level.end - level.begin) / 8, 1024, 4096);
  }

  void expand_block(std::size_t begin, std::size_t end, Steps which) {
    if (team_ && end - begin >= limits_.team_from && !near_limit(end - begin)) {
      const bool done = team_->work(begin, end, which) && !successors_.out_of_memory();
      if (!done) return stop_for_memory();
      for (std::size_t at = 0; at < team_->shares(); ++at) judge(team_->share(at));
      return;
    }
    share_.clear();
    for (std::size_t at = begin; at < end && !share_.last; ++at) {
      successors_.add(states_[at], static_cast<std::uint32_t>(at), which, share_);
    }
    if (successors_.out_of_memory() || !take_in(share_)) return stop_for_memory();
    judge(share_);
  }

  // One thread stops at the limit itself, a team only behind a whole block. Hardly any state has
  // more successors than this.
  bool near_limit(std::size_t states) const {
    constexpr std::size_t successors = 64;
    return states_.size() + states * successors > most_states_;
  }

  // False: there is not enough memory.
  bool take_in(Share<S>& share) {
    constexpr std::size_t far = 24;
    constexpr std::size_t near = 12;
    std::vector<Found<S>>& found = share.found;
    std::array<std::uint32_t, StateSet<S>::parts> in_parts{};
    for (const Found<S>& one : found) ++in_parts[StateSet<S>::part_of(one.hash)];
    if (!states_.reserve(in_parts)) return false;
    if (states_.size() + found.size() > most_states_) {
      take_in_up_to_limit(share);
      return true;
    }
    for (std::size_t at = 0; at < found.size(); ++at) {
      if (at + far < found.size()) states_.prefetch_slot(found[at + far].hash);
      if (at + near < found.size()) states_.prefetch_state(found[at + near].hash);
      Found<S>& one = found[at];
      one.is_new = states_.insert(one.state, one.hash, one.origin);
    }
    return true;
  }

  // The first state too many ends the search: what was found after it does not count.
  void take_in_up_to_limit(Share<S>& share) {
    for (std::size_t at = 0; at < share.found.size(); ++at) {
      Found<S>& one = share.found[at];
      const bool full = states_.size() >= most_states_;
      full_ = full && states_.find(one.state) == StateSet<S>::absent;
      if (full_) {
        share.found.resize(at);
        share.last.reset();
        return;
      }
      one.is_new = !full && states_.insert(one.state, one.hash, one.origin);
    }
  }

  void judge(const Share<S>& share) {
    for (const std::uint32_t state : share.deadlocks) {
      if (deadlock_ != 0 && !over_) violate(deadlock_, ViolationPlace{state, std::nullopt});
    }
    result_.transitions += share.found.size() + (share.last ? 1 : 0);
    for (const Found<S>& found : share.found) {
      if (!looks_at_states_ && !looks_at_steps_ && !share.has_violations) break;
      if (over_) return;
      if (found.violation != 0) violate(found.violation, place_of(found));
      if (looks_at_steps_ && level_ > 0 && !over_) check_step_to(found);
      if (looks_at_states_ && found.is_new) check(found);
    }
    if (!share.last || over_) return;
    violate(share.last->violation, place_of(*share.last));
  }

  void check(const Found<S>& found) {
    const Breach breach = breach_in_some_arrangement(engine_, widened(engine_, found.state));
    if (breach.property != 0) violate(breach.property, place_of(found));
  }

  void check_step_to(const Found<S>& found) {
    const std::uint32_t from = found.origin.parent;
    const std::uint16_t broken = step_check_.look(from, states_[from], found.origin.action);
    if (broken != 0) violate(broken, place_of(found));
  }

  // Where a property is broken: in a state, or by a step from that state.
  class ViolationPlace {
   public:
    std::uint32_t state = 0;
    std::optional<Action> step;
  };
  static ViolationPlace place_of(const Found<S>& found) {
    return ViolationPlace{found.origin.parent, Action::from_code(found.origin.action)};
  }

  void violate(std::uint16_t property, ViolationPlace where) {
    // A state of a level is nearer than a step from that level.
    const bool nearer = violation_.step && !where.step && level_of_violation_ == level_;
    if (!over_) ++result_.violations;
    if (result_.violated == 0 || nearer) {
      result_.violated = property;
      violation_ = where;
      level_of_violation_ = level_;
    }
    if (!limits_.count_violations) over_ = true;
  }

  void check_limits() {
    if (over_) return;
    if (!engine_.failure().empty()) {
      over_ = true;
    } else if (!engine_.undecidable().empty()) {
      stop(engine_.undecidable());
    } else if (engine_.is_merge_refuted()) {
      over_ = true;
    } else if (full_ || states_.size() > most_states_) {
      stop_at_limit("the limit of " + std::to_string(most_states_) + " states was reached");
    } else if (std::string why = why_too_large(engine_, limits_); !why.empty()) {
      stop(std::move(why));
    } else if (bytes() > limits_.memory) {
      stop_at_memory_limit();
    } else if (!has_room_to_learn()) {
      stop_for_memory();
    } else if (is_too_narrow()) {
      over_ = true;
    }
  }

  bool is_too_narrow() const {
    return sizeof(typename S::Number) == 2 && engine_.largest_number() > 65'535;
  }

  std::size_t bytes() const {
    return states_.bytes() + graph_bytes_ + successors_.bytes() + share_.bytes() +
           (team_ ? team_->bytes() : 0) + engine_.bytes();
  }

  // Whether there is memory for what the next block of states may learn: that goes into small
  // tables, each of which may double. If nothing was learned since the last call, there is.
  bool has_room_to_learn() {
    constexpr std::size_t least = std::size_t{8} << 20;
    const std::size_t now = bytes() - states_.bytes() - graph_bytes_;
    if (now == learned_) return true;
    learned_ = now;
    return has_memory_for(least + 2 * now);
  }

  std::string states_text() const {
    return std::to_string(states_.size()) + (states_.size() == 1 ? " state" : " states");
  }

  void stop_at_memory_limit() {
    if (over_) return;
    result_.memory_limit = limits_.memory;
    stop_at_limit("the limit of " + size_text(limits_.memory) + " of memory was reached, with " +
                  states_text());
  }

  // The free memory may differ next time, so the verdict names a limit that ends the search here.
  void stop_for_memory() {
    if (over_) return;
    constexpr std::uint64_t kibi = 1024;
    const std::uint64_t kept = bytes();
    result_.memory_limit = kept > kibi ? (kept - 1) / kibi * kibi : 1;
    stop_at_limit("there is no memory left: with " + states_text() + " the search keeps " +
                  about(bytes()));
  }

  SearchResult without_memory() {
    stop_for_memory();
    return finish();
  }

  // Another search, with more of what there was too little of, can go on from here.
  void stop_at_limit(std::string reason) {
    is_limited_ = true;
    stop(std::move(reason));
  }

  void stop(std::string reason) {
    over_ = true;
    result_.end = SearchResult::End::limited;
    result_.reason = std::move(reason);
  }

  SearchResult broken_at_once() {
    result_.end = SearchResult::End::failed;
    result_.reason =
        broken_before_first_step(engine_.scenario().properties()[result_.violated - 1U]);
    return std::move(result_);
  }

  // Before a block: everything that the search has kept, but for states and levels, is in it.
  SearchPlace place(std::size_t at, std::size_t depth, Steps which) const {
    SearchPlace place;
    place.faults = faults_;
    place.depth = depth;
    place.faulty = which == Steps::faulty ? 1 : 0;
    place.at = at;
    place.level_begin = level_begin_;
    place.level = level_;
    place.states = states_.size();
    place.slot_bits = static_cast<std::uint64_t>(states_.slot_bits());
    place.lessons = successors_.lessons().size();
    place.transitions = result_.transitions;
    place.deepest = result_.depth;
    place.violations = result_.violations;
    place.violated = result_.violated;
    place.violation_state = violation_.state;
    place.violation_is_step = violation_.step ? 1 : 0;
    place.violation_step = violation_.step.value_or(Action()).code();
    place.level_of_violation = level_of_violation_;
    place.sizes = sizes_of(engine_);
    return place;
  }

  // To where the checkpoint was written, if the search is to go on with one. Returns the depth of
  // the level that comes next.
  std::size_t go_back() {
    const std::optional<SearchPlace> there = keeper_.resumed();
    if (!there) return 1;
    StateLoader<S> loader(engine_, limits_, *there);
    const LoadResult loaded = loader.load(keeper_.source(), states_, levels_, successors_,
                                          [this, &there] { return proceed(there->depth); });
    if (loaded == LoadResult::ended) stop_at_limit(std::string(ended_by_caller));
    if (loaded == LoadResult::over_limit) stop_at_memory_limit();
    if (loaded == LoadResult::out_of_memory) stop_for_memory();
    if (loaded == LoadResult::refused) stop(keeper_.refuse(loader.why_refused()));
    keeper_.close_source();
    // Also of a search that a limit ends here: what is in the checkpoint was found.
    kept_states_ = there->states;
    result_.transitions = there->transitions;
    result_.depth = there->deepest;
    if (over_) return 1;
    take_up(*there);
    resumed_ = there;
    return there->depth;
  }

  void take_up(const SearchPlace& place) {
    faults_ = place.faults;
    level_ = place.level - 1;  // explore() counts it
    result_.violations = place.violations;
    result_.violated = static_cast<std::uint16_t>(place.violated);
    violation_.state = static_cast<std::uint32_t>(place.violation_state);
    if (place.violation_is_step != 0)
      violation_.step = Action::from_code(static_cast<std::uint32_t>(place.violation_step));
    level_of_violation_ = place.level_of_violation;
  }

  SearchResult finish() {
    result_.states = std::max<std::uint64_t>(states_.size(), kept_states_);
    result_.bytes = states_.bytes() + graph_bytes_;
    engine_.ask_again();
    if constexpr (Keeper::keeps) {
      const bool sound = engine_.why_no_verdict().empty() && !is_too_narrow();
      if (is_limited_ && sound) keeper_.write_last(states_, levels_, successors_.lessons());
    }
    if (!engine_.failure().empty()) {
      result_.end = SearchResult::End::failed;
      result_.reason = engine_.failure();
      return std::move(result_);
    }
    if (!engine_.undecidable().empty()) {
      // Also of a violation: it may have been found since then.
      result_.end = SearchResult::End::limited;
      result_.reason = engine_.undecidable();
      return std::move(result_);
    }
    if (is_too_narrow()) {
      result_.end = SearchResult::End::too_narrow;
      return std::move(result_);
    }
    if (result_.violated != 0) {
      result_.end = SearchResult::End::violated;
      if (!result_.loop) {
        result_.path = way_to(states_, violation_.state);
        if (violation_.step) result_.path.push_back(*violation_.step);
      }
    }
    return std::move(result_);
  }

  Engine& engine_;
  const Limits& limits_;
  Keeper& keeper_;
  const std::uint64_t most_states_;
  Successors<S, Keeper::keeps> successors_;
  StateSet<S> states_;
  std::optional<TeamWork<S, Keeper::keeps>> team_;
  Share<S> share_;
  const bool looks_at_states_ = looks_at_states(engine_.scenario());
  const bool looks_at_steps_ = looks_at_steps(engine_.scenario());
  StepCheck step_check_{engine_};
  const std::uint16_t deadlock_ = number_of_deadlock(engine_.scenario());  // 0: it is allowed
  Levels levels_;
  std::size_t faults_ = 0;
  bool over_ = false;
  bool is_limited_ = false;  // a search with other limits can go on
  bool full_ = false;        // a state more was refused
  std::size_t learned_ = 0;  // bytes of all but the states, when it was last looked at
  ViolationPlace violation_;
  std::size_t level_ = 0;  // counted through all faults
  std::size_t level_of_violation_ = 0;
  std::size_t level_begin_ = 0;         // the first state of the level that is found now
  std::optional<SearchPlace> resumed_;  // until the search stands there again
  std::uint64_t kept_states_ = 0;       // in the checkpoint from which it goes on
  std::size_t graph_bytes_ = 0;
  SearchResult result_;
};

}  // namespace interlock::sim
