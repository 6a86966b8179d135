// Asks a strategy of a user, which may throw or answer what is impossible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/strategy.hpp"

namespace interlock::sim {

// Whether the strategy begins a run of this number. False with `failure`: it threw.
bool begins_run(Strategy& strategy, std::uint64_t run, std::string& failure);

// The index of the choice that it takes. None with `failure`: it threw, or there is no such choice.
// None without: the strategy ends the run.
std::optional<std::size_t> choice_of(Strategy& strategy,
                                     const Run& so_far,
                                     const std::vector<RunStep>& choices,
                                     std::string& failure);

}  // namespace interlock::sim
