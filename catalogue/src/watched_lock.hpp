// A protocol, and a record of how its tries ended. What a LockClient does at its next error depends
// on that, and what it waits for does not show it: a program that calls sim::Client::remembers must
// include it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/lock_protocol.hpp"

namespace interlock::sim::catalogue {

class WatchedLock : public LockProtocol {
 public:
  WatchedLock(LockProtocol& lock, TimeSource& time) : lock_(lock), time_(time) {}

  std::string_view id() const noexcept override { return lock_.id(); }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override {
    return watch(lock_.try_acquire(name, owner, ttl));
  }
  Task<Result<AcquireOutcome>> queue_up(LockName name,
                                        OwnerToken owner,
                                        Ttl ttl,
                                        std::optional<Channel> wake_up,
                                        Asks asks) override {
    return watch(lock_.queue_up(name, owner, ttl, wake_up, asks), Queues::yes);
  }
  std::optional<Lease> lease_by_message(const LockName& name,
                                        const OwnerToken& owner,
                                        Ttl ttl,
                                        const Busy& answer,
                                        const std::string& message) override {
    std::optional<Lease> lease = lock_.lease_by_message(name, owner, ttl, answer, message);
    if (lease) {
      waits_since_.reset();
      ends(AcquireOutcome(*lease));
    }
    return lease;
  }
  bool has_queue() const noexcept override { return lock_.has_queue(); }
  std::string_view owner_mark() const noexcept override { return lock_.owner_mark(); }
  Task<Result<RenewOutcome>> renew(Lease lease) override { return lock_.renew(lease); }
  Task<Result<ReleaseOutcome>> release(Lease lease) override { return lock_.release(lease); }
  std::optional<Channel> release_channel(const LockName& name) const override {
    return lock_.release_channel(name);
  }

  // An acquire begins: forgets the tries of the one before.
  void forget() {
    reached_store_ = false;
    may_be_held_ = false;
    outage_since_.reset();
    waits_since_.reset();
  }
  // Whether a try of this acquire was answered; whether one may have got the lock without the
  // client's knowledge; since when the store has not answered. Of a waiter in a queue, also when it
  // asked last, and which fencing token was the last one then: an offer is compared with these.
  std::vector<std::int64_t> remembers() const {
    std::vector<std::int64_t> values{
        reached_store_ ? 1 : 0, may_be_held_ ? 1 : 0,
        outage_since_ ? outage_since_->time_since_epoch().count() : -1};
    if (waits_since_) {
      values.push_back(waits_since_->asked.time_since_epoch().count());
      values.push_back(waits_since_->last_given
                           ? static_cast<std::int64_t>(waits_since_->last_given->value())
                           : -1);
    }
    return values;
  }

 protected:
  virtual void begins() {}
  virtual void ends(const Result<AcquireOutcome>&) {}

 private:
  enum class Queues : bool { no, yes };
  Task<Result<AcquireOutcome>> watch(Task<Result<AcquireOutcome>> attempt,
                                     Queues queues = Queues::no) {
    begins();
    waits_since_.reset();
    Result<AcquireOutcome> outcome = co_await attempt;
    note(outcome);
    const Busy* const busy = outcome ? std::get_if<Busy>(&*outcome) : nullptr;
    if (busy != nullptr && queues == Queues::yes) waits_since_ = *busy;
    ends(outcome);
    co_return outcome;
  }

  // Decides as LockClient does, by the clock reading that LockClient takes in the same step.
  void note(const Result<AcquireOutcome>& outcome) {
    if (outcome) {
      reached_store_ = true;
      outage_since_.reset();
      return;
    }
    const Errc code = outcome.error().code();
    may_be_held_ = may_be_held_ || code == Errc::indeterminate;
    const bool out_of_reach = code == Errc::unavailable || code == Errc::indeterminate;
    if (out_of_reach && !outage_since_) outage_since_ = time_.now();
  }

  LockProtocol& lock_;
  TimeSource& time_;
  bool reached_store_ = false;
  bool may_be_held_ = false;
  std::optional<TimePoint> outage_since_;
  std::optional<Busy> waits_since_;  // the answer to the latest claim
};

}  // namespace interlock::sim::catalogue
