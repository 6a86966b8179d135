#include "interlock/sim/catalogue/lock_set.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "interlock/protocols/queue_lock.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"

namespace interlock::sim::catalogue {
namespace {

class TakenLock {
 public:
  TakenLock(std::size_t number, Lease granted) : at(number), lease(std::move(granted)) {}
  std::size_t at;
  Lease lease;
};

class SimulatedSet final : public LockSet {
 public:
  SimulatedSet(Client& me, LockClient& client, SetClientOptions options)
      : me_(me), client_(client), options_(std::move(options)), began_(me.time().now()) {}

  // --- for take_all ------------------------------------------------------------------------------
  Task<Result<std::optional<Busy>>> take(std::size_t at, std::optional<Duration> limit) override {
    me_.reach(broken_set::waits_with_locks, !limit && !taken_.empty());
    AcquireOptions options(options_.ttl);
    options.wait = limit;
    if (options_.wait) {
      const Duration left = std::max(began_ + *options_.wait - me_.time().now(), Duration::zero());
      options.wait = limit ? std::min(*limit, left) : left;
    }
    const LockName name = *LockName::parse(options_.names[at]);
    Result<AcquireOutcome> outcome = co_await client_.acquire(name, options);
    if (!outcome) co_return std::move(outcome).error();
    if (const Busy* const busy = std::get_if<Busy>(&*outcome)) co_return std::optional(*busy);
    taken_.emplace_back(at, std::get<Lease>(*std::move(outcome)));
    co_return std::optional<Busy>();
  }
  Task<void> give_back() override {
    for (; !taken_.empty(); taken_.pop_back()) {
      static_cast<void>(co_await client_.release(taken_.back().lease));
    }
  }
  std::optional<std::size_t> lost() const override {
    for (const TakenLock& each : taken_) {
      if (each.lease.state(me_.time().now()) == LeaseState::lost) return each.at;
    }
    return std::nullopt;
  }
  TimePoint now() const override { return me_.time().now(); }
  bool may_wait() const override {
    return !options_.wait || me_.time().now() < began_ + *options_.wait;
  }

  Task<void> use() {
    me_.reach(broken_set::part, taken_.size() != options_.names.size());
    me_.reach(broken_set::ended, lost().has_value());
    for (const TakenLock& each : taken_) {
      me_.enter(options_.names[each.at], each.lease.fencing(), each.lease.certain_until());
    }
    if (options_.stays > Duration::zero()) {
      co_await me_.time().sleep_until(me_.time().now() + options_.stays);
    }
    for (const TakenLock& each : taken_) co_await me_.leave(options_.names[each.at]);
    co_await give_back();
  }

 private:
  Client& me_;
  LockClient& client_;
  const SetClientOptions options_;
  const TimePoint began_;
  std::vector<TakenLock> taken_;
};

Task<void> take_and_use(Client& me, SetClientOptions options) {
  const std::unique_ptr<LockProtocol> lock = options.lock(me.store(), me.time());
  LockClient client(me.store(), *lock, me.time(), me.tokens(), nullptr, simulated_wait_policy());
  SimulatedSet set(me, client, options);
  const TakenSet taken = co_await take_all(set, options.names.size(), options.policy);
  const bool all = taken && !*taken;
  me.reach(broken_set::gives_up, !all);
  if (all) co_await set.use();
}

}  // namespace

SetClientOptions::SetClientOptions() {
  policy.first_hold_and_wait = std::chrono::seconds{1};
  policy.longest_hold_and_wait = std::chrono::seconds{4};
  lock = [](KeyValueStore& store, TimeSource& time) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<QueueLock>(store, time, SafetyMargin(), simulated_queue_policy());
  };
}

SetClientOptions::SetClientOptions(std::vector<std::string> of) : SetClientOptions() {
  names = std::move(of);
}

Program set_client(SetClientOptions options) {
  return [options = std::move(options)](Client& me) { return take_and_use(me, options); };
}

Scenario lock_set_scenario(std::vector<SetClientOptions> clients, std::size_t instants) {
  Scenario scenario("lock-set");
  std::map<std::string, std::size_t> wanted_by;
  for (SetClientOptions& each : clients) {
    for (const std::string& name : each.names) ++wanted_by[name];
    scenario.client(set_client(std::move(each)));
  }
  scenario.instants(instants).long_lived_keys_stay();
  for (const auto& [name, count] : wanted_by) {
    require_if(count > 1, scenario, lease_exclusion(name)).require(gone_leave_nothing(name));
  }
  return scenario.require(never(broken_set::waits_with_locks))
      .require(never(broken_set::part))
      .require(never(broken_set::ended))
      .offer(never(broken_set::gives_up));
}

}  // namespace interlock::sim::catalogue
