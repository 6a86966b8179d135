// Clients whose store is away when they release, and clients that wait for a lock which is free
// without an announcement.
#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "promises.hpp"

namespace interlock::mutants {
namespace {

using sim::Client;
using std::chrono::seconds;

LockName name() {
  return *LockName::parse(lock_name);
}

const Lease* granted(const Result<AcquireOutcome>& outcome) {
  return outcome ? std::get_if<Lease>(&*outcome) : nullptr;
}

Task<std::string> holder_of_it(Client& me) {
  const Result<std::optional<std::string>> value = co_await me.store().get(lock_key(name()));
  co_return value&&* value ? **value : std::string();
}

Task<void> finish(Client& me, Terms terms) {
  LeaseLock lock(me.store(), me.time(), terms.margin);
  LockClient client(me.store(), lock, me.time(), me.tokens(), nullptr,
                    sim::catalogue::simulated_wait_policy());
  const OwnerToken owner = me.tokens().fresh();
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name(), owner, terms.ttl);
  if (granted(outcome) == nullptr) co_return;
  const Lease lease = *granted(outcome);
  const Result<ReleaseOutcome> released = co_await client.release(lease);
  if (released) co_return;
  const TimePoint began = me.time().now();
  co_await client.finish_release(lease);
  // A lease and its margin end within the instant after its ttl.
  const Duration longest = lease.ttl().duration() + seconds{1};
  if (me.time().now() - began > longest) me.reach(broken::releases_on);
  const std::string holder = co_await holder_of_it(me);
  if (holder == owner.text()) me.reach(broken::unfinished);
}

Task<void> notice(Client& me, Noticing noticing) {
  const TimePoint began = me.time().now();
  WaitPolicy policy = sim::catalogue::simulated_wait_policy();
  policy.recheck_interval = noticing.recheck;
  LeaseLock plain(me.store(), me.time());
  QueueLock queue(me.store(), me.time(), SafetyMargin(), sim::catalogue::simulated_queue_policy());
  LockProtocol& lock = noticing.fair ? static_cast<LockProtocol&>(queue) : plain;
  LockClient client(me.store(), lock, me.time(), me.tokens(), nullptr, policy);
  const AcquireOptions options(Ttl(seconds{1}));
  static_cast<void>(co_await client.acquire(name(), options));
  if (me.time().now() - began > noticing.must_end_after) me.reach(broken::waits_on);
}

Task<void> remove(Client& me, std::optional<OwnerToken> releases) {
  static_cast<void>(co_await me.store().erase(lock_key(name())));
  if (!releases) co_return;
  const OwnerToken owner = *releases;
  static_cast<void>(co_await me.store().release(lock_key(name()), owner));
}

}  // namespace

sim::Program finisher(Terms terms) {
  return [=](Client& me) { return finish(me, terms); };
}
sim::Program noticer(Noticing noticing) {
  return [=](Client& me) { return notice(me, noticing); };
}
sim::Program remover(std::optional<OwnerToken> releases) {
  return [=](Client& me) { return remove(me, releases); };
}

}  // namespace interlock::mutants
