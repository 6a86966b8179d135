// Which bounds a verdict tells where the search has guessed the longest time.
#pragma once

#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// `settled` is what was searched: `asked`, with a guess if it leaves the longest open. If something
// is `longer` than any guess may be, the guess says nothing about this world.
inline const Scenario& told_of(const Scenario& asked, const Scenario& settled, Duration longer) {
  const bool open = asked.endless() && !asked.longest();
  return open && longer > asked.apart() * Scenario::longest_max ? asked : settled;
}

}  // namespace interlock::sim
