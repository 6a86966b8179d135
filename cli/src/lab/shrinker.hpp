// Makes a run that violates a property minimal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

// Removes steps of the run. Then it searches the worlds with fewer clients and attempts than the
// run's own, the smallest first, until one has a run that violates the same property. Then it
// removes clients, attempts, instants and faults one at a time. So the run's own world may be too
// large to be searched.
class Shrinker {
 public:
  // `run` violates a property. Each search has `limits`; if these have the default limit on states,
  // a limit that keeps a search within seconds.
  Shrinker(const Chosen& chosen, sim::Run run, sim::Limits limits);

  // True: without any one fault, client, attempt or instant no property is violated, and no run of
  // the remaining world is shorter. False: a limit was reached first, so a smaller run may exist.
  bool shrink();

  // The smallest run so far, and its world.
  const sim::Run& run() const { return run_; }
  Fallible<Chosen> chosen() const { return choose_scenario(scenario_, options_); }

 private:
  class Size {
   public:
    std::size_t clients;
    std::size_t attempts;
  };
  std::vector<Size> sizes() const;
  void trim();
  bool find_small_world();
  bool one_less();
  bool accept(const sim::ScheduleOptions& options);

  sim::ScheduleOptions options_;
  std::string scenario_;
  std::string property_;
  sim::Limits limits_;
  sim::Run run_;
  bool limited_ = false;
};

// A run that violates a property, made small, and its world.
class Shrunk {
 public:
  Chosen chosen;
  sim::Run run;
  bool shortest;  // no smaller world, and no shorter run in it, breaks the same
};
Shrunk shrunk(const Chosen& chosen, const sim::Run& run, const sim::Limits& limits);

}  // namespace interlock::cli
