// Fault budgets as people write them: `2`, `crash,lost-reply:2`, `1/crash,restart`, `none`.
#pragma once

#include <string>
#include <string_view>

#include "interlock/error.hpp"
#include "interlock/sim/faults.hpp"

namespace interlock::sim {

// A number alone allows so many faults of any kinds but pauses. A list allows each of its faults
// once, or as often as its `:N` says; `N/` before it limits their sum. `invalid_argument` names the
// word that is no fault, and all that are.
Result<FaultBudget> parse_faults(std::string_view text);

// The way back: parse_faults() of it gives the same budget.
std::string to_text(const FaultBudget& budget);

}  // namespace interlock::sim
