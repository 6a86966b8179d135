// Properties that a scenario requires, and that are vacuous within the bounds that a user has
// given: a single client excludes nobody.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "lab/simulated.hpp"

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

// Searches `chosen`. If some properties are vacuous within the bounds, searches once more for the
// others alone, which `chosen` then requires. But a property that the user named is not left out,
// and neither is the last one besides `deadlock`: then the verdict stays `invalid`.
// Fails if the clients of a command cannot be searched.
Fallible<Searched> search_what_can_happen(
    Chosen& chosen, const std::function<sim::Verdict(const sim::Scenario&)>& search);

}  // namespace interlock::cli
