// How a store that may have lost grants keeps its leases apart: it grants nothing new until all
// that it may have forgotten are over.
#pragma once

#include <optional>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// A server that was promoted, or has restarted, may have lost grants. With a quarantine it then
// grants no lock to a new owner for lasts(); renewals and releases go on, and so does a repeated
// claim of the owner whom the server knows. Waiters may take places in a queue, but a release hands
// over to none of them. The same happens with the first request to a new store, which cannot be
// told from one that has lost all. docs/adr/0010 says what that promises and what it rests on.
//
// All clients of a store must have the same quarantine: one without any is granted locks at once,
// and its releases hand them over at once. If they differ, the store keeps to the longest.
class Quarantine {
 public:
  explicit Quarantine(Ttl longest, milliseconds may_write_for = milliseconds{0})
      : longest_ttl(longest), old_primary(may_write_for) {}

  // No lease of the store lasts longer: a protocol refuses a longer ttl.
  Ttl longest_ttl;
  // For how long an old primary may still grant locks after another server was promoted: 0 to 365
  // days.
  milliseconds old_primary;

  // For how long nothing is granted.
  milliseconds lasts() const { return longest_ttl.duration() + old_primary; }
  // `invalid_argument`: a field that is out of its range, with value and range.
  std::optional<Error> wrong() const;
};

}  // namespace interlock

#pragma GCC visibility pop
