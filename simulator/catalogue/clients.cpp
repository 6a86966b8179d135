#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Task<void> inside(Client& me, LockProtocol* lock, Visit visit, Lease lease) {
  me.enter(visit.lock, lease.fencing());
  if (visit.stays > Duration::zero()) co_await me.time().sleep_until(me.time().now() + visit.stays);
  if (visit.writes) static_cast<void>(co_await me.write(database, lease.fencing()));
  co_await me.leave(visit.lock);
  for (int left = visit.releases; left > 0; --left) {
    const Result<ReleaseOutcome> released = co_await lock->release(lease);
    if (released || released.error().code() != Errc::indeterminate) break;
  }
}

Task<void> visit_once(Client& me, MakeLock make, Visit visit, Duration ahead) {
  ClockAhead wall(me.wall_clock(), ahead);
  const std::unique_ptr<LockProtocol> lock = make(me, wall);
  const LockName name = *LockName::parse(visit.lock);
  OwnerToken owner;
  if (visit.draws_token) owner = me.tokens().fresh();
  me.wants(visit.lock);
  for (std::int64_t left = visit.attempts; visit.waits_for_ever || left > 0; --left) {
    const std::int64_t live = visit.waits_for_ever ? 0 : left;
    co_await me.loop_head(live);
    const Result<AcquireOutcome> outcome = co_await lock->try_acquire(name, owner, visit.ttl);
    const Lease* held = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    if (held != nullptr) {
      const Lease lease = *held;
      co_await inside(me, lock.get(), visit, lease);
      co_return;
    }
    if (visit.waits_for_ever || left > 1) {
      co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
    }
  }
}

}  // namespace

MakeLock stamp_lock_of(flawed::StampOptions options) {
  return [options](Client& me, TimeSource& wall) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<flawed::StampLock>(me.store(), wall, options);
  };
}

MakeLock ttl_lock_of(flawed::TtlOptions options) {
  return [options](Client& me, TimeSource&) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<flawed::TtlLock>(me.store(), me.time(), options);
  };
}

Program visitor(MakeLock make, Visit visit, Duration ahead) {
  return [=](Client& me) { return visit_once(me, make, visit, ahead); };
}

}  // namespace interlock::sim::catalogue
