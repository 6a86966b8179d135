// What the completion in a shell offers for locks: it asks the store.
#pragma once

#include "console/suggestions.hpp"
#include "lock/store.hpp"

namespace interlock::cli {

// All of them ask the store that `store` has come to name when they are asked; `store` must outlive
// them. They offer nothing if the store cannot be asked without waiting for a person or a writer (a
// terminal, a pipe).

// The locks that are held, with their holders.
Suggestions held_locks_of(const StoreFlags& store);
// The same for a command that acquires; if `*all`, which may be null, a list: `a,b`.
Suggestions locks_to_acquire(const StoreFlags& store, const bool* all = nullptr);
// The tokens of the holders of the lock that was typed before.
Suggestions tokens_of(const StoreFlags& store);

}  // namespace interlock::cli
