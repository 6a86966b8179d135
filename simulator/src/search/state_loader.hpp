// Takes a search back to where its checkpoint was written: its states are read, and what it had
// learned is learned again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/engine.hpp"
#include "search/checkpoint_file.hpp"
#include "search/search_place.hpp"
#include "search/state_set.hpp"
#include "search/successors.hpp"
#include "search/ways.hpp"

namespace interlock::sim {

enum class LoadResult : std::uint8_t { loaded, refused, ended, over_limit, out_of_memory };

// States and their origins are written in parts of so many.
inline constexpr std::size_t states_in_part = 4096;

template <class S>
class StateLoader {
 public:
  StateLoader(Engine& engine, const Limits& limits, const SearchPlace& place)
      : engine_(engine), limits_(limits), place_(place) {}

  // `states` holds the first state alone, and `levels` the level of it. `proceed`: as
  // Limits::proceed.
  LoadResult load(CheckpointReader& from,
                  StateSet<S>& states,
                  Levels& levels,
                  Successors<S, true>& successors,
                  const std::function<bool()>& proceed) {
    constexpr std::uint64_t most_bits = 31;
    const std::size_t most_faults = engine_.scenario().faults().total();
    if (place_.slot_bits > most_bits || place_.states < 1 || place_.faults > most_faults) {
      return refuse_as_unsound();
    }
    const std::uint64_t least = place_.states * (sizeof(S) + sizeof(Origin)) +
                                (std::uint64_t{sizeof(std::uint32_t)} << place_.slot_bits);
    if (least > limits_.memory) return LoadResult::over_limit;
    if (!states.grow_to(static_cast<int>(place_.slot_bits))) return LoadResult::out_of_memory;
    if (!read_levels(from, levels) || !read_happenings(from)) return refuse_as_unsound();
    LoadResult result = read_states(from, states, proceed);
    if (result != LoadResult::loaded) return result;
    result = learn(from, states, successors, proceed);
    if (result != LoadResult::loaded) return result;
    if (!from.is_sound() || !from.is_at_end()) return refuse_as_unsound();
    for (std::size_t at = 0; at < states.size(); ++at) {
      if (!is_known(states[at])) return refuse_as_unlike();
    }
    return LoadResult::loaded;
  }
  const std::string& why_refused() const { return why_refused_; }

 private:
  LoadResult refuse_as_unsound() {
    why_refused_ = "it is damaged: begin the search anew";
    return LoadResult::refused;
  }
  LoadResult refuse_as_unlike() {
    why_refused_ =
        "the clients do not do what they did when it was written: begin the search anew, and give "
        "another identity to other programs";
    return LoadResult::refused;
  }

  // Whether the components of the state have a meaning.
  bool is_known(const S& state) const {
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      if (state[client] >= engine_.process(client).size()) return false;
    }
    for (std::size_t server = 0; server < engine_.servers(); ++server) {
      if (state[engine_.store_component(server)] >= engine_.stores().size()) return false;
    }
    for (std::size_t beyond = engine_.components(); beyond < S::components; ++beyond) {
      if (state[beyond] != 0) return false;
    }
    return state[engine_.monitor_component()] < engine_.monitor().size() &&
           state[engine_.time_component()] <= engine_.last_instant &&
           state[engine_.budget_component()] < engine_.budgets().size();
  }

  bool read_levels(CheckpointReader& from, Levels& levels) const {
    Levels all(1);
    std::uint64_t end = 0;
    for (std::uint64_t faults = 0; faults <= place_.faults && from.is_sound(); ++faults) {
      all.resize(static_cast<std::size_t>(faults) + 1);
      const std::uint64_t count = from.number();
      for (std::uint64_t at = 0; at < count && from.is_sound(); ++at) {
        const Level level{static_cast<std::size_t>(from.number()),
                          static_cast<std::size_t>(from.number())};
        const bool empty = level.begin == level.end;
        if (level.end > place_.states || level.begin > level.end) return false;
        if (!empty && level.begin != end) return false;
        if (!empty) end = level.end;
        all.back().push_back(level);
      }
    }
    if (!from.is_sound() || !is_within(all)) return false;
    levels = std::move(all);
    return true;
  }

  // Whether the place is one in these levels.
  bool is_within(const Levels& levels) const {
    const auto faults = static_cast<std::size_t>(place_.faults);
    const auto depth = static_cast<std::size_t>(place_.depth);
    if (depth == 0 || levels[faults].size() != depth || place_.level == 0) return false;
    if (place_.faulty > 1 || (place_.faulty == 1 && faults == 0)) return false;
    const std::vector<Level>& mine = levels[faults - (place_.faulty == 1 ? 1 : 0)];
    if (depth > mine.size() || place_.level_begin > place_.states) return false;
    const Level& level = mine[depth - 1];
    return place_.at >= level.begin && place_.at < level.end &&
           place_.violation_state < place_.states &&
           place_.violated <= engine_.scenario().properties().size();
  }

  bool read_happenings(CheckpointReader& from) {
    const std::uint64_t count = from.number();
    for (std::uint64_t at = 0; at < count && from.is_sound(); ++at) {
      const std::uint64_t kind = from.number();
      const std::string subject = from.text();
      if (kind >= Happening::kinds) return false;
      engine_.happenings().note(static_cast<HappeningKind>(kind), subject);
    }
    return from.is_sound();
  }

  LoadResult read_states(CheckpointReader& from,
                         StateSet<S>& states,
                         const std::function<bool()>& proceed) {
    std::vector<S> part(states_in_part);
    std::vector<Origin> origins(states_in_part);
    for (std::uint64_t begin = 0; begin < place_.states; begin += states_in_part) {
      if (!proceed()) return LoadResult::ended;
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(states_in_part, place_.states - begin));
      from.bytes(part.data(), count * sizeof(S));
      from.bytes(origins.data(), count * sizeof(Origin));
      if (!from.is_sound()) return refuse_as_unsound();
      std::array<std::uint32_t, StateSet<S>::parts> in_parts{};
      for (std::size_t at = 0; at < count; ++at)
        ++in_parts[StateSet<S>::part_of(StateSet<S>::hash(part[at]))];
      if (!states.reserve(in_parts)) return LoadResult::out_of_memory;
      if (states.bytes() > limits_.memory) return LoadResult::over_limit;
      for (std::size_t at = 0; at < count; ++at) {
        if (!take(part[at], origins[at], states)) return refuse_as_unsound();
      }
    }
    return LoadResult::loaded;
  }

  // The first state is there already.
  bool take(const S& state, const Origin& origin, StateSet<S>& states) {
    constexpr auto kinds = static_cast<std::uint32_t>(ActionKind::first_fault) + fault_kinds;
    if (is_first_) {
      is_first_ = false;
      return state == states[0];
    }
    if (origin.parent >= states.size()) return false;
    if (Action::from_code(origin.action).kind_number() >= kinds) return false;
    return states.insert(state, StateSet<S>::hash(state), origin);
  }

  LoadResult learn(CheckpointReader& from,
                   const StateSet<S>& states,
                   Successors<S, true>& successors,
                   const std::function<bool()>& proceed) {
    constexpr std::uint64_t patience = 64;
    Share<S> share;
    for (std::uint64_t at = 0; at < place_.lessons; ++at) {
      if (at % patience == 0 && !proceed()) return LoadResult::ended;
      std::uint32_t entry = 0;
      from.bytes(&entry, sizeof entry);
      const std::uint32_t number = Lessons::state_in(entry);
      if (!from.is_sound() || number >= states.size()) return refuse_as_unsound();
      if (!is_known(states[number])) return refuse_as_unlike();
      share.clear();
      successors.add(states[number], number, Lessons::steps_in(entry), share);
      if (successors.out_of_memory()) return LoadResult::out_of_memory;
      const bool taught = successors.lessons().size() == at + 1 && engine_.why_no_verdict().empty();
      if (!taught || !are_there(share, states)) return refuse_as_unlike();
    }
    return sizes_of(engine_) == place_.sizes ? LoadResult::loaded : refuse_as_unlike();
  }

  // Whether the search had found all of them.
  static bool are_there(const Share<S>& share, const StateSet<S>& states) {
    if (share.last) return false;
    return std::all_of(share.found.begin(), share.found.end(), [&states](const Found<S>& one) {
      return states.find(one.state) != StateSet<S>::absent;
    });
  }

  Engine& engine_;
  const Limits& limits_;
  const SearchPlace& place_;
  bool is_first_ = true;
  std::string why_refused_;
};

}  // namespace interlock::sim
