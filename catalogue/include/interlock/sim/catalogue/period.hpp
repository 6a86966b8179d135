// A job that runs once in a period, on whichever machine gets its lock first.
#pragma once

#include <cstddef>

#include "interlock/sim/scenario.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sim::catalogue {

class PeriodOptions {
 public:
  PeriodOptions() = default;

  Ttl ttl{std::chrono::seconds{2}};
  // What a release leaves held; zero: nothing, the release frees the lock.
  Duration stays{std::chrono::seconds{3}};
  // For how long the holder expects that nobody else runs, from the grant's answer on.
  Duration period{std::chrono::seconds{3}};
  Duration runs{0};     // the job
  bool renews = false;  // once, when the job has run
};

inline constexpr const char* period_lock_name = "nightly";

// One try. A client that gets the lock runs and releases it. If the release succeeds, it believes
// until the end of its period, by its own clock, that nobody else runs.
Program periodic_job(PeriodOptions options);

// `clients` such clients. Requires that nobody is granted the lock while another runs, or before
// the period of one that has run and released it is over.
Scenario period_scenario(std::size_t clients, PeriodOptions options, std::size_t instants);

}  // namespace interlock::sim::catalogue
