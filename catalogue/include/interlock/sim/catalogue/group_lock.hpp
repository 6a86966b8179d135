// The production locks that several clients have together as scenarios: core's SharedLock and
// PermitLock beside QueueLock and LeaseLock on one name, unchanged.
#pragma once

#include <optional>
#include <vector>

#include "interlock/permits.hpp"
#include "interlock/quarantine.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

class GroupClientOptions {
 public:
  enum class Wants { alone, without_queue, shared, permits };

  GroupClientOptions() = default;
  explicit GroupClientOptions(Wants what) : wants(what) {}
  explicit GroupClientOptions(Permits of) : wants(Wants::permits), permits(of) {}

  Wants wants = Wants::alone;  // `without_queue`: alone, by a LeaseLock
  Permits permits{1, 1};
  // The limit to the wait for the lock: none waits for ever, zero tries once.
  std::optional<Duration> wait;
  Ttl ttl{std::chrono::seconds{2}};
  Duration begins_after{0};
  Duration stays{0};        // inside
  int renewals = 0;         // while inside, each after `stays`
  bool downgrades = false;  // to a reader, if it has a QueueLock alone, and stays once more
  // It reports `served_late` if it does not have the lock so soon after it has asked for it.
  std::optional<Duration> served_within;
  std::optional<Quarantine> quarantine;
};

// The events that such a client reports, each the subject of a never().
namespace broken_group {
inline constexpr const char* refused = "a holder whose lease is valid is refused by a resource";
inline constexpr const char* served_late = "a client has to wait for the lock for too long";
inline constexpr const char* downgrade_fails = "a downgrade of a valid lease fails";
}  // namespace broken_group

inline constexpr const char* group_lock_name = "catalogue";

// One client for each of the options, on one lock. Requires that those exclude each other within
// their leases that must: one that is alone excludes all, readers exclude holders of permits, and
// no two holders, nor all of them, have more permits than there are. Each reader has a page that it
// reads with its fencing token and that writers write with theirs. If messages may be lost, a
// waiter may sleep for as long as `within`.
Scenario group_lock_scenario(std::vector<GroupClientOptions> clients,
                             std::size_t instants,
                             Duration within = Duration{0});

}  // namespace interlock::sim::catalogue
