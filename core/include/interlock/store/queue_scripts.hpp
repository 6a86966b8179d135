// queue_claim and queue_release: the steps of a lock with a queue, each in one piece. Why they are
// as they are: docs/adr/0005. Any thread may use them: they are made before main() begins.
//
// KEYS and ARGV are those of one call. Each script takes a batch as well (ScriptBatch) of releases,
// or of claims by callers that are not going to wait.
#pragma once

#include "interlock/store/script.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// KEYS lock, fencing counter, queue. ARGV owner, ttl in ms, for how many ms the counter is kept
// from now on (Retention), size of a block of fencing tokens, claim window in ms; a caller that is
// going to wait adds its wake-up channel, after how many ms it asks again if the holder never
// expires, for how many ms beyond that its place is kept, and 1 if this owner has asked for a place
// before (0: a fresh owner, for which the queue is not searched).
// `-` in place of the channel: the caller has none, and asks again by itself.
// fencing token      mine, with a block of tokens from this one on: it was free with nobody alive
//                    in front, or mine already by an offer. The ttl starts anew.
// [2, fencing token] the same, and others have places in the queue.
// [1, fencing token] mine already, by an earlier claim or an offer: the last token that it
//                    reserved, alone. The ttl starts anew.
// [0, holder, remaining ms or -1, held for ms or -1, last token or -1] somebody else's. A caller
//                    with a channel has a place in the queue now, kept until `remaining` and its
//                    extra time are over. Each offer that is made after this has a greater token
//                    than the last one here; -1: there is no counter.
//                    If that place is the first, and the owner token says that the holder may keep
//                    the lock after its section, the holder is sent a message
//                    (OwnerToken::keep_mark).
// The first token of a block is made as claim makes its token (owner_scripts.hpp). The counter
// keeps the last one.
const Script& queue_claim_script();

// KEYS lock, fencing counter, queue. ARGV owner, channel, size of a block, claim window in ms, for
// how many ms the counter is kept after an offer.
// Gives up whatever the owner has: the lock, an offer, a place in the queue. The first in the queue
// that listens is offered the lock: it is the holder for one claim window, and notified on its
// channel. The message is `<owner> <first token> <size of the block> <1 if others have places, else
// 0> <claim window in ms>`, and the waiter may enter by it: docs/adr/0008. It keeps its place then,
// until it releases the lock. If there is none that listens, the lock is free, and a message
// published on `channel`. 1: the lock was the owner's. 0: there was no such key, and the same was
// done. -1: somebody else has the lock.
const Script& queue_release_script();

// Both for one lock at a store with quarantines (interlock/quarantine.hpp). KEYS also: the store's
// incarnation_key(). ARGV also, as the last: how long a quarantine lasts, in ms. While there is
// one, a claim grants nothing but what the owner has already, and others are answered [0,
// OwnerToken::quarantine, how long the quarantine lasts in ms, -1, last token or -1]. They may take
// places. A release frees the lock and offers it to nobody.
const Script& quarantined_queue_claim_script();
const Script& quarantined_queue_release_script();

}  // namespace interlock

#pragma GCC visibility pop
