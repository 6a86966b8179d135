#include "interlock/sim/catalogue/lease_lock.hpp"

#include "interlock/protocols/lease_lock.hpp"
#include "interlock/renewal.hpp"
#include "watched_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

class StopWhenLost final : public LeaseListener {
 public:
  void on_renewed(const Lease&, Duration) override {}
  void on_at_risk(const Lease&) override {}
  void on_lost(const Lease&, LossReason) override { lost_ = true; }
  void on_renewal_error(const Lease&, const Error&) override {}

  bool lost() const { return lost_; }

 private:
  bool lost_ = false;
};

// All that decides what a client does next and that does not show in what it waits for.
class Memory {
 public:
  std::int64_t began = 0;  // matters only to a wait with a limit
  int phase = 0;
  int writes_left = 0;
  int claims_in_try = 0;
  std::int64_t granted_sent = 0;  // until there is a keeper
  std::int64_t granted_fencing = 0;
  const WatchedLock* tries = nullptr;
  const LeaseKeeper* keeper = nullptr;
  const StopWhenLost* listener = nullptr;

  std::vector<std::int64_t> values() const {
    std::vector<std::int64_t> values{began, phase, writes_left, claims_in_try};
    if (keeper == nullptr) {
      values.push_back(granted_sent);
      values.push_back(granted_fencing);
      const std::vector<std::int64_t> tried =
          tries == nullptr ? std::vector<std::int64_t>() : tries->remembers();
      values.insert(values.end(), tried.begin(), tried.end());
      return values;
    }
    values.push_back(keeper->lease().sent().time_since_epoch().count());
    values.push_back(static_cast<std::int64_t>(keeper->lease().fencing().value()));
    values.push_back(keeper->lost() ? 1 : 0);
    return values;
  }
};

// The store, and a count of what a try has sent: LeaseLock gives up after some lost answers.
class SeenStore final : public KeyValueStore {
 public:
  SeenStore(KeyValueStore& store, Memory& memory) : store_(store), memory_(memory) {}
  Submitted submit(PendingOperation& pending) override {
    const OperationKind kind = pending.operation().kind;
    const bool claims = kind == OperationKind::claim || kind == OperationKind::run;
    if (claims) ++memory_.claims_in_try;
    return store_.submit(pending);
  }

 private:
  KeyValueStore& store_;
  Memory& memory_;
};

// What it grants: LockClient may still be busy with its subscription when the lease is already
// decided.
class SeenLock final : public WatchedLock {
 public:
  SeenLock(LockProtocol& lock, TimeSource& time, Memory& memory)
      : WatchedLock(lock, time), memory_(memory) {
    memory_.tries = this;
  }

 private:
  void begins() override { memory_.claims_in_try = 0; }
  void ends(const Result<AcquireOutcome>& outcome) override {
    memory_.claims_in_try = 0;
    if (const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
      memory_.granted_sent = lease->sent().time_since_epoch().count();
      memory_.granted_fencing = static_cast<std::int64_t>(lease->fencing().value());
    }
  }

  Memory& memory_;
};

Task<void> write_in_section(Client& me, Lease lease, Memory* memory) {
  me.enter(lease_lock_name, lease.fencing());
  for (; memory->writes_left > 0 && !memory->listener->lost(); --memory->writes_left) {
    const bool accepted = co_await me.write(lease_lock_resource, lease.fencing());
    if (!accepted) break;
  }
  memory->phase = 2;
  co_await me.leave(lease_lock_name);
}

Task<void> lease_worker(Client& me, LeaseClientOptions options) {
  Memory memory;
  memory.writes_left = options.writes;
  if (options.wait) memory.began = me.time().now().time_since_epoch().count();
  me.remembers([&memory] { return memory.values(); });

  SeenStore store(me.store(), memory);
  const std::unique_ptr<LockProtocol> protocol = options.lock(store, me.time());
  SeenLock lock(*protocol, me.time(), memory);
  LockClient client(store, lock, me.time(), me.tokens(), nullptr, simulated_wait_policy());
  AcquireOptions acquire(options.ttl);
  acquire.wait = options.wait;
  const LockName name = *LockName::parse(lease_lock_name);
  me.wants(lease_lock_name);
  const Result<AcquireOutcome> outcome = co_await client.acquire(name, acquire);
  const Lease* granted = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (granted == nullptr) co_return;
  const Lease lease = *granted;

  StopWhenLost listener;
  LeaseKeeper keeper(lock, me.time(), listener, lease);
  memory.phase = 1;
  memory.listener = &listener;
  memory.keeper = &keeper;
  if (options.renews) {
    me.spawn("renewal", keeper.renew());
    me.spawn("watch", keeper.watch());
  }
  co_await write_in_section(me, lease, &memory);
  memory.phase = 3;
  keeper.stop();
  static_cast<void>(co_await client.release(keeper.lease()));
  memory.phase = 4;
  co_await me.joined();
}

}  // namespace

WaitPolicy simulated_wait_policy() {
  WaitPolicy policy;
  policy.jitter = false;
  policy.poll_interval = std::chrono::seconds{1};
  policy.backoff_first = std::chrono::seconds{1};
  policy.backoff_longest = std::chrono::seconds{1};
  policy.outage_limit = std::chrono::seconds{2};
  return policy;
}

LeaseClientOptions::LeaseClientOptions()
    : lock([](KeyValueStore& store, TimeSource& time) -> std::unique_ptr<LockProtocol> {
        return std::make_unique<LeaseLock>(store, time);
      }) {}

Program lease_client(LeaseClientOptions options) {
  return [=](Client& me) { return lease_worker(me, options); };
}

Scenario& require_lease_promises(Scenario& scenario) {
  return scenario.resource_checks_fencing(lease_lock_resource)
      .require(fenced_writes(lease_lock_resource))
      .require(fencing_grows(lease_lock_name))
      .require(owner_only(lease_lock_name))
      .require(no_overwrite(lease_lock_name))
      .require(no_orphan(lease_lock_name));
}

Scenario lease_lock_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             Duration wake_up_within) {
  Scenario scenario("lease-lock");
  scenario.clients(clients, lease_client(options)).instants(instants);
  require_lease_promises(scenario)
      .require(no_lost_wake_up(lease_lock_name, wake_up_within))
      .offer(mutual_exclusion(lease_lock_name))
      .offer(every_waiter_acquires(lease_lock_name));
  return scenario;
}

}  // namespace interlock::sim::catalogue
