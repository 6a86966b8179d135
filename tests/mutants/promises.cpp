#include "promises.hpp"

#include <functional>
#include <vector>

#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/renewal.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::mutants {
namespace {

using sim::Client;
using std::chrono::seconds;

LockName name() {
  return *LockName::parse(lock_name);
}

WaitPolicy policy() {
  WaitPolicy policy = sim::catalogue::simulated_wait_policy();
  policy.recheck_interval = seconds{6};
  return policy;
}

const Lease* granted(const Result<AcquireOutcome>& outcome) {
  return outcome ? std::get_if<Lease>(&*outcome) : nullptr;
}

// Whether the key held the lease's owner when the store was asked. Callers know that a lease which
// is certain after the answer was certain when the store gave it.
Task<bool> look(Client& me, Lease lease) {
  const Result<std::optional<std::string>> value = co_await me.store().get(lock_key(lease.name()));
  const bool mine = value && *value && **value == lease.owner().text();
  const bool certain = lease.state(me.time().now()) != LeaseState::lost;
  if (value && certain && !mine) me.reach(broken::lease_truth);
  co_return mine;
}

Task<void> hold(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, terms.ttl);
  if (granted(outcome) == nullptr) co_return;
  const Lease lease = *granted(outcome);
  co_await look(me, lease);
  if (!terms.renews) co_return;
  const Result<RenewOutcome> renewed = co_await lock.renew(lease);
  if (!renewed || !std::holds_alternative<Lease>(*renewed)) co_return;
  const Lease longer = std::get<Lease>(*renewed);
  const bool mine = co_await look(me, longer);
  const Result<ReleaseOutcome> released = co_await lock.release(longer);
  if (!mine && released && *released == ReleaseOutcome::released) me.reach(broken::false_release);
}

Task<void> take(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, terms.ttl);
  const Lease* lease = granted(outcome);
  if (lease == nullptr) co_return;
  if (lease->state(me.time().now()) == LeaseState::lost) me.reach(broken::dead_on_arrival);
}

Task<void> claim_alone(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, terms.ttl);
  if (!outcome) me.reach(broken::one_answer);
  if (outcome && std::holds_alternative<Busy>(*outcome)) me.reach(broken::own_ghost);
  if (granted(outcome) == nullptr) co_return;
  const Lease lease = *granted(outcome);
  const Key counter = fencing_key(lock_key(name()));
  const Result<std::optional<std::string>> value = co_await me.store().get(counter);
  if (!value || lease.state(me.time().now()) == LeaseState::lost) co_return;
  if (*value != std::to_string(lease.fencing().value())) me.reach(broken::one_grant_one_number);
}

Task<bool> key_is_there(Client& me) {
  const Result<std::optional<std::string>> value = co_await me.store().get(lock_key(name()));
  co_return value&&* value;
}

Task<void> doubt(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, terms.ttl);
  if (outcome || outcome.error().code() == Errc::indeterminate) co_return;
  const bool there = co_await key_is_there(me);
  if (there) me.reach(broken::known_failure);
}

Task<void> withdraw(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  LockClient client(me.store(), lock, me.time(), me.tokens(), nullptr, policy());
  AcquireOptions options(terms.ttl);
  options.wait = Duration{0};
  const Result<AcquireOutcome> outcome = co_await client.acquire(name(), options);
  if (granted(outcome) != nullptr) co_return;
  const bool there = co_await key_is_there(me);
  if (there) me.reach(broken::left_behind);
}

Task<void> release_alone(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, terms.ttl);
  if (granted(outcome) == nullptr) co_return;
  const Lease lease = *granted(outcome);
  const Result<ReleaseOutcome> released = co_await lock.release(lease);
  if (!released) co_return;
  const bool certain = lease.state(me.time().now()) != LeaseState::lost;
  if (*released == ReleaseOutcome::not_holder && certain) me.reach(broken::false_alarm);
  const bool there = co_await key_is_there(me);
  if (*released == ReleaseOutcome::released && there) me.reach(broken::false_release);
}

Task<void> cancel(Client& me, Cancellation* cancellation, TimePoint at) {
  co_await me.time().sleep_until(at);
  cancellation->request();
}

Task<void> wait(Client& me, Patience patience) {
  const TimePoint began = me.time().now();
  LeaseLock lock(me.store(), me.time());
  LockClient client(me.store(), lock, me.time(), me.tokens(), nullptr, policy());
  AcquireOptions options(Ttl(seconds{1}));
  options.wait = patience.wait;
  Cancellation cancellation;
  if (patience.cancelled_at) {
    me.spawn("caller", cancel(me, &cancellation, began + *patience.cancelled_at));
  }
  const Result<AcquireOutcome> outcome = co_await client.acquire(name(), options, &cancellation);
  if (me.time().now() - began > patience.must_end_after) me.reach(broken::waits_on);
  co_await me.joined();
}

class Listener final : public LeaseListener {
 public:
  Listener(Client& me, const Lease& lease) : me_(me), certain_until_(lease.certain_until()) {}
  void on_renewed(const Lease& lease, Duration) override {
    speak();
    if (lease.state(me_.time().now()) == LeaseState::lost) me_.reach(broken::dead_renewal);
    if (lease.certain_until() <= certain_until_) me_.reach(broken::empty_renewal);
    certain_until_ = lease.certain_until();
    renewed_ = true;
  }
  void on_at_risk(const Lease&) override { speak(); }
  void on_lost(const Lease&, LossReason) override {
    speak();
    lost_ = true;
  }
  void on_renewal_error(const Lease&, const Error&) override { speak(); }

  void stopped() { stopped_ = true; }
  bool lost() const { return lost_; }
  bool renewed() const { return renewed_; }

 private:
  void speak() {
    if (stopped_) me_.reach(broken::told_after_stop);
  }

  Client& me_;
  TimePoint certain_until_;
  bool stopped_ = false;
  bool lost_ = false;
  bool renewed_ = false;
};

// LeaseLock, and a look at what is asked of it.
class SeenLock final : public LockProtocol {
 public:
  explicit SeenLock(Client& me) : me_(me), lock_(me.store(), me.time()) {}
  std::string_view id() const noexcept override { return lock_.id(); }
  Task<Result<AcquireOutcome>> try_acquire(LockName of, OwnerToken owner, Ttl ttl) override {
    return lock_.try_acquire(std::move(of), std::move(owner), ttl);
  }
  Task<Result<RenewOutcome>> renew(Lease lease) override {
    if (lease.state(me_.time().now()) == LeaseState::lost) me_.reach(broken::revival);
    return lock_.renew(std::move(lease));
  }
  Task<Result<ReleaseOutcome>> release(Lease lease) override {
    return lock_.release(std::move(lease));
  }
  std::optional<Channel> release_channel(const LockName& of) const override {
    return lock_.release_channel(of);
  }

 private:
  Client& me_;
  LeaseLock lock_;
};

using Section = std::function<Task<void>(Client&, LeaseKeeper*, Listener*)>;

// Acquires a lease, hands it to a keeper, and lets `section` do the rest.
Task<void> keep(Client& me, Keeping keeping, Section section) {
  SeenLock lock(me);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, keeping.ttl);
  if (granted(outcome) == nullptr) co_return;
  const Lease lease = *granted(outcome);
  Listener listener(me, lease);
  LeaseKeeper keeper(lock, me.time(), listener, lease);
  if (keeping.renews) me.spawn("renewal", keeper.renew());
  if (keeping.watches) me.spawn("watch", keeper.watch());
  co_await section(me, &keeper, &listener);
  co_await me.joined();
}

Task<void> stay_and_release(Client& me, LeaseKeeper* keeper, Listener* listener) {
  co_await me.time().sleep_until(me.time().now() + seconds{1});
  keeper->stop();
  listener->stopped();
  LeaseLock lock(me.store(), me.time());
  const Lease lease = keeper->lease();
  static_cast<void>(co_await lock.release(lease));
  co_await me.joined();
  const bool there = co_await key_is_there(me);
  if (there) me.reach(broken::back_from_release);
}

Task<void> outstay(Client& me, LeaseKeeper* keeper, Listener* listener) {
  co_await me.time().sleep_until(keeper->lease().certain_until() + seconds{1});
  const bool over = keeper->lease().state(me.time().now()) == LeaseState::lost;
  if (over && !listener->lost()) me.reach(broken::not_told);
  keeper->stop();
}

// Stays for the first renewal, and if that fails until the key must have ended.
Task<void> lose(Client& me, LeaseKeeper* keeper, Listener* listener) {
  while (!listener->lost() && !listener->renewed()) {
    co_await me.time().sleep_until(me.time().now() + seconds{1});
  }
  if (!listener->lost()) {
    keeper->stop();
    co_return;
  }
  co_await me.joined();
  co_await me.time().sleep_until(keeper->lease().certain_until() + seconds{2});
  const bool there = co_await key_is_there(me);
  if (there) me.reach(broken::keeps_out);
}

Task<void> visit(Client& me) {
  LeaseLock lock(me.store(), me.time());
  LockClient client(me.store(), lock, me.time(), me.tokens(), nullptr, policy());
  const AcquireOptions options(Ttl(seconds{3}));
  const Result<AcquireOutcome> outcome = co_await client.acquire(name(), options);
  if (granted(outcome) == nullptr) co_return;
  const Lease lease = *granted(outcome);
  static_cast<void>(co_await client.release(lease));
}

Task<void> set_and_delete(Client& me) {
  const Result<bool> set =
      co_await me.store().set_if_absent(Key(lock_name), "foreign", milliseconds{seconds{3}});
  if (!set || !*set) co_return;
  static_cast<void>(co_await me.store().erase(Key(lock_name)));
}

Task<void> visit_or_set_and_delete(Client& me) {
  if (me.choose(2) == 0) {
    co_await visit(me);
  } else {
    co_await set_and_delete(me);
  }
}

}  // namespace

sim::Program holder(Terms terms) {
  return [=](Client& me) { return hold(me, terms); };
}
sim::Program taker(Terms terms) {
  return [=](Client& me) { return take(me, terms); };
}
sim::Program loner(Terms terms) {
  return [=](Client& me) { return claim_alone(me, terms); };
}
sim::Program doubter(Terms terms) {
  return [=](Client& me) { return doubt(me, terms); };
}
sim::Program withdrawer(Terms terms) {
  return [=](Client& me) { return withdraw(me, terms); };
}
sim::Program releaser(Terms terms) {
  return [=](Client& me) { return release_alone(me, terms); };
}
sim::Program waiter(Patience patience) {
  return [=](Client& me) { return wait(me, patience); };
}

sim::Program keeper(Keeping keeping) {
  return [=](Client& me) { return keep(me, keeping, stay_and_release); };
}
sim::Program overstayer(Keeping keeping) {
  return [=](Client& me) { return keep(me, keeping, outstay); };
}
sim::Program loser(Keeping keeping) {
  return [=](Client& me) { return keep(me, keeping, lose); };
}

sim::Program visitor() {
  return [](Client& me) { return visit(me); };
}
sim::Program visitor_or_foreigner() {
  return [](Client& me) { return visit_or_set_and_delete(me); };
}

}  // namespace interlock::mutants
