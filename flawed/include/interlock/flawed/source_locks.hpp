// The locks that people really ran, and their repaired twins, by name: for comparisons. Nothing
// here is for use; the lock of this library is LeaseLock.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "interlock/flawed/polling.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

class SourceLock {
 public:
  std::string_view id;
  // The name of the lock before its repair; empty: this lock is as it was run.
  std::string_view repairs;
  Ttl usual_ttl;
  Polling usual_polling;
  // `wall_clock` is what clients compare with each other's stamps.
  std::unique_ptr<LockProtocol> (*make)(KeyValueStore& store, TimeSource& wall_clock);
};

// stamp-lock, del-setnx-lock, stamp-equal-lock, setnx-expire-lock, bill-lock, script-lock,
// compare-script-lock, each followed by its repaired twin.
const std::vector<SourceLock>& source_locks();
// Null: there is none of that name.
const SourceLock* find_source_lock(std::string_view id);

}  // namespace interlock::flawed
