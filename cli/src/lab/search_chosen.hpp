// The exhaustive search of a scenario or of a command.
#pragma once

#include <functional>

#include "interlock/sim/catalogue/left_out.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

// Searches `chosen` as sim::catalogue::search_what_can_happen does, and again with the names that
// clients of a command have reported.
// Fails if the clients of a command cannot be searched.
Fallible<sim::catalogue::Searched> search_chosen(
    Chosen& chosen, const std::function<sim::Verdict(const sim::Scenario&)>& search);

}  // namespace interlock::cli
