// Workloads, faults and schedules for RapidCheck. All shrink towards fewer clients, fewer faults
// and fewer preemptions.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "interlock/sim/faults.hpp"

namespace interlock::sim::gen {

// At most `most` faults, of these kinds.
inline rc::Gen<FaultBudget> faults(std::size_t most, std::initializer_list<Fault> kinds) {
  const std::vector<Fault> all(kinds);
  return rc::gen::map(
      rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, all.size())),
      [all, most](std::vector<std::size_t> drawn) {
        FaultBudget budget;
        drawn.resize(std::min(drawn.size(), most));
        for (const std::size_t at : drawn) {
          if (all[at] == Fault::pause) {
            budget.pauses(budget.limit(Fault::pause) + 1);
          } else {
            budget.allow(all[at], budget.limit(all[at]) + 1);
          }
        }
        return budget;
      });
}

// How many clients, and how often each tries.
class Workload {
 public:
  std::size_t clients = 1;
  std::size_t attempts = 1;
};
inline rc::Gen<Workload> workload(std::size_t clients_most, std::size_t attempts_most) {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange<std::size_t>(1, clients_most + 1),
                                    rc::gen::inRange<std::size_t>(1, attempts_most + 1)),
                      [](const std::pair<std::size_t, std::size_t>& drawn) {
                        Workload workload;
                        workload.clients = drawn.first;
                        workload.attempts = drawn.second;
                        return workload;
                      });
}

// For run_of_choices(): 0 lets the current client go on.
inline rc::Gen<std::vector<std::uint32_t>> schedule() {
  return rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 64));
}

}  // namespace interlock::sim::gen
