#include "interlock/lock_protocol.hpp"

namespace interlock {

std::string_view to_string(ReleaseOutcome outcome) noexcept {
  switch (outcome) {
    case ReleaseOutcome::released:
      return "released";
    case ReleaseOutcome::not_holder:
      return "not held any more";
  }
  return "unknown";
}

Task<Result<AcquireOutcome>> LockProtocol::queue_up(
    LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel>, Asks) {
  return try_acquire(std::move(name), std::move(owner), ttl);
}

std::optional<Lease> LockProtocol::lease_by_message(
    const LockName&, const OwnerToken&, Ttl, const Busy&, const std::string&) {
  return std::nullopt;
}

}  // namespace interlock
