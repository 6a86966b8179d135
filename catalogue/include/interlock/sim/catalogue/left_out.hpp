// Properties that a scenario requires, and that are vacuous within the bounds that a user has
// given: a single client excludes nobody.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim::catalogue {

class LeftOut {
 public:
  std::string property;  // the word for its kind: `mutual-exclusion`
  std::string why;
};

class Searched {
 public:
  Verdict verdict;
  std::vector<LeftOut> left_out;
};

// Searches `scenario`, which was built from `entry` with `options`. If some properties are vacuous
// within the bounds, searches once more for the others alone, which `scenario` then requires. But a
// property that `options` name is not left out, and neither is the last one besides `deadlock`:
// then the verdict stays `invalid`.
Searched search_what_can_happen(const CatalogueEntry& entry,
                                const ScheduleOptions& options,
                                Scenario& scenario,
                                const std::function<Verdict(Scenario&)>& search);

}  // namespace interlock::sim::catalogue
