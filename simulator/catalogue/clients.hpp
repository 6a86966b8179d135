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

inline constexpr const char* foo = "lock.foo";
inline constexpr const char* database = "database";

// One visit to a section.
class Visit {
 public:
  Visit() = default;

  std::string lock = foo;
  Ttl ttl{std::chrono::seconds{2}};
  std::int64_t attempts = 1;    // to get the lock, an instant of 1 s apart
  bool draws_token = false;     // an owner token for the visit; else all have the same empty one
  Duration stays{0};            // sleeps so long inside
  bool writes = false;          // to `database`, with the lease's fencing token
  int releases = 1;             // how often a release is tried, after answers that were lost
  bool waits_for_ever = false;  // instead of `attempts`
};

// Made anew for each run; `wall` is the client's wall clock.
using MakeLock = std::function<std::unique_ptr<LockProtocol>(Client& me, TimeSource& wall)>;
MakeLock stamp_lock_of(flawed::StampOptions options);
MakeLock ttl_lock_of(flawed::TtlOptions options = {});

// `ahead`: how far this client's wall clock is ahead of everybody's.
Program visitor(MakeLock make, Visit visit, Duration ahead = Duration{0});

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
