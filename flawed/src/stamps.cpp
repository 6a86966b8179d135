#include "stamps.hpp"

#include "interlock/detail/number.hpp"

namespace interlock::flawed {

std::optional<std::int64_t> parse_stamp(const std::optional<std::string>& text) {
  if (!text || text->starts_with('-')) return std::nullopt;
  std::string_view rest = *text;
  const auto stamp = detail::take_number<std::int64_t>(rest);
  return rest.empty() || rest.front() == ':' ? stamp : std::nullopt;
}

std::optional<std::int64_t> plain_stamp(const std::string& text) {
  return detail::parse_number<std::int64_t>(text);
}

AcquireOutcome busy() {
  return Busy(OwnerToken(), std::nullopt, std::nullopt);
}

Error not_renewed(const Lease& lease, std::string_view lock) {
  return {Errc::invalid_argument, "renewing '" + lease.name().text() + "': a " + std::string(lock) +
                                      " cannot be renewed: use lease-lock"};
}

Lease lease_without_fencing(const LockName& name,
                            const OwnerToken& owner,
                            Ttl ttl,
                            TimePoint sent) {
  return {name, owner, FencingToken(), ttl, sent, SafetyMargin()};
}

Result<std::int64_t> number_of(const Result<Value>& reply) {
  if (!reply) return reply.error();
  if (const std::int64_t* number = reply->number()) return *number;
  return Error(Errc::indeterminate, "a script answered with something else than a number");
}

}  // namespace interlock::flawed
