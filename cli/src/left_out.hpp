// Properties that a scenario requires by itself, and about which nothing can happen within bounds
// that somebody else has given: two clients cannot be inside at one time where there is one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "simulated.hpp"

namespace interlock::cli {

class LeftOut {
 public:
  std::string property;  // the word for its kind: `mutual-exclusion`
  std::string why;
};

class Searched {
 public:
  sim::Verdict verdict;
  std::vector<LeftOut> left_out;
};

// Searches `chosen`. Where the bounds leave nothing to prove of some properties, searches once more
// for the others alone, which are then the ones that `chosen` requires: a proof of these is worth
// having. But a property that was asked for by name is not left out, and neither is the last one
// besides `deadlock`: then the verdict stays `invalid`.
Searched search_what_can_happen(Chosen& chosen,
                                const std::function<sim::Verdict(const sim::Scenario&)>& search);

}  // namespace interlock::cli
