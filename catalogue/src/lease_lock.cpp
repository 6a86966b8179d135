#include "interlock/sim/catalogue/lease_lock.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/protocols/lease_lock.hpp"
#include "interlock/renewal.hpp"
#include "interlock/store/lock_keys.hpp"
#include "watched_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::array<const char*, 9> all_broken{
    broken_lease::dead_on_arrival, broken_lease::own_ghost,       broken_lease::waits_on,
    broken_lease::listens_in_vain, broken_lease::still_listening, broken_lease::told_after_stop,
    broken_lease::dead_renewal,    broken_lease::empty_renewal,   broken_lease::revival};

// All that decides what a client does next and that does not show in what it waits for.
class Memory {
 public:
  static constexpr SubscriptionId nowhere = -1;
  static constexpr std::int64_t no_end = TimePoint::max().time_since_epoch().count();

  std::size_t kind = 0;    // the number of its options, if there are several
  std::int64_t began = 0;  // matters only to a wait with a limit
  int phase = 0;
  int writes_left = 0;
  int claims_in_try = 0;
  std::int64_t told_until = no_end;  // while it waits: the end of the holder's lease, as last heard
  SubscriptionId listens_on = nowhere;
  SubscriptionId ended = nowhere;  // the store has told it that this subscription has ended
  std::int64_t granted_sent = 0;   // of the lease, until there is a keeper
  std::int64_t granted_fencing = 0;
  const WatchedLock* tries = nullptr;
  const Cancellation* cancellation = nullptr;
  const LeaseKeeper* keeper = nullptr;

  std::vector<std::int64_t> values() const {
    std::vector<std::int64_t> values{began, phase, writes_left, claims_in_try};
    values.push_back(static_cast<std::int64_t>(kind));
    values.insert(values.end(), {listens_on, ended});
    values.push_back(cancellation != nullptr && cancellation->requested() ? 1 : 0);
    if (keeper == nullptr) {
      values.push_back(told_until);
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

// The store, and a record of what it was asked: LeaseLock gives up after some lost answers, and
// LockClient listens for as long as the last answer said, but no longer than its own limit.
class RecordedStore final : public KeyValueStore, public EventSink {
 public:
  RecordedStore(Client& me, Memory& memory, std::optional<Duration> wait)
      : me_(me), memory_(memory) {
    if (wait) deadline_ = me.time().now() + *wait;
  }
  Submitted submit(PendingOperation& pending) override {
    const Operation& operation = pending.operation();
    last_ = operation.kind;
    if (last_ == OperationKind::claim || last_ == OperationKind::run) ++memory_.claims_in_try;
    if (last_ == OperationKind::await_message) listens(operation);
    const bool here = operation.subscription == memory_.listens_on;
    if (last_ == OperationKind::unsubscribe && here) memory_.listens_on = Memory::nowhere;
    return me_.store().submit(pending);
  }
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::waiting) waits(event);
    if (event.kind == EventKind::error && last_ == OperationKind::await_message) {
      memory_.ended = std::exchange(memory_.listens_on, Memory::nowhere);
    }
  }

 private:
  void waits(const Event& event) {
    me_.reach(broken_lease::own_ghost, event.busy->holder.text().starts_with(event.owner.text()));
    TimePoint until = TimePoint::max();
    if (event.busy->remaining) {
      until = me_.time().now() + *event.busy->remaining + milliseconds{1};
    }
    memory_.told_until = until.time_since_epoch().count();
  }
  void listens(const Operation& operation) {
    me_.reach(broken_lease::listens_in_vain, operation.subscription == memory_.ended);
    const TimePoint told_until(Duration(memory_.told_until));
    me_.reach(broken_lease::waits_on, operation.until > std::min(deadline_, told_until));
    memory_.listens_on = operation.subscription;
  }

  Client& me_;
  Memory& memory_;
  OperationKind last_ = OperationKind::get;
  TimePoint deadline_ = TimePoint::max();
};

// Records what it was asked and what it granted: LockClient may still be ending its subscription
// when the lease is already granted.
class SeenLock final : public WatchedLock {
 public:
  SeenLock(Client& me, LockProtocol& lock, Memory& memory)
      : WatchedLock(lock, me.time()), me_(me), memory_(memory) {
    memory_.tries = this;
  }
  Task<Result<RenewOutcome>> renew(Lease lease) override {
    me_.reach(broken_lease::revival, lease.state(me_.time().now()) == LeaseState::lost);
    return WatchedLock::renew(lease);
  }

 private:
  void begins() override { memory_.claims_in_try = 0; }
  void ends(const Result<AcquireOutcome>& outcome) override {
    memory_.claims_in_try = 0;
    if (const Lease* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
      memory_.granted_sent = lease->sent().time_since_epoch().count();
      memory_.granted_fencing = static_cast<std::int64_t>(lease->fencing().value());
      me_.reach(broken_lease::dead_on_arrival, lease->state(me_.time().now()) == LeaseState::lost);
    }
  }

  Client& me_;
  Memory& memory_;
};

// Hears what the keeper reports, and checks that the keeper may report it then.
class Listener final : public LeaseListener {
 public:
  Listener(Client& me, const Lease& lease) : me_(me), certain_until_(lease.certain_until()) {}
  void on_renewed(const Lease& lease, Duration) override {
    speak();
    me_.reach(broken_lease::dead_renewal, lease.state(me_.time().now()) == LeaseState::lost);
    me_.reach(broken_lease::empty_renewal, lease.certain_until() <= certain_until_);
    certain_until_ = lease.certain_until();
    me_.believes_until(lease_lock_name, certain_until_);
  }
  void on_at_risk(const Lease&) override { speak(); }
  void on_lost(const Lease&, LossReason) override {
    speak();
    lost_ = true;
  }
  void on_renewal_error(const Lease&, const Error&) override { speak(); }

  void stopped() { stopped_ = true; }
  bool lost() const { return lost_; }

 private:
  void speak() { me_.reach(broken_lease::told_after_stop, stopped_); }

  Client& me_;
  TimePoint certain_until_;
  bool lost_ = false;
  bool stopped_ = false;
};

Task<void> stay_in_section(Client& me,
                           LeaseClientOptions options,
                           Memory* memory,
                           const Listener* listener) {
  const LeaseKeeper& keeper = *memory->keeper;
  me.enter(lease_lock_name, keeper.lease().fencing(), keeper.lease().certain_until());
  if (options.stays > Duration::zero()) {
    co_await me.time().sleep_until(me.time().now() + options.stays);
  }
  for (; memory->writes_left > 0 && !listener->lost(); --memory->writes_left) {
    const bool accepted = co_await me.write(lease_lock_resource, keeper.lease().fencing());
    if (!accepted) break;
  }
  memory->phase = 2;
  co_await me.leave(lease_lock_name);
}

Task<void> use(Client& me,
               LeaseClientOptions options,
               Memory* memory,
               LockClient* client,
               SeenLock* lock,
               Lease lease) {
  Listener listener(me, lease);
  LeaseKeeper keeper(*lock, me.time(), listener, lease);
  memory->phase = 1;
  memory->keeper = &keeper;
  if (options.renews) {
    me.spawn("renewal", keeper.renew());
    me.spawn("watch", keeper.watch());
  }
  co_await stay_in_section(me, options, memory, &listener);
  memory->phase = 3;
  keeper.stop();
  listener.stopped();
  static_cast<void>(co_await client->release(keeper.lease()));
  memory->phase = 4;
  co_await me.joined();
}

Task<void> give_up(Client& me, Duration after, Cancellation* cancellation) {
  co_await me.time().sleep_until(me.time().now() + after);
  cancellation->request();
}

Task<void> lease_worker(Client& me, std::vector<LeaseClientOptions> kinds) {
  // Tells the search that this program checks for each of them. A client that does not renew never
  // comes to the checks of renewals.
  for (const char* broken : all_broken) me.reach(broken, false);
  Memory memory;
  if (kinds.size() > 1) memory.kind = me.choose(kinds.size());
  const LeaseClientOptions options = kinds[memory.kind];
  memory.writes_left = options.writes;
  if (options.wait) memory.began = me.time().now().time_since_epoch().count();
  Cancellation cancellation;
  memory.cancellation = &cancellation;
  me.remembers([&memory] { return memory.values(); });

  RecordedStore store(me, memory, options.wait);
  const std::unique_ptr<LockProtocol> protocol = options.lock(store, me.time());
  SeenLock lock(me, *protocol, memory);
  LockClient client(store, lock, me.time(), me.tokens(), &store, simulated_wait_policy());
  AcquireOptions acquire(options.ttl);
  acquire.wait = options.wait;
  const LockName name = *LockName::parse(lease_lock_name);
  me.wants(lease_lock_name);
  if (options.cancelled_after) {
    me.spawn("caller", give_up(me, *options.cancelled_after, &cancellation));
  }
  const Result<AcquireOutcome> outcome = co_await client.acquire(name, acquire, &cancellation);
  me.reach(broken_lease::still_listening,
           !lock.has_queue() && memory.listens_on != Memory::nowhere);
  if (const Lease* granted = outcome ? std::get_if<Lease>(&*outcome) : nullptr) {
    const Lease lease = *granted;
    co_await use(me, options, &memory, &client, &lock, lease);
  } else {
    me.gives_up(lease_lock_name);
    memory.phase = 4;
    co_await me.joined();
  }
}

}  // namespace

bool somebody_waits(std::size_t clients, const std::vector<LeaseClientOptions>& kinds) {
  const auto waits = [](const LeaseClientOptions& kind) { return kind.wait != Duration::zero(); };
  return clients > 1 && std::any_of(kinds.begin(), kinds.end(), waits);
}

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
  return lease_client(std::vector<LeaseClientOptions>{std::move(options)});
}
Program lease_client(std::vector<LeaseClientOptions> options) {
  return [=](Client& me) { return lease_worker(me, options); };
}

Scenario& require_if(bool it_may_break, Scenario& scenario, Property property) {
  return it_may_break ? scenario.require(std::move(property)) : scenario.offer(std::move(property));
}

Scenario& require_lease_promises(Scenario& scenario) {
  const bool others = scenario.processes().size() > 1;
  scenario.resource_checks_fencing(lease_lock_resource)
      .require(fenced_writes(lease_lock_resource))
      .require(fencing_grows(lease_lock_name));
  require_if(others, scenario, owner_only(lease_lock_name));
  return require_if(others, scenario, no_overwrite(lease_lock_name))
      .require(no_orphan(lease_lock_name))
      .require(no_orphan(fencing_key(Key(lease_lock_name)).text()));
}

Scenario& require_lease_client_promises(Scenario& scenario) {
  for (const char* broken : all_broken) scenario.require(never(broken));
  return scenario;
}

Scenario& require_kept_keys_promises(Scenario& scenario) {
  return scenario.require(lease_exclusion(lease_lock_name))
      .require(gone_leave_nothing(lease_lock_name));
}

Scenario lease_lock_scenario(std::size_t clients,
                             LeaseClientOptions options,
                             std::size_t instants,
                             Duration wake_up_within) {
  std::vector<LeaseClientOptions> one{std::move(options)};
  return lease_lock_scenario(clients, std::move(one), instants, wake_up_within);
}

Scenario lease_lock_scenario(std::size_t clients,
                             std::vector<LeaseClientOptions> options,
                             std::size_t instants,
                             Duration wake_up_within) {
  Scenario scenario("lease-lock");
  const bool waits = somebody_waits(clients, options);
  scenario.clients(clients, lease_client(std::move(options))).instants(instants);
  require_lease_client_promises(require_lease_promises(scenario));
  return require_if(waits, scenario, no_lost_wake_up(lease_lock_name, wake_up_within))
      .offer(mutual_exclusion(lease_lock_name))
      .offer(every_waiter_acquires(lease_lock_name));
}

}  // namespace interlock::sim::catalogue
