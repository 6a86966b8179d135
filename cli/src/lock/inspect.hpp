// Looking at a lock without touching it.
#pragma once

#include <optional>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/group.hpp"
#include "interlock/quarantine.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::cli {

// Everything about one lock at one instant of its store.
class LockView {
 public:
  std::optional<OwnerToken> holder;       // none: it is free
  std::optional<milliseconds> remaining;  // of the holder; none: it does not expire
  // The token of the last grant. It is the holder's if the holder uses this library: a foreign
  // holder has no token.
  std::optional<FencingToken> fencing;
  std::optional<milliseconds> held_for;  // none: nobody knows
  std::size_t queued = 0;                // places in the queue of a fair lock

  // The holder's own, or that of all readers; none: free, foreign, or holders of permits, who have
  // different ones.
  std::optional<FencingToken> holders_token() const;
  // Several have it together.
  bool is_of_group() const;
};

// Blocking stores only (Backend::open). One read-only step at the store, so that holder and token
// belong together.
Result<LockView> inspect_lock(KeyValueStore& store, const Key& lock);
// The same for many, in their order, in one step for a hundred of them.
Result<std::vector<LockView>> inspect_locks(KeyValueStore& store, const std::vector<Key>& locks);

// Who has the lock together; empty: nobody, or one has it alone. At most 10 000, those whose leases
// end first.
Result<std::vector<OneOfGroup>> inspect_group(KeyValueStore& store,
                                              const LockName& name,
                                              const LockView& view);

// For how long a store with this quarantine, or without one, grants no lock; none: it grants. If
// the store does not know its present incarnation yet, that is as long as the quarantine which the
// next request begins. Blocking stores only; one read-only step.
Result<std::optional<milliseconds>> look_for_quarantine(KeyValueStore& store,
                                                        std::optional<Quarantine> quarantine);

}  // namespace interlock::cli
