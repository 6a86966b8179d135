#include "clients.hpp"

#include "interlock/flawed/source_locks.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

Task<void> leave(Client& me, LockProtocol* lock, Visit visit, Lease lease) {
  co_await me.leave(visit.lock);
  for (int left = visit.releases; left > 0; --left) {
    const Result<ReleaseOutcome> released = co_await lock->release(lease);
    if (released || released.error().code() != Errc::indeterminate) break;
  }
}

// The end of a lease by the client's own clock: the clock that counts its stamps may be ahead of
// that.
class LeaseEnds {
 public:
  LeaseEnds(OwnClock clock, Duration is_ahead) : by(clock), ahead(is_ahead) {}
  OwnClock by;
  Duration ahead;
  TimePoint of(const Lease& lease) const { return lease.certain_until() - ahead; }
};

Task<void> renew(Client& me, LockProtocol* lock, Visit visit, Lease lease, LeaseEnds ends) {
  const Result<RenewOutcome> outcome = co_await lock->renew(lease);
  const Lease* renewed = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (renewed != nullptr) me.believes_until(visit.lock, ends.of(*renewed), ends.by);
}

Task<void> inside(Client& me, LockProtocol* lock, Visit visit, Lease lease, LeaseEnds ends) {
  if (visit.tells_late_entry) {
    me.reach(late_entry, me.time().now() > lease.sent() + lease.ttl().duration());
  }
  me.enter(visit.lock, lease.fencing(), ends.of(lease), ends.by);
  for (int left = visit.renewals; left > 0; --left) {
    co_await renew(me, lock, visit, lease, ends);
  }
  if (visit.stays > Duration::zero()) co_await me.time().sleep_until(me.time().now() + visit.stays);
  const bool over = visit.checks_lease && lease.state(me.time().now()) == LeaseState::lost;
  if (visit.writes && !over) static_cast<void>(co_await me.write(database, lease.fencing()));
  co_await leave(me, lock, visit, lease);
}

Task<void> visit_once(Client& me, LockOfClient of, Visit visit, Duration ahead) {
  ClockAhead wall(me.wall_clock(), ahead);
  const std::unique_ptr<LockProtocol> lock = of.make(me, wall);
  const bool by_wall = of.counts_by == OwnClock::wall_clock;
  const LeaseEnds ends(of.counts_by, by_wall ? ahead : Duration{0});
  const LockName name = *LockName::parse(visit.lock);
  OwnerToken owner(visit.token);
  if (visit.draws_token) owner = me.tokens().fresh();
  const bool for_ever = visit.attempts == 0;
  me.wants(visit.lock);
  for (std::int64_t left = visit.attempts; for_ever || left > 0; left -= for_ever ? 0 : 1) {
    co_await me.loop_head(left);
    const Result<AcquireOutcome> outcome = co_await lock->try_acquire(name, owner, visit.ttl);
    const Lease* held = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    if (held != nullptr) {
      const Lease lease = *held;
      co_await inside(me, lock.get(), visit, lease, ends);
      co_return;
    }
    if (for_ever || left > 1)
      co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
}

bool all_done_and_free(const Snapshot& now) {
  for (const ClientView& client : now.clients) {
    if (client.status != ClientView::Status::done) return true;
  }
  return now.find(foo) == nullptr;
}

}  // namespace

LockOfClient stamp_lock_of(flawed::StampOptions options) {
  const auto make = [options](Client& me, TimeSource& wall) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<flawed::StampLock>(me.store(), wall, options);
  };
  return {make, OwnClock::wall_clock};
}

LockOfClient ttl_lock_of(flawed::TtlOptions options) {
  const auto make = [options](Client& me, TimeSource&) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<flawed::TtlLock>(me.store(), me.time(), options);
  };
  return {make, OwnClock::time};
}

Scenario world(std::size_t instants, Duration apart) {
  Scenario scenario("");
  scenario.clocks_start_at(std::chrono::seconds{100}).instants(instants, apart);
  return scenario;
}

Scenario world_with_stale_stamp(std::size_t instants, Duration apart) {
  Scenario scenario = world(instants, apart);
  scenario.initially(Key(foo), interlock::Entry("50"));
  return scenario;
}

Scenario releasing_world(flawed::TtlRelease release,
                         std::size_t clients,
                         std::size_t instants,
                         int tries) {
  flawed::TtlOptions options;
  options.release = release;
  Visit visit;
  visit.draws_token = true;
  visit.releases = tries;
  Scenario scenario = world(instants);
  add_visitors(scenario, clients, ttl_lock_of(options), visit).require(owner_only(foo));
  return scenario;
}

Scenario ttl_lock_under(Fault fault) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  add_visitors(scenario, 2, ttl_lock_of(), visit)
      .faults(FaultBudget().allow(fault))
      .require(mutual_exclusion(foo));
  return scenario;
}

Scenario lease_lock_under(Fault fault, std::size_t instants) {
  Scenario scenario = lease_lock_scenario(2, LeaseClientOptions(), instants);
  scenario.faults(FaultBudget().allow(fault)).offer(lease_exclusion(lease_lock_name));
  return scenario;
}

Scenario late_entry_world(const LockOfClient& lock, std::size_t instants) {
  Visit visit;
  visit.draws_token = true;
  visit.tells_late_entry = true;
  Scenario scenario = world(instants);
  add_visitors(scenario, 2, lock, visit).require(never(late_entry, late_entry_goal));
  return scenario;
}

flawed::StampOptions repaired_stamps() {
  flawed::StampOptions options;
  options.id = "stamp-lock-repaired";
  options.take_over = flawed::TakeOver::script;
  options.release = flawed::StampRelease::compare;
  options.unique = true;
  return options;
}

LockOfClient source_lock(std::string id) {
  const auto make = [id](Client& me, TimeSource& wall) {
    return flawed::find_source_lock(id)->make(me.store(), wall);
  };
  return {make, OwnClock::wall_clock};
}

LockOfClient lease_lock_of_core() {
  const auto make = [](Client& me, TimeSource&) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<LeaseLock>(me.store(), me.time());
  };
  return {make, OwnClock::time};
}

Property free_when_all_are_done() {
  return always("a lock that everybody is done with is free", all_done_and_free,
                "leave lock.foo behind when every client has ended");
}

Program visitor(LockOfClient lock, Visit visit, Duration ahead) {
  return [=](Client& me) { return visit_once(me, lock, visit, ahead); };
}

Scenario& add_visitors(Scenario& scenario,
                       std::size_t count,
                       const LockOfClient& lock,
                       const Visit& visit) {
  return scenario.clients(count, visitor(lock, visit)).offer(lease_exclusion(visit.lock));
}

}  // namespace interlock::sim::catalogue
