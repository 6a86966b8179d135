// What a search needs besides its states and tables to go on from the beginning of a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/names.hpp"
#include "model/engine.hpp"

namespace interlock::sim {

// How much an engine has learned, of each kind.
using EngineSizes = std::array<std::uint64_t, 9 + Permutation::count>;

inline EngineSizes sizes_of(Engine& engine) {
  const Vocabulary& words = engine.vocabulary();
  EngineSizes sizes{engine.local_states(),   engine.coroutine_runs(),   engine.stores().size(),
                    engine.monitor().size(), engine.budgets().size(),   words.replies.size(),
                    words.mark_lists.size(), words.choice_lists.size(), engine.channels().size()};
  for (std::size_t client = 0; client < engine.clients(); ++client) {
    sizes[sizes.size() - Permutation::count + client] = engine.process(client).size();
  }
  return sizes;
}

class SearchPlace {
 public:
  std::uint64_t faults = 0;
  std::uint64_t depth = 0;
  std::uint64_t faulty = 0;       // 1: the steps that are a fault come next
  std::uint64_t at = 0;           // the state that is expanded next
  std::uint64_t level_begin = 0;  // of the level that is found now
  std::uint64_t level = 0;        // counted through all faults
  std::uint64_t states = 0;
  std::uint64_t slot_bits = 0;  // of the table of states
  std::uint64_t lessons = 0;    // how many of them it has had
  std::uint64_t transitions = 0;
  std::uint64_t deepest = 0;
  std::uint64_t violations = 0;
  std::uint64_t violated = 0;  // the property, and where: as in Search
  std::uint64_t violation_state = 0;
  std::uint64_t violation_is_step = 0;
  std::uint64_t violation_step = 0;
  std::uint64_t level_of_violation = 0;
  EngineSizes sizes{};

  // Shows each number to `look`, in one order, in which a checkpoint has them.
  template <class Place, class Look>
  static void each_number(Place& place, Look look) {
    for (auto* number :
         {&place.faults, &place.depth, &place.faulty, &place.at, &place.level_begin, &place.level,
          &place.states, &place.slot_bits, &place.lessons, &place.transitions, &place.deepest,
          &place.violations, &place.violated, &place.violation_state, &place.violation_is_step,
          &place.violation_step, &place.level_of_violation}) {
      look(*number);
    }
    for (auto& size : place.sizes) look(size);
  }
};

}  // namespace interlock::sim
