// A store inside the process: for its threads, for tests, and as the plainest example of a store.
#pragma once

#include <functional>
#include <memory>

#include "interlock/store/backend.hpp"

namespace interlock::memory {

// What time it is for the keys of a store. Called with the store's mutex held, by any thread.
using Clock = std::function<StoreTime()>;

// Keys, locks and messages shared by all stores that the backend opens, and by nobody else; they
// live until the backend and its last store are gone. Every operation is atomic, and none of them
// fails but by Redis' own refusals (`rejected`).
//
// open(): a store for one thread at a time, except for `interrupt`, which may come from any. Only
// await_message blocks: on a condition variable, without polling. open_on(): null.
// publish answers how many subscriptions heard it. await_message on a subscription that does not
// exist is `rejected`; interrupt and unsubscribe are without effect on one.
//
// In a child of fork() a store that its parent opened answers `forked`. A store that the child
// opens, also by the same backend, begins empty: the parent's locks are held in the parent only.
//
// The clock is CLOCK_BOOTTIME, unless another is given: setting the wall clock moves no expiry, and
// the time that the machine sleeps counts. `until` of await_message is always CLOCK_BOOTTIME.
// Fencing tokens are microseconds since boot; like everything here they begin anew with the
// process, and a resource that outlives it must not compare them across restarts.
std::shared_ptr<Backend> backend(Clock clock = {});

}  // namespace interlock::memory
