// What searches of the lock with a queue see in a world, and how late its waiters may be.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "interlock/sim/faults.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/store/keyspace.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sim {

// A waiter that was not told wakes when the `ttl` it was told of has ended, and a millisecond more.
inline Duration wakes_within(const FaultBudget& faults, Duration ttl) {
  const bool deaf = faults.limit(Fault::lost_message) > 0 ||
                    faults.limit(Fault::late_execution) > 0 || faults.limit(Fault::duplicate) > 0 ||
                    faults.limit(Fault::eviction) > 0 || faults.limit(Fault::failover) > 0 ||
                    faults.limit(Fault::client_restart) > 0;
  return deaf ? ttl + std::chrono::milliseconds{1} : Duration{0};
}

inline bool is_inside(const ClientView& client) {
  return !client.inside.empty();
}

// The queue of `lock` as it is kept: one line for each place, with the owner first and the wake-up
// channel last.
inline std::vector<std::string> places_in_queue(const Snapshot& now, const char* lock) {
  const KeyView* const queue = now.find(queue_key(Key(lock)).text());
  if (queue == nullptr) return {};
  Entry entry(queue->value);
  entry.type = Entry::Type::list;
  return entry.lines();
}

inline bool is_queued(const Snapshot& now, const ClientView& client, const char* lock) {
  const std::string owner = std::string(OwnerToken::mark) + client.name;
  const std::vector<std::string> places = places_in_queue(now, lock);
  return std::any_of(places.begin(), places.end(),
                     [&](const std::string& place) { return place.starts_with(owner); });
}

}  // namespace interlock::sim
