// The scripts of locks that several owners have together, a group: readers, or holders of permits.
// Each script is one piece. Why they are as they are: docs/adr/0014. Any thread may use them: they
// are made before main() begins.
//
// The lock's own key is a plain string while a group has the lock, and ends with the last lease of
// the group, so that clients which do not know groups find it held. The queue is that of
// queue_scripts.hpp. How an owner token ends says what its owner wants: OwnerToken::shared_mark, or
// Permits::mark().
#pragma once

#include "interlock/store/script.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// KEYS lock, fencing counter, queue, holders. ARGV as for queue_claim_script().
// fencing token       mine, with so many permits; the token is greater than all before it.
// [3, number, token]  mine, with other readers. The token is that of the group, which is greater
//                     than all that were granted before the group began. The number is greater than
//                     all numbers and tokens before it.
// [0, holder, remaining ms or -1, held for ms or -1, last token or -1]
//                     not mine, and a caller with a channel has a place in the queue now. If the
//                     owner counts to another number of permits than the group that has the lock,
//                     it has none.
// An owner is admitted if it may join the group, and nobody waits in front of it who may not. Those
// in front of it who may are admitted, too: each is sent a message, and has the lock for one claim
// window; then it must have asked again.
const Script& group_claim_script();

// KEYS lock, fencing counter, queue, holders. ARGV the owner of the new lease, ttl in ms, for how
// many ms the counter is kept, size of a block, claim window in ms, the owner who has the lock
// alone. That owner's lease becomes one of a group of readers, and those that wait in front are
// admitted. The replies are those of group_claim. If that owner does not have the lock, nothing is
// changed, and the holder in the reply is empty if nobody has it.
const Script& group_downgrade_script();

// KEYS lock, fencing counter, holders. ARGV owner, ttl in ms, for how many ms the counter is kept.
// 1: the lease of this owner starts anew. 0: it has none. -1: somebody has the lock alone.
const Script& group_renew_script();

// KEYS lock, fencing counter, queue, holders. ARGV as for queue_release_script(), and its replies.
// The last of a group releases the lock as an owner who has it alone. Else those in front who may
// join are admitted.
const Script& group_release_script();

// KEYS lock, holders. ARGV how many at most. Of each holder whose lease has not ended, the first to
// end first: its owner, and for how many ms the lease lasts. Nothing if no group has the lock.
// Changes nothing.
const Script& group_look_script();

// At a store with quarantines: see quarantined_queue_claim_script(). A downgrade admits nobody
// while there is one.
const Script& quarantined_group_claim_script();
const Script& quarantined_group_downgrade_script();
const Script& quarantined_group_release_script();

}  // namespace interlock

#pragma GCC visibility pop
