// The keys of a lock in the store. The lock's own key is the lock's name, and while the lock is
// held its value is the owner token with a PX expiry. redis-py, redsync, node-redlock and
// redis-plus-plus write the same, so their locks and ours exclude each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interlock/store/operation.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

Key lock_key(const LockName& name);

// Keys beside the lock's own, in the same cluster slot: `{name}:interlock:fence`, or
// `name::interlock:fence` when the name brings a hash tag of its own; no two locks share such a
// key. Source: Redis cluster specification, "Hash tags".
Key fencing_key(const Key& lock);
Key queue_key(const Key& lock);    // those that wait in order
Key holders_key(const Key& lock);  // those that have the lock together
// What is noted of the last run of a command that runs once in a period. The note ends with a blank
// and the owner of the lock under which it ran.
Key last_run_key(const Key& lock);
// What the holder says of itself to those who observe it (interlock/leader.hpp).
Key leader_key(const Key& lock);
Channel release_channel(const Key& lock);
// The same texts, written into a string that exists already, for callers that only send them.
void write_fencing_key(const Key& lock, std::string& into);
void write_release_channel(const Key& lock, std::string& into);

// Notes in which incarnation of the store locks were granted last: one key for all locks.
Key incarnation_key();

// The keys of one lock, made once for a name: LockName::keys(). Copies share the texts.
class LockKeys {
 public:
  explicit LockKeys(const Key& lock);

  const Key& lock() const noexcept { return all_[0]; }
  const Key& fencing() const noexcept { return all_[1]; }
  const Key& queue() const noexcept { return all_[2]; }
  // These three in this order, as scripts get them.
  const KeyList& all() const noexcept { return all_; }
  const Channel& released() const noexcept { return released_; }

 private:
  KeyList all_;
  Channel released_;
};

// This function and the next say why some texts are no LockName. False: a '}' but no hash tag, so
// that no key beside this one can have its slot.
bool keys_share_a_slot(std::string_view name);
// True: the text begins with `interlock:` or has `:interlock:` in it, like the keys and channels
// that belong to a lock or to the library. A lock of that name could be some other lock's counter
// or queue.
bool is_reserved(std::string_view name);

// The lock whose fencing counter this is; none if it is not one.
std::optional<Key> lock_of_fencing_key(const Key& key);
// The lock of whose last run this is the note; none if it is no such note.
std::optional<Key> lock_of_last_run_key(const Key& key);

}  // namespace interlock

#pragma GCC visibility pop
