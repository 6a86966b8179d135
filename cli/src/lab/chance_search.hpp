// Random runs (explore --random, --pct), and what one that broke a property was shrunk to.
#pragma once

#include <cstdint>
#include <utility>

#include "interlock/sim/random_search.hpp"
#include "lab/finished_search.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

class ByChance {
 public:
  ByChance(Chosen in, sim::RandomVerdict met, std::uint64_t with_seed)
      : chosen(std::move(in)), found(std::move(met)), seed(with_seed), verdict(found.verdict) {}

  Chosen chosen;             // the world of the verdict's run
  sim::RandomVerdict found;  // before it was shrunk
  std::uint64_t seed;
  sim::Verdict verdict;
  bool shortest = false;  // no smaller world, and no shorter run in it, breaks the same
};

// Searches `chosen` at random, again with the names that clients of a command have reported, and
// shrinks what it finds.
ByChance take_chances(Chosen& chosen,
                      const sim::RandomSearch& random,
                      const sim::Limits& limits,
                      const SearchWatch& watch);

// Fills in `json` and `figures` of the search that `chance` is.
void tell(FinishedSearch& search, const ByChance& chance, const DrawingFlags& drawing);

}  // namespace interlock::cli
