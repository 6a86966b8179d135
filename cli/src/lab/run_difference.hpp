// Two runs as text, with the same step of both on one line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/alignment.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::cli {

// The rows of align(), with the steps as the schedules say them: beside each other from 120
// columns on, below each other otherwise, also without `columns`. The first difference is marked,
// and long stretches that are the same are left out.
std::string difference_text(const sim::Schedule& one,
                            const sim::Schedule& other,
                            const std::vector<sim::AlignedRow>& rows,
                            std::optional<std::size_t> columns);

}  // namespace interlock::cli
