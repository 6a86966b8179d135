#include "interlock/sim/faults.hpp"

#include <algorithm>

#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

// A switch, because the compiler warns of a fault that it does not list. A new fault is in the
// list, in fault_kinds and in fault_table, or the build says so.
constexpr bool is_known(Fault fault) {
  switch (fault) {
    case Fault::crash:
    case Fault::pause:
    case Fault::unreachable:
    case Fault::lost_request:
    case Fault::lost_reply:
    case Fault::late_execution:
    case Fault::duplicate:
    case Fault::rejected:
    case Fault::lost_message:
    case Fault::restart:
    case Fault::restart_empty:
    case Fault::failover:
    case Fault::eviction:
    case Fault::clock_jump:
    case Fault::clock_back:
    case Fault::drift:
    case Fault::client_restart:
    case Fault::lost_write:
    case Fault::late_write:
    case Fault::duplicate_write:
      return true;
  }
  return false;
}
static_assert(is_known(static_cast<Fault>(fault_kinds - 1)));
static_assert(!is_known(static_cast<Fault>(fault_kinds)));

}  // namespace

std::string_view to_string(Fault fault) noexcept {
  return is_known(fault) ? fault_kind(fault).word : "unknown";
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
