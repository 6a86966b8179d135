// What the sections on the board say: rate, waits, hand-offs, and who had how many.
#pragma once

#include <nlohmann/json.hpp>

#include "board.hpp"
#include "settings.hpp"

namespace interlock::contention {

nlohmann::ordered_json figures(const ContentionSettings& settings, SectionBoard& board);

}  // namespace interlock::contention
