// claim, renew and release: the steps that look at a lock's owner and act, in one piece.
#pragma once

#include "interlock/script.hpp"

namespace interlock {

// KEYS lock, fencing counter. ARGV owner, ttl in ms.
// [1, fencing token] claimed, or claimed before by the same owner: the ttl starts anew, the fencing
//                    token stays. That makes it harmless to claim again after a lost reply.
// [0, holder, remaining ms or -1, held for ms or -1] somebody else's.
// The fencing token is max(previous + 1, the store's clock in microseconds), so that it grows even
// if the counter was lost, unless the clock has also been set back behind the last grant. The
// counter is kept for a day past the ttl; after that the clock alone is enough.
const Script& claim_script();

// KEYS lock, fencing counter, whose end it puts off when that comes near. ARGV owner, ttl in ms. 1
// renewed; 0 no such key; -1 somebody else's. In the last two cases nothing has changed.
const Script& renew_script();

// KEYS lock. ARGV owner, channel. 1 released, and the channel told; 0 no such key; -1 somebody
// else's. In the last two cases nothing has changed and nobody was told.
const Script& release_script();

}  // namespace interlock
