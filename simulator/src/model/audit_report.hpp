// What the audit of the programs has found out (audit/audit_programs.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace interlock::sim {

class AuditReport {
 public:
  // How many rounds of a loop are compared at most.
  static constexpr std::uint32_t rounds_max = 256;

  class OfProgram {
   public:
    bool twins_are_alike = false;  // all exchanges of their names were tried, and none mattered
    std::uint32_t rounds_compared = 0;
  };

  explicit AuditReport(std::size_t clients) : programs(clients) {}

  std::vector<OfProgram> programs;  // by the first client that runs it
  std::uint32_t runs = 0;           // of all programs
  std::string failure;              // why the scenario is invalid; empty: it is not
  std::string broken_promise;       // why no verdict is possible; empty: none was broken
};

}  // namespace interlock::sim
