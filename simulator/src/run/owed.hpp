// Where a run owes what a leads_to() promises.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/engine.hpp"
#include "model/snapshot.hpp"

namespace interlock::sim {

// The first of these successive states in which the property's `from` holds, if its `to` holds
// neither there nor in a later one; none: the last of them owes nothing.
std::optional<std::size_t> owed_since(Engine& engine,
                                      const Property& property,
                                      const std::vector<WideState>& states);

// The same for a run without an end: after the last of the states, those from `loop` on come again.
std::optional<std::size_t> owed_for_ever(Engine& engine,
                                         const Property& property,
                                         const std::vector<WideState>& states,
                                         std::size_t loop);

}  // namespace interlock::sim
