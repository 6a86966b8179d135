// Deliberately broken twins of the lock with a queue. Each must be caught, by the property that it
// breaks, within a stated number of states: a search that finds nothing wrong with these proves
// nothing about the lock.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::LeaseClientOptions;
using catalogue::queue_client_options;
using catalogue::queue_lock_scenario;

using Keys = std::vector<Key>;
using Arguments = std::vector<std::string>;

// A keyspace that passes everything on; a mutant changes what it says or does.
class Tampered : public Keyspace {
 public:
  Tampered(Keyspace& keyspace, const Keys& keys, const Arguments& arguments)
      : inner_(keyspace), keys_(keys), arguments_(arguments) {}
  StoreTime now() const override { return inner_.now(); }
  std::optional<Entry> find(const Key& key) override { return inner_.find(key); }
  void put(const Key& key, Entry entry) override { inner_.put(key, std::move(entry)); }
  void erase(const Key& key) override { inner_.erase(key); }
  std::int64_t publish(const Channel& channel, const std::string& message) override {
    return inner_.publish(channel, message);
  }

 protected:
  const Key& lock() const { return keys_[0]; }
  const Key& counter() const { return keys_[1]; }
  const Key& queue() const { return keys_[2]; }
  const std::string& owner() const { return arguments_[0]; }

  Keyspace& inner_;

 private:
  const Keys& keys_;
  const Arguments& arguments_;
};

template <class Mutant>
Reply claim_with(Keyspace& keyspace, const Keys& keys, const Arguments& arguments) {
  Mutant mutant(keyspace, keys, arguments);
  return queue_claim_script().run(mutant, keys, arguments);
}
template <class Mutant>
Reply release_with(Keyspace& keyspace, const Keys& keys, const Arguments& arguments) {
  Mutant mutant(keyspace, keys, arguments);
  return queue_release_script().run(mutant, keys, arguments);
}
// Scripts live as long as the program, and no two of one name in one search.
template <class Mutant>
QueueScripts claiming() {
  static const Script script("broken_claim", "", claim_with<Mutant>);
  QueueScripts scripts;
  scripts.claim = &script;
  return scripts;
}
template <class Mutant>
QueueScripts releasing() {
  static const Script script("broken_release", "", release_with<Mutant>);
  QueueScripts scripts;
  scripts.release = &script;
  return scripts;
}

enum class Time { passes_at_will, passes_when_all_wait };

Scenario scenario_of(LeaseClientOptions options, Time time, FaultBudget faults = {}) {
  Scenario scenario = queue_lock_scenario(3, std::move(options), 4);
  if (time == Time::passes_when_all_wait) {
    scenario.require(first_come_first_served(lease_lock_name));
    faults.pauses(0);
  }
  scenario.faults(faults);
  return scenario;
}

void expect_caught(const Scenario& scenario,
                   const std::string& property,
                   std::uint64_t within_states) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, property) << describe(verdict) << describe(verdict.run);
  EXPECT_LE(verdict.states, within_states) << describe(verdict);
}

const std::string first_come = "first come, first served on deploy";
const std::string wake_up = "no lost wake-up on deploy";
const std::string unheard = "no unheard grant of deploy";
const std::string dead = std::string("never ") + catalogue::broken_lease::dead_on_arrival;
const std::string no_overwrite = "nobody overwrites deploy while another has it";
const std::string grows = "fencing tokens of deploy grow";
const std::string owners = "only the owner releases or renews deploy";
const std::string orphan = "no orphan of deploy";

// The same scenarios find nothing wrong with the lock itself.
TEST(QueueLockMutants, TheLockItselfIsProvedInEachOfTheirScenarios) {
  for (const FaultBudget& faults :
       {FaultBudget(), FaultBudget().allow(Fault::crash), FaultBudget().allow(Fault::lost_reply)}) {
    const Verdict verdict =
        explore(scenario_of(queue_client_options(), Time::passes_when_all_wait, faults));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
  const Verdict verdict = explore(scenario_of(queue_client_options(), Time::passes_at_will));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

class TellsNobody final : public Tampered {
 public:
  using Tampered::Tampered;
  std::int64_t publish(const Channel&, const std::string&) override { return 0; }
};
TEST(QueueLockMutants, AnOfferThatNobodyIsToldOf) {
  expect_caught(scenario_of(queue_client_options(releasing<TellsNobody>()), Time::passes_at_will),
                unheard, 20'000);
}

class EverybodyIsTheOwner final : public Tampered {
 public:
  using Tampered::Tampered;
  std::optional<Entry> find(const Key& key) override {
    auto entry = inner_.find(key);
    if (entry && key == lock()) entry->value = owner();
    return entry;
  }
};
TEST(QueueLockMutants, AConfirmationThatDoesNotLookWhoseItIs) {
  expect_caught(
      scenario_of(queue_client_options(claiming<EverybodyIsTheOwner>()), Time::passes_at_will),
      no_overwrite, 20'000);
}
TEST(QueueLockMutants, AReleaseThatDoesNotLookWhoseItIs) {
  expect_caught(
      scenario_of(queue_client_options(releasing<EverybodyIsTheOwner>()), Time::passes_at_will),
      owners, 100'000);
}

class LastComeFirst final : public Tampered {
 public:
  using Tampered::Tampered;
  void put(const Key& key, Entry entry) override {
    const auto before = key == queue() ? inner_.find(key) : std::nullopt;
    std::vector<std::string> all = entry.lines();
    if (before && before->lines().size() < all.size()) {
      std::rotate(all.begin(), all.end() - 1, all.end());
      entry = Entry::list(all, entry.expiry);
    }
    inner_.put(key, std::move(entry));
  }
};
TEST(QueueLockMutants, AQueueThatIsAStack) {
  expect_caught(
      scenario_of(queue_client_options(claiming<LastComeFirst>()), Time::passes_when_all_wait),
      first_come, 20'000);
}

class ForgetsTheLast final : public Tampered {
 public:
  using Tampered::Tampered;
  void put(const Key& key, Entry entry) override {
    if (key == queue()) {
      std::vector<std::string> all = entry.lines();
      if (all.size() > 1) all.pop_back();
      entry = Entry::list(all, entry.expiry);
    }
    inner_.put(key, std::move(entry));
  }
};
TEST(QueueLockMutants, AReleaseThatForgetsALivingWaiter) {
  expect_caught(
      scenario_of(queue_client_options(releasing<ForgetsTheLast>()), Time::passes_when_all_wait),
      wake_up, 20'000);
}

// That nobody starves is then not proved: only the end of the holder's ttl, which those bounds do
// not reach, would wake it.
TEST(QueueLockMutants, AWaiterThatIsForgottenMayStarve) {
  LeaseClientOptions options = queue_client_options(releasing<ForgetsTheLast>());
  options.ttl = Ttl(std::chrono::seconds{3});
  Scenario scenario("forgotten");
  scenario.clients(3, catalogue::lease_client(options))
      .instants(2)
      .require(every_waiter_acquires(lease_lock_name));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
}

class SeesNoQueue final : public Tampered {
 public:
  using Tampered::Tampered;
  std::optional<Entry> find(const Key& key) override {
    if (key == queue() && !inner_.find(lock())) return std::nullopt;
    return inner_.find(key);
  }
};
TEST(QueueLockMutants, ANewcomerThatTakesAFreeLockBeforeTheQueue) {
  expect_caught(scenario_of(queue_client_options(claiming<SeesNoQueue>()),
                            Time::passes_when_all_wait, FaultBudget().allow(Fault::crash)),
                first_come, 20'000);
}

class CountsNoOffer final : public Tampered {
 public:
  using Tampered::Tampered;
  void put(const Key& key, Entry entry) override {
    if (key != counter()) inner_.put(key, std::move(entry));
  }
};
TEST(QueueLockMutants, AnOfferWithoutAFencingTokenOfItsOwn) {
  expect_caught(scenario_of(queue_client_options(releasing<CountsNoOffer>()), Time::passes_at_will),
                grows, 20'000);
}

class OffersForEver final : public Tampered {
 public:
  using Tampered::Tampered;
  void put(const Key& key, Entry entry) override {
    if (key == lock()) entry.expiry.reset();
    inner_.put(key, std::move(entry));
  }
};
TEST(QueueLockMutants, AnOfferWithoutAnEnd) {
  expect_caught(scenario_of(queue_client_options(releasing<OffersForEver>()), Time::passes_at_will,
                            FaultBudget().allow(Fault::crash)),
                orphan, 2'000'000);
}

class OffersTheSecond final : public Tampered {
 public:
  using Tampered::Tampered;
  std::optional<Entry> find(const Key& key) override {
    auto entry = inner_.find(key);
    if (entry && key == queue()) {
      std::vector<std::string> all = entry->lines();
      if (all.size() > 1) std::swap(all[0], all[1]);
      entry = Entry::list(all, entry->expiry);
    }
    return entry;
  }
};
TEST(QueueLockMutants, AReleaseThatOffersToTheSecond) {
  expect_caught(
      scenario_of(queue_client_options(releasing<OffersTheSecond>()), Time::passes_when_all_wait),
      first_come, 20'000);
}

class WakesWithoutOffer final : public Tampered {
 public:
  using Tampered::Tampered;
  void put(const Key& key, Entry entry) override {
    if (key == lock()) {
      inner_.erase(key);
    } else {
      inner_.put(key, std::move(entry));
    }
  }
};
TEST(QueueLockMutants, AReleaseThatWakesTheFirstAndLeavesTheLockFree) {
  expect_caught(
      scenario_of(queue_client_options(releasing<WakesWithoutOffer>()), Time::passes_when_all_wait),
      first_come, 20'000);
}

class SendsToTheBack final : public Tampered {
 public:
  using Tampered::Tampered;
  std::optional<Entry> find(const Key& key) override {
    auto entry = inner_.find(key);
    if (entry && key == queue()) {
      std::vector<std::string> all = entry->lines();
      std::stable_partition(all.begin(), all.end(), [&](const std::string& line) {
        return !line.starts_with(owner() + " ");
      });
      entry = Entry::list(all, entry->expiry);
    }
    return entry;
  }
};
TEST(QueueLockMutants, AWaiterThatAsksAgainAndLosesItsPlace) {
  expect_caught(scenario_of(queue_client_options(claiming<SendsToTheBack>()),
                            Time::passes_when_all_wait, FaultBudget().allow(Fault::crash)),
                first_come, 20'000);
}

Reply claim_with_short_memory(Keyspace& keyspace, const Keys& keys, const Arguments& arguments) {
  Arguments changed = arguments;
  if (changed.size() > 6) changed[6] = "-1000";
  return queue_claim_script().run(keyspace, keys, changed);
}
TEST(QueueLockMutants, APlaceThatIsGivenUpWhileItsWaiterSleeps) {
  static const Script script("broken_claim", "", claim_with_short_memory);
  QueueScripts scripts;
  scripts.claim = &script;
  expect_caught(scenario_of(queue_client_options(scripts), Time::passes_when_all_wait,
                            FaultBudget().allow(Fault::crash)),
                wake_up, 20'000);
}

// The protocol instead of its scripts: takes being told that its turn has come for the lock itself.
class ActsOnTheMessage final : public LockProtocol {
 public:
  ActsOnTheMessage(KeyValueStore& store, TimeSource& time)
      : lock_(store, time, SafetyMargin(), catalogue::simulated_queue_policy()), time_(time) {}
  std::string_view id() const noexcept override { return lock_.id(); }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override {
    return lock_.try_acquire(name, owner, ttl);
  }
  Task<Result<AcquireOutcome>> queue_up(
      LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> ear, Asks asks) override {
    const TimePoint now = time_.now();
    Result<AcquireOutcome> outcome = co_await lock_.queue_up(name, owner, ttl, ear, asks);
    const bool queued = outcome && std::holds_alternative<Busy>(*outcome);
    if (!queued) co_return outcome;
    Lease lease(name, owner, FencingToken(1), ttl, now, SafetyMargin());
    co_return AcquireOutcome(std::move(lease));
  }
  Task<Result<RenewOutcome>> renew(Lease lease) override { return lock_.renew(lease); }
  Task<Result<ReleaseOutcome>> release(Lease lease) override { return lock_.release(lease); }
  std::optional<Channel> release_channel(const LockName& name) const override {
    return lock_.release_channel(name);
  }
  bool has_queue() const noexcept override { return true; }
  OwnerToken owner(OwnerToken fresh) const override { return lock_.owner(fresh); }

 private:
  QueueLock lock_;
  TimeSource& time_;
};
TEST(QueueLockMutants, AProtocolThatTakesAPlaceForTheLock) {
  LeaseClientOptions options = queue_client_options();
  options.lock = [](KeyValueStore& store, TimeSource& time) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<ActsOnTheMessage>(store, time);
  };
  expect_caught(scenario_of(options, Time::passes_at_will), dead, 1'000);
}

}  // namespace
}  // namespace interlock::sim
