#include "interlock/sim/faults.hpp"

#include <algorithm>

namespace interlock::sim {

std::string_view to_string(Fault fault) noexcept {
  switch (fault) {
    case Fault::crash:
      return "crash";
    case Fault::pause:
      return "pause";
    case Fault::unreachable:
      return "unreachable";
    case Fault::lost_request:
      return "lost-request";
    case Fault::lost_reply:
      return "lost-reply";
    case Fault::late_execution:
      return "late-execution";
    case Fault::duplicate:
      return "duplicate";
    case Fault::rejected:
      return "rejected";
    case Fault::lost_message:
      return "lost-message";
    case Fault::restart:
      return "restart";
    case Fault::restart_empty:
      return "restart-empty";
    case Fault::failover:
      return "failover";
    case Fault::eviction:
      return "eviction";
    case Fault::clock_jump:
      return "clock-jump";
    case Fault::clock_back:
      return "clock-back";
    case Fault::drift:
      return "drift";
  }
  return "unknown";
}

FaultBudget FaultBudget::any(std::size_t count) {
  FaultBudget budget;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    if (fault != Fault::pause) budget.allow(fault, count);
  }
  return budget.at_most(count);
}

FaultBudget& FaultBudget::allow(Fault fault, std::size_t count) {
  limits_[static_cast<std::size_t>(fault)] = count;
  return *this;
}

FaultBudget& FaultBudget::at_most(std::size_t total) {
  at_most_ = total;
  return *this;
}

FaultBudget& FaultBudget::pauses(std::size_t count) {
  pauses_count_ = true;
  return allow(Fault::pause, count);
}

FaultBudget& FaultBudget::let_requests_survive() {
  requests_survive_ = true;
  return *this;
}

std::size_t FaultBudget::total() const {
  std::size_t sum = 0;
  for (const std::size_t limit : limits_) sum += std::min(limit, count_max);
  return at_most_ ? std::min(sum, *at_most_) : sum;
}

}  // namespace interlock::sim
