// The exhaustive search with components of 16 or 32 bits, and as many of them as the scenario
// needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/breadth_first.hpp"
#include "search/search.hpp"

namespace interlock::sim {

// search_narrow() and search_wide() with such a keeper: Search.
template <class Keeper>
SearchResult search_in_16_bits(Engine& engine,
                               const Limits& limits,
                               const WideState& first,
                               const OwedProperties& owed,
                               Keeper& keeper) {
  engine.begin_search(first);
  const auto search = [&]<std::size_t components>() {
    return Search<State<std::uint16_t, components>, Keeper>(engine, limits, keeper)
        .run(first, owed);
  };
  if (engine.components() <= 8) return search.template operator()<8>();
  if (engine.components() <= 12) return search.template operator()<12>();
  return search.template operator()<16>();
}
template <class Keeper>
SearchResult search_in_32_bits(Engine& engine,
                               const Limits& limits,
                               const WideState& first,
                               const OwedProperties& owed,
                               Keeper& keeper) {
  engine.begin_search(first);
  const auto search = [&]<std::size_t components>() {
    return Search<State<std::uint32_t, components>, Keeper>(engine, limits, keeper)
        .run(first, owed);
  };
  if (engine.components() <= 8) return search.template operator()<8>();
  return search.template operator()<16>();
}

}  // namespace interlock::sim
