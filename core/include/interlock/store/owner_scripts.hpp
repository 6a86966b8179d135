// claim, renew, release: each looks at a lock's owner and acts, in one piece. From any thread.
#pragma once

#include <optional>

#include "interlock/store/script.hpp"

namespace interlock {

// KEYS and ARGV are those of one call; each script takes a batch as well (ScriptBatch), in which
// all ttls are the same.

// KEYS lock, fencing counter. ARGV owner, ttl in ms.
// [1, fencing token] claimed, or claimed before by the same owner: the ttl starts anew, the fencing
//                    token stays. That makes it harmless to claim again after a lost reply.
// [0, holder, remaining ms or -1, held for ms or -1] somebody else's.
// The fencing token is max(previous + 1, the store's clock in microseconds). It grows even if the
// counter, or the last grants on a replica that was promoted, have been lost, unless the clock has
// also been set back behind the last grant. A counter that no grant can have written (not a number
// from 1 to 2^53 - 1) counts as lost. The Lua answers a grant with the bare fencing token.
const Script& claim_script();

// KEYS lock, fencing counter. ARGV owner, ttl in ms. 1 renewed; 0 no such key; -1 somebody else's.
// In the last two cases nothing has changed. If the end of the counter is near, a renewal puts it
// off.
const Script& renew_script();

// How long the holder has had a lock, from what is left of its fencing counter's time (PTTL): the
// counter is made to end two days after a grant, 400 days with a ttl of more than a day or once a
// lock has been held for a day. None for a counter without expiry, and none for no counter.
std::optional<milliseconds> held_for(std::optional<milliseconds> counter_left);

// KEYS lock. ARGV owner, channel. 1: it is released, and a message published on the channel. 0:
// there is no such key, and a message published, because the key may have been deleted without one.
// -1: another owner has it, and nothing is published. In the last two cases nothing has changed.
const Script& release_script();

}  // namespace interlock
