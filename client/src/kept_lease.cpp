#include "kept_lease.hpp"

#include "client_core.hpp"

namespace interlock {

void KeptLease::on_taken(Fate fate) {
  if (const auto core = lease_->core()) core->end_section(*lease_, fate);
  is_done_.store(true, std::memory_order_release);
}

std::shared_ptr<ActiveLease> KeptLease::take() noexcept {
  std::shared_ptr<ActiveLease> lease = std::move(lease_);
  is_done_.store(true, std::memory_order_release);
  return lease;
}

}  // namespace interlock
