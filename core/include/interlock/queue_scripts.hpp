// queue_claim and queue_release: the steps of a lock with a queue, each in one piece. Why they are
// as they are: docs/adr/0005.
#pragma once

#include "interlock/script.hpp"

namespace interlock {

// KEYS lock, fencing counter, queue. ARGV owner, ttl in ms, size of a block of fencing tokens,
// claim window in ms; of who is going to wait also: ear, in ms how long to come back when the
// holder never expires, in ms how long a place is kept beyond that, 1 if this owner has asked for a
// place before (0: a fresh owner, which is not looked for in the queue). An ear is the channel on
// which the caller listens, and `-` if it has none and will come back by itself.
// fencing token      mine, with a block of tokens from this one on: it was free with nobody alive
//                    in front, or mine already by an offer. The ttl starts anew.
// [2, fencing token] the same, and others have places in the queue.
// [1, fencing token] mine already, by an earlier claim or an offer: the last token that it
//                    reserved, alone. The ttl starts anew.
// [0, holder, remaining ms or -1, held for ms or -1] somebody else's. Who has an ear has a place in
//                    the queue now, until it lets `remaining` and what it is kept beyond pass.
// Fencing tokens are made as claim's (owner_scripts.hpp), for the block's last.
const Script& queue_claim_script();

// KEYS lock, fencing counter, queue. ARGV owner, channel, size of a block, claim window in ms.
// Gives up whatever the owner has: the lock, an offer, a place in the queue. The first in the queue
// that listens is offered the lock: it is the holder for one claim window and is told. If there is
// none, the lock is free and `channel` is told. 1 it was the owner's; 0 no such key, and the same
// was done; -1 somebody else's.
const Script& queue_release_script();

// The steps that a QueueLock takes at its store. Others than these only to see a proof fail.
class QueueScripts {
 public:
  const Script* claim = &queue_claim_script();
  const Script* release = &queue_release_script();
};

}  // namespace interlock
