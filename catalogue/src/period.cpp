#include "interlock/sim/catalogue/period.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "interlock/protocols/lease_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

// Releases once more after an error: the request may not have been sent.
Task<bool> released(LeaseLock* lock, Lease lease) {
  for (int tries = 0; tries < 2; ++tries) {
    const Result<ReleaseOutcome> outcome = co_await lock->release(lease);
    if (outcome) co_return *outcome == ReleaseOutcome::released;
  }
  co_return false;
}

Task<void> run_once(Client& me, PeriodOptions options) {
  LeaseLock lock(me.store(), me.time());
  const LockName name = *LockName::parse(period_lock_name);
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, options.ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  // The period begins with the answer, which is later than the grant: it never ends too early at
  // the store.
  const TimePoint granted = me.time().now();
  Lease lease = std::get<Lease>(*outcome).staying_until(granted + options.stays);
  me.enter(period_lock_name, lease.fencing(), lease.certain_until());
  if (options.runs > Duration::zero()) co_await me.time().sleep_until(granted + options.runs);
  if (options.renews) {
    const Result<RenewOutcome> renewed = co_await lock.renew(lease);
    if (renewed && std::holds_alternative<Lease>(*renewed)) lease = std::get<Lease>(*renewed);
    me.believes_until(period_lock_name, lease.certain_until());
  }
  // A release after the period frees the lock.
  const TimePoint over = granted + options.period;
  me.believes_until(period_lock_name, std::min(lease.certain_until(), over));
  if (co_await released(&lock, lease)) {
    me.believes_until(period_lock_name, over);
    co_await me.time().sleep_until(over);
  }
  co_await me.leave(period_lock_name);
}

}  // namespace

Program periodic_job(PeriodOptions options) {
  return [options](Client& me) { return run_once(me, options); };
}

Scenario period_scenario(std::size_t clients, PeriodOptions options, std::size_t instants) {
  Property once = lease_exclusion(period_lock_name);
  once.goal = "make two clients do the work of " + std::string(period_lock_name) + " in one period";
  Scenario scenario("period");
  scenario.clients(clients, periodic_job(options)).instants(instants).require(std::move(once));
  return scenario;
}

}  // namespace interlock::sim::catalogue
