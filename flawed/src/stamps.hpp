// What the stamp locks have in common: instants as text, and answers that know no owner.
#pragma once

#include <optional>
#include <string>

#include "interlock/lock_protocol.hpp"
#include "interlock/store/value.hpp"

namespace interlock::flawed {

// Digits up to the end, or up to a ':', after which an owner may stand.
std::optional<std::int64_t> parse_stamp(const std::optional<std::string>& text);
// A whole number and nothing else, as the shipped scripts take it.
std::optional<std::int64_t> plain_stamp(const std::string& text);

AcquireOutcome busy();
Error not_renewed(const Lease& lease, std::string_view lock);
Lease lease_without_fencing(const LockName& name, const OwnerToken& owner, Ttl ttl, TimePoint sent);

// A script's integer. `indeterminate`: it is none.
Result<std::int64_t> number_of(const Result<Value>& reply);

}  // namespace interlock::flawed
