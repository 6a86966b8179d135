// Where a lock lives in the store. The lock's own key is the lock's name, and while the lock is
// held its value is the owner token with a PX expiry: what redis-py, redsync, node-redlock and
// redis-plus-plus write as well, so that their locks and ours exclude each other.
#pragma once

#include <optional>

#include "interlock/vocabulary.hpp"

namespace interlock {

Key lock_key(const LockName& name);

// Beside it, in the same cluster slot: `{name}:interlock:fence`, or `name::interlock:fence` when
// the name brings a hash tag of its own; no two locks share one. A name with a '}' but no hash tag
// is the one kind whose keys may fall into different slots. Source: Redis cluster specification,
// "Hash tags".
Key fencing_key(const Key& lock);
Key queue_key(const Key& lock);  // queue-lock's waiters
Channel release_channel(const Key& lock);

// The lock whose fencing counter this is; none if it is not one.
std::optional<Key> lock_of_fencing_key(const Key& key);

}  // namespace interlock
