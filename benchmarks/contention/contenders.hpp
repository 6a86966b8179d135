// The clients of one process, which contend for the lock.
#pragma once

#include "board.hpp"
#include "settings.hpp"

namespace interlock::contention {

// Runs clients `first` to `first + clients - 1`, each on a thread of its own, until all processes
// together have had their sections.
void run_process(int first, int clients, const ContentionSettings& settings, SectionBoard& board);

}  // namespace interlock::contention
