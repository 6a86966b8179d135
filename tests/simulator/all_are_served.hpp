// That nobody waits for ever, in worlds that end: all living clients have ended their programs in
// time.
// (every_waiter_acquires is about worlds without an end, which leases would make of many states.)
#pragma once

#include <algorithm>
#include <chrono>

#include "interlock/sim/property.hpp"
#include "interlock/sim/run.hpp"

namespace interlock::sim {

// `limit` after the scenario's beginning; the scenario must have an instant more. Where pauses
// count, late arrivals should be pauses, too: a client that comes late is served late.
inline Property all_are_served(std::chrono::seconds limit) {
  return always("all are served in time", [limit](const Snapshot& now) {
    if (now.time < limit) return true;
    return std::all_of(now.clients.begin(), now.clients.end(), [](const ClientView& client) {
      return client.status == ClientView::Status::done ||
             client.status == ClientView::Status::crashed;
    });
  });
}
// How many instants, a second apart, such a scenario has.
inline std::size_t instants_until(std::chrono::seconds limit) {
  return static_cast<std::size_t>(limit.count()) + 1;
}

}  // namespace interlock::sim
