// An exhaustive search that takes local states of a program as one if the program does the same in
// them from then on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// When explore_merged() tries to merge. Tests of the search choose other values.
class MergingLimits {
 public:
  std::uint64_t from = 20'000;   // states: a smaller search does not try
  double gain = 2;               // at least: all local states, divided by those that it tells apart
  double effort = 0.125;         // at most: work for guesses, divided by `from`; below 0 nothing
  std::size_t members = 20'000;  // at most: local states of a program that it has to ask
};

// As explore(), usually in fewer states if it finds local states with equal futures. Whether their
// futures are equal is found by running the program, also with answers that it gets in no run of
// the scenario: it must not end the process then, nor go on for ever without a request. Whatever
// else it does then is in no verdict. docs/adr/0016-equal-futures.md says why.
//
// The verdict is that of explore() but for its figures, its coverage, which is empty if local
// states were merged, and the extent of the samples that `trusts` tells of. Where a limit makes
// that of explore() `incomplete`, this one may be `proved`.
//
// It merges nothing where time has no end, where liveness, linearizability or a predicate is
// required, and with Limits::count_violations. A search that tries and merges nothing takes up to
// three times as long. Any thread may call this; see client.hpp about threads.
Verdict explore_merged(const Scenario& scenario,
                       const Limits& limits = {},
                       const MergingLimits& merging = {});

}  // namespace interlock::sim
