#include "kept_lease.hpp"

#include "client_core.hpp"

namespace interlock {

void KeptLease::on_taken(Fate fate) {
  if (const auto core = lease_->core()) core->end_section(*lease_, fate);
}

}  // namespace interlock
