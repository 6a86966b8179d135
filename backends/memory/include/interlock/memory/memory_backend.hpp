// A store inside the process: for its threads, for tests, and as the plainest example of a store.
#pragma once

#include <functional>
#include <memory>

#include "interlock/store/backend.hpp"

#pragma GCC visibility push(default)

namespace interlock::memory {

// The clock by which the keys of a store expire. Called by any thread, with the store's mutex held:
// it must not call the store, and must not throw.
using Clock = std::function<StoreTime()>;

// All stores that the backend opens, and no others, share its keys, locks and messages, which live
// until the backend and its last store are gone. Every operation is atomic. The only errors are
// those with which Redis refuses a command (`rejected`), and `forked`.
//
// open(): a store for one thread at a time, except for `interrupt`, which any thread may call. Only
// await_message blocks: on a condition variable, without polling. open_on(): null.
// publish answers how many subscriptions got the message. await_message on a subscription that does
// not exist is `rejected`; interrupt and unsubscribe have no effect on one.
//
// In a child of fork() a store that its parent opened answers `forked`. A store that the child
// opens, also by the same backend, begins empty: the parent's locks are held in the parent only.
//
// The clock is CLOCK_BOOTTIME, unless the caller passes another: setting the wall clock moves no
// expiry, and the time that the machine sleeps counts. `until` of await_message is always
// CLOCK_BOOTTIME. Fencing tokens are microseconds since boot. Like all content of the store they
// begin anew with the process; a resource that outlives it must not compare them across restarts.
std::shared_ptr<Backend> backend(Clock clock = {});

}  // namespace interlock::memory

#pragma GCC visibility pop
