// Keeps one lease alive, and tells its holder in time when that fails.
#pragma once

#include "interlock/events.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

class LeaseListener {
 public:
  virtual ~LeaseListener() = default;
  // `took` is the renewal's round trip.
  virtual void on_renewed(const Lease& lease, Duration took) = 0;
  virtual void on_at_risk(const Lease& lease) = 0;
  // Once, and the last call. Before the store can grant to another unless `why` says that it has.
  virtual void on_lost(const Lease& lease, LossReason why) = 0;
  // A renewal failed; it is tried again while the lease lasts.
  virtual void on_renewal_error(const Lease& lease, const Error& error) = 0;
};

// Two tasks of one thread: renew() talks to the store, watch() only looks at the clock, so that a
// store which falls silent cannot keep the holder from being told. Start both; the keeper may be
// destroyed when both are done. Renewal belongs to this object: no table of names or threads, so no
// entry that is left behind (the cause of most watchdog bugs: redisson 1966, 2515, 5698, 7272).
class LeaseKeeper {
 public:
  LeaseKeeper(LockProtocol& protocol, TimeSource& time, LeaseListener& listener, Lease lease)
      : protocol_(protocol), time_(time), listener_(listener), lease_(std::move(lease)) {}
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Renews until stop() or until the lease is lost.
  Task<void> renew();
  // Tells `at_risk` and `lost` by the local clock alone, until stop().
  Task<void> watch();

  // The lease is being released or given up: no renewal begins after this, and nothing more is
  // told. A renewal that was out when the lease was lost is still given back.
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
