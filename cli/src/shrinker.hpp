// The least that still goes wrong as a run did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "simulated.hpp"

namespace interlock::cli {

// Leaves out steps of the run; then searches the smallest worlds first, with fewer clients and
// attempts than the run's own, until one has a run that violates the same property; then leaves out
// clients, attempts, instants and faults one at a time. So the run's own world may be too large to
// be searched.
class Shrinker {
 public:
  // `run` violates a property. Each search has `limits`; without a limit of its own on states, one
  // that keeps a search within seconds.
  Shrinker(const Chosen& chosen, sim::Run run, sim::Limits limits);

  // True: without any one fault, client, attempt or instant nothing is violated, and no run of what
  // is left is shorter. False: a limit came first, so there may be less.
  bool shrink();

  // The least so far, and the world that it is a run of.
  const sim::Run& run() const { return run_; }
  Outcome<Chosen> chosen() const { return choose_scenario(scenario_, options_); }

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

}  // namespace interlock::cli
