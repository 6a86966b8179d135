// The exhaustive search with components of 16 or 32 bits, and as many of them as the scenario
// needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/breadth_first.hpp"
#include "search/search.hpp"

namespace interlock::sim {

// Search with such numbers, which are of 16 or 32 bits, and with such a keeper.
template <class Number, class Keeper>
SearchResult search_with(Engine& engine,
                         const Limits& limits,
                         const WideState& first,
                         const OwedProperties& owed,
                         Keeper& keeper) {
  engine.begin_search(first);
  const auto search = [&]<std::size_t components>() {
    return Search<State<Number, components>, Keeper>(engine, limits, keeper).run(first, owed);
  };
  if (engine.components() <= 8) return search.template operator()<8>();
  if constexpr (sizeof(Number) == sizeof(std::uint16_t)) {
    if (engine.components() <= 12) return search.template operator()<12>();
  }
  return search.template operator()<16>();
}

}  // namespace interlock::sim
