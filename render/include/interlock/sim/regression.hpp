// A run that has failed once, as a test that keeps it from coming back.
#pragma once

#include <string>
#include <vector>

#include "interlock/sim/run.hpp"

namespace interlock::sim {

// The scenario of the test, in C++.
class RegressionSource {
 public:
  std::vector<std::string> includes;  // `interlock/sim/catalogue.hpp`
  // An expression that makes it: `*interlock::sim::catalogue::build("del-setnx-lock", {})`.
  std::string scenario;
  std::string repair;      // what to write there instead to test the repair; may be empty
  std::string written_by;  // the command that writes this file again
};

// A file for GoogleTest over interlock/sim/testing.hpp, which the component simulator_testing
// installs. One test lets the clients take their steps in the order of the run (holds_in_order()),
// one searches all runs. Both fail as long as the scenario is broken.
std::string regression_test(const Run& run, const RegressionSource& source);

// The run's steps as holds_in_order() reads them: `1 1 2 t 2`; those that repeat for ever are
// in brackets.
std::string order_of(const Run& run);

}  // namespace interlock::sim
