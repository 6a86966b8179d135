// Fault budgets as people write them: `2`, `crash,lost-reply:2`, `1/crash,restart`, `none`. Whether
// pauses count (FaultBudget::pauses) belongs to a scenario; only a text that names pauses changes
// it: `pause:2`, or `pause:free`. `requests:survive` in a list is no fault: it stands for
// FaultBudget::let_requests_survive.
#pragma once

#include <string>
#include <string_view>

#include "interlock/error.hpp"
#include "interlock/sim/faults.hpp"

namespace interlock::sim {

// A number alone allows so many faults of any kinds except pauses. A list allows each of its faults
// once, or as often as its `:N` says; `N/` before it limits their sum. If pauses count in `usual`,
// the scenario's own budget, a text that does not name `pause` allows none, so that `none` never
// allows more than `usual`. `invalid_argument` names the word that is no fault, and all faults.
Result<FaultBudget> parse_faults(std::string_view text, const FaultBudget& usual = {});

// The text of a budget: parse_faults() of it, with the same `usual`, gives the same budget.
std::string to_text(const FaultBudget& budget, const FaultBudget& usual = {});

}  // namespace interlock::sim
