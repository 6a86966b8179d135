// When the loop of a client must next look at each lease that its callers hold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "interlock/store/reactor.hpp"

namespace interlock {

// A lease that is released before its renewal falls due never costs the loop anything: it is
// renewed by a task of the loop only from then on. One mutex guards the schedule and what it keeps
// in its entries; no function of an entry is called under it.
class RenewalSchedule {
 public:
  enum class Stage : std::uint8_t {
    scheduled,
    kept_alive,  // by tasks of the loop
    ended,       // released, or the client was closed
  };

  class ScheduledLease;
  // By when each is due next: never, if it keeps itself alive.
  using Entries = std::multimap<TimePoint, std::shared_ptr<ScheduledLease>>;

  // A lease that is held.
  class ScheduledLease {
   public:
    virtual ~ScheduledLease() = default;
    // When on_due() is called first. A renewal that was due earlier waits until then.
    virtual TimePoint first_due() const = 0;
    virtual TimePoint renewal_due() const = 0;
    // On the loop's thread: at first_due(), and again at renewal_due() if that is later.
    virtual void on_due() = 0;
    // On the loop's thread, at renewal_due(), after on_due() and unless that has ended it: the
    // entry keeps itself alive from now on.
    virtual void keep_alive() = 0;

   private:
    friend class RenewalSchedule;
    Stage stage_ = Stage::scheduled;
    Entries::iterator place_;  // until it has ended
  };

  explicit RenewalSchedule(Reactor& loop) : loop_(loop) {}
  RenewalSchedule(const RenewalSchedule&) = delete;
  RenewalSchedule& operator=(const RenewalSchedule&) = delete;

  // --- any thread --------------------------------------------------------------------------------
  // If it throws std::bad_alloc, the entry has ended.
  void add(const std::shared_ptr<ScheduledLease>& entry);
  // Returns the stage of the entry before. `ended`: another thread removed it earlier.
  Stage remove(ScheduledLease& entry);
  std::vector<std::shared_ptr<ScheduledLease>> remove_all();
  bool has_ended(const ScheduledLease& entry) const;

  // --- the loop's thread -------------------------------------------------------------------------
  // begin() is called first, end() last: after end() nothing falls due.
  void begin();
  void end();

 private:
  Entries::iterator put(TimePoint due, std::shared_ptr<ScheduledLease> entry);
  void take_out(ScheduledLease& entry);
  void arm(TimePoint due);
  void see_to_what_is_due();

  Reactor& loop_;
  std::unique_ptr<Reactor::Timer> timer_;  // on the loop's thread

  mutable std::mutex mutex_;
  // Below: under the mutex.
  Entries entries_;
  Entries::node_type spare_;  // of the entry that was removed last: serves the next one
  TimePoint next_due_ = TimePoint::max();  // for which the timer is armed
};

}  // namespace interlock
