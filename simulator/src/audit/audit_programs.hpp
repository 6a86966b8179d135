// At the end of a search: all programs of a scenario, each by itself and then all together.
#pragma once

#include <functional>

#include "model/engine.hpp"

namespace interlock::sim {

// Writes what it finds into Engine::audited(). Asks `proceed` after each run of a program; false:
// it has ended the check.
// `repeated_steps`: Limits::repeated_steps.
bool audit_programs(Engine& engine,
                    std::uint64_t repeated_steps,
                    const std::function<bool()>& proceed);

}  // namespace interlock::sim
