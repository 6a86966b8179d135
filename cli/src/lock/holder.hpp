// The holder of a lock, in words for people.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/guard_set.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/vocabulary.hpp"
#include "interlock/whereabouts.hpp"
#include "lock/store.hpp"

namespace interlock::cli {

// The whole token, as `interlock break --token` takes it: `hex:` and its bytes if it is not UTF-8,
// so that JSON can carry it.
std::string owner_text(const OwnerToken& owner);

// What the holder says of itself (interlock run --note), in the same form; empty: nothing.
std::string note_text(const OwnerToken& owner);

// `no lock is granted at this store for another 4.2 s, because ...`. None: it is not known how
// long.
std::string quarantine_text(std::optional<milliseconds> left);

// `held by web-3 pid 812 (release 42) for 41 s`, with its note; in a quarantine, quarantine_text().
std::string busy_text(const Busy& busy);

// `'deploy' not acquired: held by web-3 pid 812 (waited 2 s): see interlock status deploy`.
std::string not_acquired_text(const LockName& name,
                              const Busy& busy,
                              Duration waited,
                              const Store& store);

// The environment variable with the owners of all locks under which a command runs: tokens,
// separated by blanks.
inline constexpr const char* held_variable = "INTERLOCK_HELD";
// Its value for a command that is to run under these locks, too.
std::string held_with(const GuardSet& guards);
// Whether this program runs as a command under the lock that this owner holds: a wait for it would
// have no end. The token comes from the store and is unique, so this holds by whatever URL the
// store is reached.
bool held_around_us(const OwnerToken& owner);
// Whether it runs as a command under some lock.
bool runs_under_locks();

// For locks that several hold together: knows the owner under which this program runs as a command,
// if a wait for the lock would not end before that command does.
class HeldAroundUs {
 public:
  HeldAroundUs() = default;
  // Asks the store only if this program runs under such locks. What cannot be looked up is left
  // out.
  HeldAroundUs(Backend& backend, const std::vector<LockName>& names, const LockOptions& wanted);
  // The same, with that owner as the holder in place of its group.
  Busy seen_from_inside(const LockName& name, Busy busy) const;

 private:
  std::map<LockName, OwnerToken> owners_;
};

}  // namespace interlock::cli
