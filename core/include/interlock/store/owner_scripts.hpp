// claim, renew, release: each looks at a lock's owner and acts, in one piece. From any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "interlock/store/keyspace.hpp"
#include "interlock/store/script.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// KEYS and ARGV are those of one call; each script takes a batch as well (ScriptBatch), in which
// all ttls are the same, and so are all `kept`: for how many ms a counter is kept from now on, the
// ttl and a Retention.

// KEYS lock, fencing counter. ARGV owner, ttl in ms, kept.
// [1, fencing token] claimed, or claimed before by the same owner: the ttl starts anew, the fencing
//                    token stays. That makes it harmless to claim again after a lost reply.
// [0, holder, remaining ms or -1, held for ms or -1] somebody else's.
// The fencing token is max(previous + 1, the store's clock in microseconds). It grows even if the
// counter, or the last grants on a replica that was promoted, have been lost, unless the clock has
// also been set back behind the last grant. A counter that no grant can have written (not a number
// from 1 to 2^53 - 1) counts as lost. The Lua answers a grant with the bare fencing token.
const Script& claim_script();

// The claim of one lock at a store with quarantines (interlock/quarantine.hpp). KEYS also: the
// store's incarnation_key(). ARGV also: how long a quarantine lasts, in ms. A grant is answered
// with the bare fencing token, and while there is a quarantine, all but the owner of the lock get:
// [0, OwnerToken::quarantine, how long it lasts in ms, -1].
const Script& quarantined_claim_script();

// KEYS lock, fencing counter. ARGV owner, ttl in ms, kept. 1 renewed; 0 no such key; -1 somebody
// else's. In the last two cases nothing has changed. A renewal puts off the end of the counter if
// less than half of the retention would follow the lease.
const Script& renew_script();

// For how many ms the holder has held a lock, by its counter: the last token is the store's time of
// the grant. Too few if the store's clock was set back since. -1: unknown, as with a foreign
// holder, which counts nothing.
std::int64_t held_ms(const Keyspace& keyspace,
                     const Entry& holder,
                     const std::optional<Entry>& counter);

// KEYS lock. ARGV owner, channel. 1: it is released, and a message published on the channel. 0:
// there is no such key, and a message published, because the key may have been deleted without one.
// -1: another owner has it, and nothing is published. In the last two cases nothing has changed.
const Script& release_script();

}  // namespace interlock

#pragma GCC visibility pop
