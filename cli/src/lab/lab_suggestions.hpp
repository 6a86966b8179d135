// What the completion in a shell offers for searches.
#pragma once

#include "console/suggestions.hpp"

namespace interlock::cli {

// The scenarios, with their summaries.
Suggestions scenario_names();
// Lists: `crash,lost-reply:2`, `1/crash`.
Suggestions fault_names();
// Lists. If a scenario was typed before, only its own.
Suggestions property_names();

}  // namespace interlock::cli
