#include "interlock/sim/faults.hpp"

#include <algorithm>

#include "scenario/fault_table.hpp"

namespace interlock::sim {

std::string_view to_string(Fault fault) noexcept {
  const auto index = static_cast<std::size_t>(fault);
  return index < fault_kinds ? fault_table[index].word : "unknown";
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
