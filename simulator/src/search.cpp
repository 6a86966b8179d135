#include "search.hpp"

#include <algorithm>
#include <array>

#include "expand.hpp"
#include "liveness.hpp"
#include "state_set.hpp"
#include "symmetry.hpp"
#include "world.hpp"

namespace interlock::sim {
namespace {

template <class S>
class Search {
 public:
  Search(Engine& engine, const Limits& limits)
      : engine_(engine), limits_(limits), symmetry_(engine) {}

  SearchResult run(const WideState& from) {
    levels_.emplace_back();
    levels_[0].push_back(Level{0, 0});
    S first{};
    for (std::size_t lane = 0; lane < engine_.lanes(); ++lane) first.set(lane, from[lane]);
    symmetry_.arrange(first);
    take_in(first, StateSet<S>::hash(first), Origin());
    levels_[0][0].end = states_.size();

    const std::size_t most_faults = engine_.scenario().faults().total();
    for (faults_ = 0; faults_ <= most_faults && !over_; ++faults_) {
      if (faults_ > 0) levels_.emplace_back(1, Level{0, 0});
      for (std::size_t depth = 1; !over_ && level_is_possible(depth); ++depth) explore(depth);
    }
    if (!over_ && result_.violated == 0 && engine_.scenario().requires_liveness()) look_for_lasso();
    return finish();
  }

 private:
  class Level {
   public:
    std::size_t begin;
    std::size_t end;
  };
  class Found {
   public:
    S state;
    std::uint64_t hash;
    Origin origin;
  };
  // Found states wait here while the memory that decides about them is being fetched.
  static constexpr std::size_t ahead = 32;

  bool level_is_possible(std::size_t depth) const {
    const std::vector<Level>& mine = levels_[faults_];
    const bool more = mine[depth - 1].end > mine[depth - 1].begin;
    return more || (faults_ > 0 && depth <= levels_[faults_ - 1].size());
  }

  void explore(std::size_t depth) {
    const std::size_t begin = states_.size();
    expand_all(levels_[faults_][depth - 1], depth, &Search::expand_ordinary);
    if (faults_ > 0 && depth <= levels_[faults_ - 1].size()) {
      expand_all(levels_[faults_ - 1][depth - 1], depth, &Search::expand_faulty);
    }
    while (waiting_ > 0 && !over_) settle_oldest();
    levels_[faults_].push_back(Level{begin, states_.size()});
    if (states_.size() > begin) result_.depth = std::max(result_.depth, depth);
    ask_caller(depth);
  }

  void ask_caller(std::size_t depth) {
    if (!over_ && !proceed(depth)) stop("ended by its caller");
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

  void look_for_lasso() {
    Liveness<S> liveness(engine_, states_, [this] { return proceed(result_.depth); });
    const LivenessResult found = liveness.look();
    graph_bytes_ = found.bytes;
    if (found.stopped) return stop("ended by its caller");
    if (found.violated == 0) {
      if (!found.time_ends_for.empty()) stop(found.time_ends_for);
      return;
    }
    result_.violated = found.violated;
    ++result_.violations;
    way_to(found.entry);
    result_.loop = result_.path.size();
    result_.path.insert(result_.path.end(), found.loop.begin(), found.loop.end());
  }

  void expand_all(Level level, std::size_t depth, void (Search::*expand)(std::size_t)) {
    // A level may take minutes: its caller is asked some hundred times a second.
    constexpr std::size_t patience = 16'384;
    for (std::size_t at = level.begin; at < level.end && !over_; ++at) {
      if (at % 1024 == 0) check_limits();
      if (at % patience == patience - 1) ask_caller(depth);
      if (!over_) (this->*expand)(at);
    }
    check_limits();
  }

  auto sink(std::size_t from) {
    return [this, from](const S& next, const Brief& detail) { found(next, from, detail); };
  }
  void expand_ordinary(std::size_t at) {
    const S state = states_[at];
    auto emit = sink(at);
    Expander<S, Brief, decltype(emit)>(engine_, emit).ordinary(state);
  }
  void expand_faulty(std::size_t at) {
    const S state = states_[at];
    auto emit = sink(at);
    Expander<S, Brief, decltype(emit)>(engine_, emit).faulty(state);
  }

  void found(const S& next, std::size_t from, const Brief& detail) {
    ++result_.transitions;
    result_.goals |= detail.goals;
    const Origin origin{static_cast<std::uint32_t>(from), detail.action.code()};
    if (detail.violation != 0) violate(detail.violation, origin);
    if (over_) return;
    if (waiting_ == ahead) settle_oldest();
    Found& place = found_[(oldest_ + waiting_) % ahead];
    ++waiting_;
    place.state = next;
    symmetry_.arrange(place.state);
    place.hash = StateSet<S>::hash(place.state);
    place.origin = origin;
    states_.prefetch_slot(place.hash);
    if (waiting_ > ahead / 2) {
      states_.prefetch_state(found_[(oldest_ + waiting_ - ahead / 2) % ahead].hash);
    }
  }

  void settle_oldest() {
    const Found& found = found_[oldest_];
    oldest_ = (oldest_ + 1) % ahead;
    --waiting_;
    take_in(found.state, found.hash, found.origin);
  }

  void take_in(const S& state, std::uint64_t hash, Origin origin) {
    if (!states_.insert(state, hash, origin)) return;
    if (!looks_at_states_) return;
    WideState wide{};
    for (std::size_t lane = 0; lane < engine_.lanes(); ++lane) wide.set(lane, state[lane]);
    const std::uint16_t violation = check_state(engine_, wide);
    if (violation != 0) violate(violation, origin);
  }

  void violate(std::uint16_t property, Origin origin) {
    if (result_.violated == 0) {
      result_.violated = property;
      violation_ = origin;
    }
    ++result_.violations;
    if (!limits_.count_violations) over_ = true;
  }

  void check_limits() {
    if (over_) return;
    if (!engine_.failure().empty()) {
      over_ = true;
    } else if (!engine_.broken_promise().empty()) {
      stop(engine_.broken_promise());
    } else if (states_.size() >= limits_.states) {
      stop("the limit of " + std::to_string(limits_.states) + " states was reached");
    } else if (engine_.too_large()) {
      stop("a program has more than " + std::to_string(limits_.local_states) +
           " local states: does it retry for ever? Bound it, or add a loop_head");
    } else if (sizeof(typename S::Lane) == 2 && engine_.largest_number() > 65'535) {
      over_ = true;
    }
  }

  void stop(std::string reason) {
    over_ = true;
    result_.end = SearchResult::End::limited;
    result_.reason = std::move(reason);
  }

  SearchResult finish() {
    result_.states = states_.size();
    result_.bytes = states_.bytes() + graph_bytes_;
    if (!engine_.failure().empty()) {
      result_.end = SearchResult::End::failed;
      result_.reason = engine_.failure();
      return std::move(result_);
    }
    if (sizeof(typename S::Lane) == 2 && engine_.largest_number() > 65'535) {
      result_.end = SearchResult::End::too_narrow;
      return std::move(result_);
    }
    if (result_.violated != 0) {
      result_.end = SearchResult::End::violated;
      if (!result_.loop) {
        way_to(violation_.parent);
        result_.path.push_back(Action::from_code(violation_.action));
      }
    }
    return std::move(result_);
  }

  void way_to(std::size_t state) {
    for (std::size_t at = state; at != 0; at = states_.origin(at).parent) {
      result_.path.push_back(Action::from_code(states_.origin(at).action));
    }
    std::reverse(result_.path.begin(), result_.path.end());
  }

  static bool looks_at_states(const Scenario& scenario) {
    const std::vector<Property>& all = scenario.properties();
    return std::any_of(all.begin(), all.end(), [](const Property& property) {
      return property.kind == Property::Kind::no_orphan ||
             property.kind == Property::Kind::no_lost_wake_up ||
             property.kind == Property::Kind::predicate;
    });
  }

  Engine& engine_;
  const Limits& limits_;
  Symmetry symmetry_;
  StateSet<S> states_;
  bool looks_at_states_ = looks_at_states(engine_.scenario());
  std::vector<std::vector<Level>> levels_;  // by faults, then by depth
  std::size_t faults_ = 0;
  std::array<Found, ahead> found_{};
  std::size_t oldest_ = 0;
  std::size_t waiting_ = 0;
  bool over_ = false;
  Origin violation_;
  std::size_t graph_bytes_ = 0;
  SearchResult result_;
};

}  // namespace

SearchResult search_narrow(Engine& engine, const Limits& limits, const WideState& first) {
  using Lane = std::uint16_t;
  if (engine.lanes() <= 8) return Search<State<Lane, 8>>(engine, limits).run(first);
  if (engine.lanes() <= 12) return Search<State<Lane, 12>>(engine, limits).run(first);
  return Search<State<Lane, 16>>(engine, limits).run(first);
}

SearchResult search_wide(Engine& engine, const Limits& limits, const WideState& first) {
  using Lane = std::uint32_t;
  if (engine.lanes() <= 8) return Search<State<Lane, 8>>(engine, limits).run(first);
  return Search<State<Lane, 16>>(engine, limits).run(first);
}

}  // namespace interlock::sim
