// Candidates that lead one after the other, and observers who learn of it: core's locks, proclaim
// and LeaderObserver, unchanged.
#pragma once

#include <cstddef>

#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

class ElectionOptions {
 public:
  ElectionOptions();

  MakeLock lock;  // makes a QueueLock with simulated_queue_policy(), unless another is set
  Ttl ttl{std::chrono::seconds{2}};
  Duration wait{std::chrono::seconds{3}};  // of a candidate
  Duration leads{0};                       // for so long, unless it crashes
  bool proclaims_again = false;            // another value, before it resigns
  // For how long an observer observes.
  Duration observes{std::chrono::seconds{2}};
  // How late an observer may be told of a leader: because their clocks differ (Fault::drift), or
  // until the lease that it has seen is over, if messages may be lost.
  Duration told_within{0};
};

// The events that an observer reports, and the last one a leader, each the subject of a never().
namespace broken_election {
inline constexpr const char* goes_back = "an observer is told of an earlier leader again";
inline constexpr const char* mixed_up = "an observer is told what another leader has said";
inline constexpr const char* out_of_date = "an observer is told too late who leads";
inline constexpr const char* unsaid = "a leader has an error in place of a proclamation";
}  // namespace broken_election

inline constexpr const char* election_name = "scheduler";

Program candidate(ElectionOptions options);
Program observer(ElectionOptions options);

// Requires that leaders exclude each other within their leases, and that no event of
// `broken_election` happens, except `unsaid`, which is only offered.
Scenario election_scenario(std::size_t candidates,
                           std::size_t observers,
                           ElectionOptions options,
                           std::size_t instants);

}  // namespace interlock::sim::catalogue
