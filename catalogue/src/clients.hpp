// What the clients of most scenarios do: try, enter, stay, write, leave, release.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "interlock/flawed/stamp_lock.hpp"
#include "interlock/flawed/ttl_lock.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/sim/client.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

using flawed::TakeOver;

inline constexpr const char* foo = "lock.foo";
inline constexpr const char* database = "database";
inline constexpr const char* late_entry = "enters with a lease that has ended";
inline constexpr const char* late_entry_goal = "let a client enter with a lease that has ended";

// One visit to a section.
class Visit {
 public:
  Visit() = default;

  std::string lock = foo;
  Ttl ttl{std::chrono::seconds{2}};
  std::int64_t attempts = 1;      // to get the lock, 1 s apart; 0: tries for ever
  bool draws_token = false;       // an owner token of its own for the visit
  std::string token;              // or this one
  Duration stays{0};              // sleeps so long inside
  int renewals = 0;               // while inside
  bool checks_lease = false;      // leaves without writing when its own clock says that it is over
  bool writes = false;            // to `database`, with the lease's fencing token
  int releases = 1;               // how often a release is tried, after answers that were lost
  bool tells_late_entry = false;  // reaches `late_entry` if the lease was over when it was granted
};

// How a client gets its lock, and which of its clocks counts the leases of that lock.
class LockOfClient {
 public:
  // Called anew for each run; `wall` is the client's wall clock.
  using Make = std::function<std::unique_ptr<LockProtocol>(Client& me, TimeSource& wall)>;
  LockOfClient(Make how, OwnClock by) : make(std::move(how)), counts_by(by) {}

  Make make;
  OwnClock counts_by;
};
LockOfClient stamp_lock_of(flawed::StampOptions options);
LockOfClient ttl_lock_of(flawed::TtlOptions options = {});
// The lock with this id in flawed::source_locks().
LockOfClient source_lock(std::string id);
LockOfClient lease_lock_of_core();

// `ahead`: how far this client's wall clock is ahead of everybody's.
Program visitor(LockOfClient lock, Visit visit, Duration ahead = Duration{0});
// Adds `count` visitors. Offers the property that visitors which keep to their leases exclude each
// other.
Scenario& add_visitors(Scenario& scenario,
                       std::size_t count,
                       const LockOfClient& lock,
                       const Visit& visit);

// A world in which clocks show 100 s at the beginning, without a name: build() gives it one.
Scenario world(std::size_t instants = 1, Duration apart = std::chrono::seconds{1});
// The same, and the expired stamp of a crashed client, `50`, lies in `lock.foo`.
Scenario world_with_stale_stamp(std::size_t instants = 1, Duration apart = std::chrono::seconds{1});

// Clients of a ttl-lock that release it in this way, `tries` times if answers are lost; no client
// may remove another's key.
Scenario releasing_world(flawed::TtlRelease release,
                         std::size_t clients,
                         std::size_t instants,
                         int tries = 1);
// Two clients of a ttl-lock, and one such fault, which mutual exclusion does not survive.
Scenario ttl_lock_under(Fault fault);
// Two clients of lease-lock over `instants`, and one such fault, which its promises survive.
Scenario lease_lock_under(Fault fault, std::size_t instants);
// Two clients that may get the answer "held" when the lease is over.
Scenario late_entry_world(const LockOfClient& lock, std::size_t instants);

// When every client is done, `lock.foo` is free: without a crash, and without waiting for an
// expiry.
Property free_when_all_are_done();

// The stamp lock with everything repaired except that clients' clocks decide.
flawed::StampOptions repaired_stamps();

// A clock that is ahead of another one.
class ClockAhead final : public TimeSource {
 public:
  ClockAhead(TimeSource& clock, Duration by) : clock_(clock), by_(by) {}
  TimePoint now() override { return clock_.now() + by_; }
  bool park(PendingSleep& sleep) override { return clock_.park(sleep); }
  void wake(PendingSleep& sleep) override { clock_.wake(sleep); }

 private:
  TimeSource& clock_;
  Duration by_;
};

}  // namespace interlock::sim::catalogue
