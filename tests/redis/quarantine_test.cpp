// Real servers that lose grants, and clients of a store with `after-failover=wait`: nobody is
// granted a lock before every lease that the servers may have forgotten is over.
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/fault_proxy.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::FaultProxy;
using test::PlainRedis;
using test::RedisServer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string waits = "?after-failover=wait&longest-ttl=4s";
const Ttl longest{seconds{4}};

// The lock, fair or not.
class Quarantined : public testing::TestWithParam<bool> {
 protected:
  // All connections lead to the primary, and from fails_over() on to its replica.
  std::string url(const std::string& parameters) const {
    return "redis://127.0.0.1:" + std::to_string(network.port()) + parameters;
  }
  std::unique_ptr<Client> client(const std::string& parameters = waits) const {
    auto store = backend(url(parameters));
    EXPECT_TRUE(store) << store.error().detail();
    return std::make_unique<Client>(*store);
  }
  static LockOptions options() {
    LockOptions options(longest);
    options.fair = GetParam();
    return options;
  }
  // The replica has everything until now,
  void is_copied() {
    const std::string last = PlainRedis(primary).command({"INCR", "last"});
    PlainRedis there(replica);
    while (there.command({"GET", "last"}) != last) std::this_thread::yield();
  }
  // and hears of nothing more.
  void is_cut_off() {
    is_copied();
    replica.promote();
  }
  void fails_over() {
    primary.kill();
    network.lead_to(replica.port());
    network.cut();
  }
  // A new store has its first quarantine behind it.
  void is_known() {
    const auto first = client()->acquire("first", options());
    EXPECT_TRUE(first) << first.error()->detail();
  }

  RedisServer primary;
  RedisServer replica{test::replica_of(primary)};
  FaultProxy network{primary.port()};
};

TEST_P(Quarantined, WithoutItASecondClientIsInsideAtOnce) {
  const auto one = client("");
  const auto other = client("");
  is_cut_off();
  auto forgotten = one->try_acquire("job", options());
  ASSERT_TRUE(forgotten);
  fails_over();
  auto second = other->acquire("job", options());
  ASSERT_TRUE(second) << second.error()->detail();
  EXPECT_LT(second->fencing(), FencingToken(~std::uint64_t{0}));
}

TEST_P(Quarantined, NobodyIsGrantedALockThatAReplicaHasForgottenUntilItsLeaseIsOver) {
  is_known();
  const auto one = client();
  const auto other = client();
  is_cut_off();
  std::optional<AcquireResult> forgotten(one->try_acquire("job", options()));
  ASSERT_TRUE(*forgotten);
  const TimePoint certain_until = (*forgotten)->certain_until();
  fails_over();
  AcquireResult second = other->acquire("job", options());
  const TimePoint entered = local_now();
  ASSERT_TRUE(second) << second.error()->detail();
  EXPECT_GE(entered, certain_until);
  EXPECT_TRUE((*forgotten)->loss().has_value());
}

TEST_P(Quarantined, NobodyIsGrantedALockThatAnEmptyServerHasForgottenUntilItsLeaseIsOver) {
  is_known();
  const auto one = client();
  const auto other = client();
  AcquireResult forgotten = one->try_acquire("job", options());
  ASSERT_TRUE(forgotten);
  const TimePoint certain_until = forgotten->certain_until();
  primary.kill();
  primary.start_without_data();
  AcquireResult second = other->acquire("job", options());
  const TimePoint entered = local_now();
  ASSERT_TRUE(second) << second.error()->detail();
  EXPECT_GE(entered, certain_until);
}

TEST_P(Quarantined, AHolderWhomTheReplicaKnowsRenewsAndReleases) {
  is_known();
  const auto one = client();
  const auto other = client();
  AcquireResult held = one->try_acquire("job", options());
  ASSERT_TRUE(held);
  is_cut_off();
  fails_over();
  const AcquireResult busy = other->try_acquire("another", options());
  ASSERT_NE(busy.busy(), nullptr);
  EXPECT_TRUE(busy.busy()->holder.is_quarantine());
  EXPECT_LE(busy.busy()->remaining, longest.duration());
  // Beyond the lease that it had at the primary.
  const TimePoint before = held->certain_until();
  while (held->certain_until() <= before && !held->loss()) {
    std::this_thread::sleep_for(milliseconds{5});
  }
  EXPECT_FALSE(held->loss().has_value());
  const auto released = held->release();
  ASSERT_TRUE(released) << released.error().detail();
  EXPECT_EQ(*released, ReleaseOutcome::released);
}

// The connection stays, and the server behind it changes its role twice.
TEST_P(Quarantined, AServerThatWasDemotedAndPromotedAgainIsANewOne) {
  is_known();
  const auto one = client();
  ASSERT_TRUE(one->try_acquire("job", options()));
  PlainRedis there(primary);
  there.command({"REPLICAOF", "127.0.0.1", "1"});
  there.command({"REPLICAOF", "NO", "ONE"});
  const AcquireResult busy = one->try_acquire("job", options());
  ASSERT_NE(busy.busy(), nullptr);
  EXPECT_TRUE(busy.busy()->holder.is_quarantine());
}

TEST_P(Quarantined, ARestartWithDataIsAChangeToo) {
  test::RedisSettings settings;
  settings.append_only = true;
  RedisServer durable(settings);
  const auto store = *backend(durable.url() + waits);
  Client one(store);
  ASSERT_TRUE(one.acquire("job", options()));
  durable.kill();
  durable.start();
  EXPECT_THAT(PlainRedis(durable).command({"GET", "interlock:incarnation"}), HasSubstr(" 4000"));
  const AcquireResult busy = one.acquire("job", [] {
    LockOptions once = options();
    once.wait = Duration{0};
    return once;
  }());
  // The connection may have to be made anew first.
  if (busy.error() == nullptr) {
    ASSERT_NE(busy.busy(), nullptr);
    EXPECT_TRUE(busy.busy()->holder.is_quarantine());
    EXPECT_THAT(busy.why_not(), StartsWith("no lock is granted at this store for "));
  }
}

TEST_P(Quarantined, ALongerTtlIsRefused) {
  LockOptions longer = options();
  longer.ttl = Ttl(seconds{5});
  const AcquireResult refused = client()->try_acquire("job", longer);
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
}

TEST_P(Quarantined, ALongerStayIsRefused) {
  LockOptions longer = options();
  longer.at_least = seconds{4} + milliseconds{1};
  const AcquireResult refused = client()->try_acquire("job", longer);
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
}

TEST_P(Quarantined, AUserWhoMayNotAskForTheReplicationIdIsTold) {
  PlainRedis there(primary);
  there.command({"ACL", "SETUSER", "shy", "on", ">secret", "~*", "&*", "+@all", "-info"});
  const auto store =
      *backend("redis://shy:secret@127.0.0.1:" + std::to_string(primary.port()) + waits);
  Client shy(store);
  const AcquireResult refused = shy.try_acquire("job", options());
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::rejected);
  EXPECT_THAT(refused.error()->detail(), HasSubstr("NOPERM"));
}

// Its replication id is the primary's, so only its role tells that another server grants its locks.
TEST_P(Quarantined, AReplicaThatAcceptsWritesGrantsNothing) {
  is_known();
  is_copied();
  PlainRedis(replica).command({"CONFIG", "SET", "replica-read-only", "no"});
  primary.kill();
  Client there(*backend(replica.url() + waits));
  const AcquireResult refused = there.try_acquire("job", options());
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::unavailable);
  EXPECT_THAT(refused.error()->detail(), HasSubstr("READONLY"));
  EXPECT_THAT(refused.error()->detail(), HasSubstr("use the primary's address"));
  EXPECT_EQ(PlainRedis(replica).command({"EXISTS", "job"}), "0");
}

TEST_P(Quarantined, AnIncarnationOfAnotherTypeIsNamed) {
  PlainRedis(primary).command({"RPUSH", "interlock:incarnation", "x"});
  const AcquireResult refused = client()->try_acquire("job", options());
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_EQ(refused.error()->code(), Errc::rejected);
  EXPECT_THAT(refused.error()->detail(), StartsWith("WRONGTYPE"));
  EXPECT_THAT(refused.error()->detail(), HasSubstr("interlock:incarnation"));
}

TEST_P(Quarantined, AUserWithoutTheKeyIsToldWhatElseTheStoreNeeds) {
  PlainRedis there(primary);
  there.command(
      {"ACL", "SETUSER", "shy", "on", ">secret", "~job", "~{job}*", "&*", "+@all", "-@admin"});
  Client shy(*backend("redis://shy:secret@127.0.0.1:" + std::to_string(primary.port()) + waits));
  const AcquireResult refused = shy.try_acquire("job", options());
  ASSERT_NE(refused.error(), nullptr);
  EXPECT_THAT(refused.error()->detail(), HasSubstr("NOPERM"));
  EXPECT_THAT(refused.error()->detail(),
              HasSubstr("after-failover=wait needs +info and the key interlock:incarnation"));
}

INSTANTIATE_TEST_SUITE_P(Locks, Quarantined, testing::Bool(), [](const auto& each) {
  return each.param ? "Fair" : "Unfair";
});

}  // namespace
}  // namespace interlock::redis
