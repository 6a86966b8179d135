// The production locks exclude everybody but holders that outstay their lease: whatever pauses,
// whatever fails once, as long as the store keeps its keys and clocks agree. `INTERLOCK_SLOW` asks
// for the bounds that take seconds.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "interlock/protocols/lease_lock.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/store/lock_keys.hpp"
#include "single_faults.hpp"

namespace interlock::sim {
namespace {

using catalogue::lease_lock_name;
using catalogue::LeaseClientOptions;
using catalogue::queue_client_options;

// Its end lies between two instants: lease and key end at the same one, and not a moment is left in
// which a lease could be too long unseen.
const Ttl half_past{milliseconds{1'500}};

enum class Kind : std::uint8_t { lease_lock, queue_lock };

LeaseClientOptions options_of(Kind kind, bool renews) {
  LeaseClientOptions options =
      kind == Kind::lease_lock ? LeaseClientOptions() : queue_client_options();
  options.ttl = half_past;
  options.renews = renews;
  return options;
}

Verdict search(const LeaseClientOptions& options,
               std::size_t clients,
               std::size_t instants,
               const FaultBudget& faults = {}) {
  Scenario scenario("holders");
  scenario.clients(clients, catalogue::lease_client(options))
      .instants(instants)
      .faults(faults)
      .require(lease_exclusion(lease_lock_name));
  return explore(scenario);
}

void expect_proved(const Verdict& verdict) {
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

void expect_broken(const Verdict& verdict, std::size_t faults) {
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "exclusion within leases of deploy");
  EXPECT_EQ(verdict.run.faults(), faults) << describe(verdict.run);
}

// A store that loses keys, or whose clock is set forward, may grant to another while a lease lasts;
// a client whose clock falls behind takes its own for longer than it is.
bool is_promised_under(Fault fault) {
  switch (fault) {
    case Fault::restart_empty:
    case Fault::eviction:
    case Fault::failover:
    case Fault::clock_jump:
    case Fault::drift:
      return false;
    default:
      return true;
  }
}

void expect_as_promised(const Verdict& verdict, Fault fault) {
  if (is_promised_under(fault)) {
    expect_proved(verdict);
  } else {
    expect_broken(verdict, 1);
  }
}

class WithOneFault : public ::testing::TestWithParam<Fault> {};

#ifdef INTERLOCK_SLOW

TEST_P(WithOneFault, TwoClientsThatRenewExclude) {
  const FaultBudget faults = FaultBudget().allow(GetParam());
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_as_promised(search(options_of(kind, true), 2, 4, faults), GetParam());
  }
}

// What a broken connection loses is proved with two clients.
TEST_P(WithOneFault, ThreeClientsExclude) {
  const FaultBudget faults = FaultBudget().allow(GetParam()).let_requests_survive();
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_as_promised(search(options_of(kind, false), 3, 4, faults), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, WithOneFault, ::testing::Values(INTERLOCK_SLOW), name_of);

#else

TEST_P(WithOneFault, TwoClientsExclude) {
  const FaultBudget faults = FaultBudget().allow(GetParam());
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_as_promised(search(options_of(kind, false), 2, 4, faults), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, WithOneFault, faults_that_keep_keys(), name_of);
INSTANTIATE_TEST_SUITE_P(LocksLoseKeys, WithOneFault, faults_that_lose_keys(), name_of);

TEST(WithoutAFault, ThreeClientsExcludeBeyondTheEndOfALease) {
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_proved(search(options_of(kind, false), 3, 4));
  }
}

TEST(WithoutAFault, TwoClientsThatRenewExclude) {
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_proved(search(options_of(kind, true), 2, 4));
  }
}

// --- mistakes that must be found -----------------------------------------------------------------

enum class Mistake : std::uint8_t { counts_from_reply, renews_from_reply, deletes_blindly };

// A lock that makes it, whatever lock it is made of.
class Mistaken final : public LockProtocol {
 public:
  Mistaken(std::unique_ptr<LockProtocol> lock,
           KeyValueStore& store,
           TimeSource& time,
           Mistake mistake)
      : lock_(std::move(lock)), store_(store), time_(time), mistake_(mistake) {}
  std::string_view id() const noexcept override { return lock_->id(); }
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override {
    return counted(lock_->try_acquire(name, owner, ttl));
  }
  Task<Result<AcquireOutcome>> queue_up(
      LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> ear, Asks asks) override {
    return counted(lock_->queue_up(name, owner, ttl, ear, asks));
  }
  Task<Result<RenewOutcome>> renew(Lease lease) override {
    const Result<RenewOutcome> outcome = co_await lock_->renew(lease);
    const Lease* const renewed = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    if (renewed == nullptr || mistake_ != Mistake::renews_from_reply) co_return outcome;
    co_return RenewOutcome(renewed->renewed(time_.now(), SafetyMargin()));
  }
  Task<Result<ReleaseOutcome>> release(Lease lease) override {
    if (mistake_ != Mistake::deletes_blindly) co_return co_await lock_->release(lease);
    const Key key = lock_key(lease.name());
    const Result<bool> erased = co_await store_.erase(key);
    if (!erased) co_return erased.error();
    co_return ReleaseOutcome::released;
  }
  std::optional<Channel> release_channel(const LockName& name) const override {
    return lock_->release_channel(name);
  }
  bool has_queue() const noexcept override { return lock_->has_queue(); }
  std::string_view owner_mark() const noexcept override { return lock_->owner_mark(); }

 private:
  Task<Result<AcquireOutcome>> counted(Task<Result<AcquireOutcome>> attempt) {
    Result<AcquireOutcome> outcome = co_await attempt;
    const Lease* const lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    if (lease == nullptr || mistake_ != Mistake::counts_from_reply) co_return outcome;
    co_return AcquireOutcome(lease->renewed(time_.now(), SafetyMargin()));
  }

  std::unique_ptr<LockProtocol> lock_;
  KeyValueStore& store_;
  TimeSource& time_;
  Mistake mistake_;
};

LeaseClientOptions with(Mistake mistake, Kind kind, bool renews) {
  LeaseClientOptions options = options_of(kind, renews);
  const catalogue::MakeLock right = options.lock;
  options.lock = [right, mistake](KeyValueStore& store,
                                  TimeSource& time) -> std::unique_ptr<LockProtocol> {
    return std::make_unique<Mistaken>(right(store, time), store, time, mistake);
  };
  return options;
}

TEST(Mistakes, LeaseThatIsCountedFromTheReplyIsFound) {
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_broken(search(with(Mistake::counts_from_reply, kind, false), 2, 4), 0);
  }
}

// Long enough for an answer that comes an instant late to be taken, and for the key to end first.
TEST(Mistakes, RenewalThatIsCountedFromTheReplyIsFound) {
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    LeaseClientOptions options = with(Mistake::renews_from_reply, kind, true);
    options.ttl = Ttl{milliseconds{2'500}};
    expect_broken(search(options, 2, 5), 0);
  }
}

TEST(Mistakes, ReleaseOfAnothersLockIsFound) {
  for (const Kind kind : {Kind::lease_lock, Kind::queue_lock}) {
    expect_broken(search(with(Mistake::deletes_blindly, kind, false), 3, 4), 0);
  }
}

#endif

}  // namespace
}  // namespace interlock::sim
