// Whether a step that a caller expects is possible, and why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/sim/faults.hpp"

namespace interlock::sim {

// The next step of a client's task, a request that a client has left behind, the passing of time,
// or a kind of fault and whom it happens to. Either it is possible, or there is a reason why not.
class ExpectedStep {
 public:
  std::optional<std::size_t> client;  // as an index into Run::clients; none: another one's
  std::string task;                   // of a client's own step; empty: its main task
  std::optional<std::size_t> server;  // of a server's fault, counted from 0
  std::optional<Fault> fault;         // none: no fault
  bool late = false;                  // a request that the client left behind arrives
  // RunStep::code of the possible steps that are this; empty: it is not possible.
  std::vector<std::uint32_t> codes;
  // Empty if it is possible. That of a client's own step is read after the client's name: `sleeps:
  // time must pass first`.
  std::string why_not;

  bool is_possible() const { return !codes.empty(); }
  // It is a client's, and no fault.
  bool is_own() const { return client && !fault && !late; }
};

}  // namespace interlock::sim
