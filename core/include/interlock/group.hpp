// Who has a lock together: readers, or holders of permits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/quarantine.hpp"
#include "interlock/retention.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/task.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// What a lock's key says of the group that has the lock.
class GroupOfHolders {
 public:
  // How it begins.
  static constexpr std::string_view mark = "il1:group:";
  // None: no group has the lock, but this owner.
  static std::optional<GroupOfHolders> parse(const OwnerToken& holder);

  bool are_readers = false;
  std::optional<FencingToken> token;  // of readers
  // For holders of permits. Permits of dead holders may still be among those in use.
  std::int64_t all_permits = 0;
  std::int64_t permits_in_use = 0;
};

// A reader, or a holder of permits.
class OneOfGroup {
 public:
  OneOfGroup(OwnerToken by, milliseconds ends_in) : owner(std::move(by)), remaining(ends_in) {}
  // How many permits; none: it is a reader.
  std::optional<std::int64_t> permits() const;

  OwnerToken owner;
  milliseconds remaining;  // of its lease
};

// Those of the group that has the lock, but at most so many, those whose leases end first. Empty if
// no group has it. One read-only step at the store. Errors: those of KeyValueStore.
Task<Result<std::vector<OneOfGroup>>> look_at_group(KeyValueStore& store,
                                                    LockName name,
                                                    std::size_t at_most);

// Takes the lease of one of the group, or of the holder that has the lock alone, away, as if that
// one had released it: the next in the queue is notified. `other`: it has none.
// The store's quarantine and retention are those of its Backend. Errors: those of KeyValueStore.
Task<Result<OwnerCheck>> remove_from_group(KeyValueStore& store,
                                           LockName name,
                                           OwnerToken owner,
                                           std::optional<Quarantine> quarantine,
                                           Retention retention);

}  // namespace interlock

#pragma GCC visibility pop
