// Searches that do not see all runs: random runs (explore --random, --pct), and bits of states
// (explore --bitstate). A run that broke a property is shrunk.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "interlock/sim/bitstate_search.hpp"
#include "interlock/sim/random_search.hpp"
#include "lab/finished_search.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

class PartialSearch {
 public:
  PartialSearch(Chosen in, sim::Verdict of) : chosen(std::move(in)), verdict(std::move(of)) {}

  Chosen chosen;  // the world of the verdict's run
  sim::Verdict verdict;
  // The run that broke a property, before it was shrunk.
  std::size_t steps_before_shrinking = 0;
  bool shortest = false;  // no smaller world, and no shorter run in it, breaks the same
  // What this way of searching tells of itself.
  nlohmann::ordered_json more;  // in the JSON
  std::string explored;         // `10 random runs, 83 steps, seed 1`
  std::string afterwards;       // whole lines below that one
  std::string broke_it;         // `run 3 broke it in 12 steps`
};

// Both search `chosen`, again with the names that clients of a command have reported, and shrink
// what they find by searches with these limits.
PartialSearch search_by_chance(Chosen& chosen,
                               const sim::RandomSearch& how,
                               const sim::Limits& limits,
                               const SearchWatch& watch);
PartialSearch search_by_bits(Chosen& chosen,
                             const sim::BitstateSearch& how,
                             const sim::Limits& limits,
                             const SearchWatch& watch);

// Fills in `json` and `figures` of the search that `partial` is.
void tell(FinishedSearch& search, const PartialSearch& partial, const DrawingFlags& drawing);

}  // namespace interlock::cli
