// LeaseKeeper renews one lease, and tells its holder in time if that fails.
#pragma once

#include "interlock/events.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Called on the keeper's thread, from inside its tasks. The functions must not throw and must not
// destroy the keeper; they may call LeaseKeeper::stop().
class LeaseListener {
 public:
  virtual ~LeaseListener() = default;
  // `took` is the renewal's round trip.
  virtual void on_renewed(const Lease& lease, Duration took) = 0;
  virtual void on_at_risk(const Lease& lease) = 0;
  // Called once, as the last call; before the store can grant the lock to another client, unless
  // `why` says that it has done so.
  virtual void on_lost(const Lease& lease, LossReason why) = 0;
  // A renewal failed; the keeper tries again while the lease lasts.
  virtual void on_renewal_error(const Lease& lease, const Error& error) = 0;
};

// Two tasks of one thread: renew() asks the store, watch() only reads the clock, so that a store
// which falls silent cannot delay the notification of the holder. Start both; destroy the keeper
// when both are done. A renewal belongs to this object and to no table of names or threads, so no
// entry can be left behind (the cause of most watchdog bugs: redisson 1966, 2515, 5698, 7272).
class LeaseKeeper {
 public:
  LeaseKeeper(LockProtocol& protocol, TimeSource& time, LeaseListener& listener, Lease lease)
      : protocol_(protocol), time_(time), listener_(listener), lease_(std::move(lease)) {}
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Renews until stop() or until the lease is lost.
  Task<void> renew();
  // Reports `at_risk` and `lost` by the local clock alone, until stop().
  Task<void> watch();

  // Call it before the lease is released or given up: no renewal begins after this, and the
  // listener is not called any more. If a renewal was under way when the lease was lost, the keeper
  // still releases the lock.
  void stop();

  const Lease& lease() const noexcept { return lease_; }
  bool lost() const noexcept { return lost_; }

 private:
  class Nap;
  void lose(LossReason why);
  Duration retry_interval() const;

  LockProtocol& protocol_;
  TimeSource& time_;
  LeaseListener& listener_;
  Lease lease_;
  bool stopped_ = false;
  bool lost_ = false;
  PendingSleep* renew_sleep_ = nullptr;
  PendingSleep* watch_sleep_ = nullptr;
};

}  // namespace interlock

#pragma GCC visibility pop
