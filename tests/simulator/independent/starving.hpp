// Whether somebody may wait for ever for a lock: the answer to every_waiter_acquires().
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "trial.hpp"

namespace interlock::sim::independent {

class Starving {
 public:
  bool too_large = false;
  // The rules that are broken from the nearest world from which somebody can wait for ever, and how
  // near it is. None: nobody can.
  std::set<std::string> broken;
  int faults = 0;
  int steps = 0;
  // Somebody could if time did not end, and nobody can as it is.
  bool if_time_did_not_end = false;
};

Starving who_starves(const Trial& trial, std::size_t worlds_max);

}  // namespace interlock::sim::independent
