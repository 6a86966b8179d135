// The search that keeps bits of states (explore --bitstate), and what a run that broke a property
// was shrunk to.
#pragma once

#include <utility>

#include "interlock/sim/bitstate_search.hpp"
#include "lab/finished_search.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

class ByBits {
 public:
  ByBits(Chosen in, sim::BitstateVerdict met)
      : chosen(std::move(in)), found(std::move(met)), verdict(found.verdict) {}

  Chosen chosen;               // the world of the verdict's run
  sim::BitstateVerdict found;  // before it was shrunk
  sim::Verdict verdict;
  bool shortest = false;  // no smaller world, and no shorter run in it, breaks the same
};

// Searches `chosen`, again with the names that clients of a command have reported, and shrinks what
// it finds by searches with these limits.
ByBits search_bits(Chosen& chosen,
                   const sim::BitstateSearch& how,
                   const sim::Limits& limits,
                   const SearchWatch& watch);

// Fills in `json` and `figures` of the search that `bits` is.
void tell(FinishedSearch& search, const ByBits& bits, const DrawingFlags& drawing);

}  // namespace interlock::cli
