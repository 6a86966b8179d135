// The native halves of claim, renew and release. Their Lua halves answer the same on a real server:
// tests/redis.
#include "interlock/store/owner_scripts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class TestKeyspace final : public MemoryKeyspace {
 public:
  std::int64_t publish(const Channel& channel, const std::string&) override {
    published.push_back(channel);
    return 0;
  }
  std::vector<Channel> published;
};

constexpr std::int64_t year_2026_us = 1'770'000'000'000'000;

class OwnerScripts : public testing::Test {
 protected:
  OwnerScripts() { keyspace.set_now(StoreTime(Duration{year_2026_us})); }

  void advance(Duration by) { keyspace.set_now(keyspace.now() + by); }
  std::int64_t now_us() const { return keyspace.now().time_since_epoch().count(); }

  Reply call(OperationKind kind, std::string owner, std::int64_t ttl_ms = 1000) {
    Operation operation(kind, lock);
    operation.value = std::move(owner);
    operation.ttl = milliseconds{ttl_ms};
    return apply(keyspace, operation);
  }
  Reply claim(std::string owner, std::int64_t ttl_ms = 1000) {
    return call(OperationKind::claim, std::move(owner), ttl_ms);
  }
  std::int64_t fencing_of(const Reply& reply) {
    EXPECT_TRUE(reply.has_value());
    const auto& list = *reply->list();
    EXPECT_EQ(list[0], Value(std::int64_t{1})) << to_string(*reply);
    return *list[1].number();
  }
  Reply renew(std::string owner) { return call(OperationKind::renew, std::move(owner)); }
  Reply release(std::string owner) { return call(OperationKind::release, std::move(owner)); }

  void put(const Key& key, std::string value) { keyspace.put(key, Entry(std::move(value))); }
  std::optional<std::string> value_of(const Key& key) {
    const auto entry = keyspace.find(key);
    return entry ? std::optional<std::string>(entry->value) : std::nullopt;
  }
  void put_list(const Key& key) {
    Entry list("");
    list.type = Entry::Type::other;
    keyspace.put(key, list);
  }

  Key lock{"deploy"};
  Key counter = fencing_key(lock);
  TestKeyspace keyspace;
};

Reply number(std::int64_t value) {
  return Value(value);
}
Reply held(std::string by, std::int64_t remaining, std::int64_t held_for) {
  return Value(std::vector<Value>{Value(std::int64_t{0}), Value(std::move(by)), Value(remaining),
                                  Value(held_for)});
}

TEST_F(OwnerScripts, AClaimOfAFreeLockStoresTheOwnerWithItsTtl) {
  EXPECT_EQ(fencing_of(claim("il1:a")), year_2026_us);
  const auto entry = keyspace.find(lock);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->value, "il1:a");
  EXPECT_EQ(entry->expiry, milliseconds{year_2026_us / 1000 + 1000});
}

TEST_F(OwnerScripts, AClaimByTheHolderIsTheSameGrantWithANewTtl) {
  const auto first = fencing_of(claim("il1:a"));
  advance(milliseconds{400});
  EXPECT_EQ(fencing_of(claim("il1:a")), first);
  EXPECT_EQ(keyspace.find(lock)->expiry, milliseconds{year_2026_us / 1000 + 1400});
}

TEST_F(OwnerScripts, AnotherClaimLearnsByWhomForHowLongAndSinceWhen) {
  static_cast<void>(claim("il1:a"));
  advance(milliseconds{300});
  EXPECT_EQ(claim("il1:b"), held("il1:a", 700, 300));
  EXPECT_EQ(value_of(lock), "il1:a");
  EXPECT_EQ(value_of(counter), std::to_string(year_2026_us));
}

TEST_F(OwnerScripts, RenewalsDoNotChangeSinceWhenALockIsHeld) {
  static_cast<void>(claim("il1:a"));
  advance(milliseconds{600});
  EXPECT_EQ(renew("il1:a"), number(1));
  advance(milliseconds{600});
  EXPECT_EQ(claim("il1:b"), held("il1:a", 400, 1200));
}

TEST_F(OwnerScripts, SinceWhenAForeignHolderHasItNobodyKnows) {
  static_cast<void>(claim("il1:a"));
  EXPECT_EQ(release("il1:a"), number(1));
  put(lock, "redis-py-token");
  advance(milliseconds{300});
  EXPECT_EQ(claim("il1:b"), held("redis-py-token", -1, -1));
}

TEST_F(OwnerScripts, SinceWhenNobodyKnowsOnceTheCounterIsLost) {
  static_cast<void>(claim("il1:a"));
  keyspace.erase(counter);
  EXPECT_EQ(claim("il1:b"), held("il1:a", 1000, -1));
}

TEST_F(OwnerScripts, AHolderFromTheFutureHasHeldItForNoTimeYet) {
  static_cast<void>(claim("il1:a", 100'000));
  keyspace.set_now(StoreTime(Duration{year_2026_us - 5'000'000}));
  EXPECT_EQ(claim("il1:b"), held("il1:a", 105'000, 0));
}

TEST_F(OwnerScripts, FencingGrowsFromGrantToGrantWithinOneMicrosecond) {
  const auto first = fencing_of(claim("il1:a"));
  static_cast<void>(release("il1:a"));
  const auto second = fencing_of(claim("il1:b"));
  static_cast<void>(release("il1:b"));
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(fencing_of(claim("il1:a")), second + 1);
}

TEST_F(OwnerScripts, FencingGrowsAlthoughTheCounterIsLost) {
  const auto first = fencing_of(claim("il1:a"));
  static_cast<void>(release("il1:a"));
  keyspace.erase(counter);
  advance(Duration{1});
  EXPECT_GT(fencing_of(claim("il1:b")), first);
}

TEST_F(OwnerScripts, FencingGrowsAlthoughTheClockGoesBackWhileTheCounterIsKept) {
  const auto first = fencing_of(claim("il1:a"));
  static_cast<void>(release("il1:a"));
  keyspace.set_now(StoreTime(Duration{1000}));
  EXPECT_EQ(fencing_of(claim("il1:b")), first + 1);
}

TEST_F(OwnerScripts, AClaimAgainAfterTheCounterWasLostWhileHeldStillGrows) {
  const auto first = fencing_of(claim("il1:a"));
  advance(milliseconds{1});
  keyspace.erase(counter);
  EXPECT_GT(fencing_of(claim("il1:a")), first);
}

TEST_F(OwnerScripts, AClaimAfterTheOwnersOwnLeaseEndedIsANewGrant) {
  const auto first = fencing_of(claim("il1:a"));
  advance(milliseconds{1001});
  const auto second = fencing_of(claim("il1:b"));
  static_cast<void>(release("il1:b"));
  EXPECT_GT(second, first);
  EXPECT_GT(fencing_of(claim("il1:a")), second);
}

TEST_F(OwnerScripts, ACounterThatNoGrantCanHaveWrittenCountsAsLost) {
  for (const char* garbage :
       {"", "x", "-5", "0", "1e3", " 12", "12 ", "0x10", "1.5", "nan", "inf", "9007199254740992",
        "9223372036854775807", "9223372036854775808", "99999999999999999999999999"}) {
    keyspace.clear();
    put(counter, garbage);
    EXPECT_EQ(fencing_of(claim("il1:a")), year_2026_us) << garbage;
    put(counter, garbage);
    EXPECT_EQ(claim("il1:b"), held("il1:a", 1000, -1)) << garbage;
    EXPECT_EQ(fencing_of(claim("il1:a")), year_2026_us) << garbage;
    EXPECT_EQ(value_of(counter), std::to_string(year_2026_us)) << garbage;
  }
}

TEST_F(OwnerScripts, TheLargestCounterThatLuaCanCountIsStillOne) {
  put(counter, "9007199254740990");
  EXPECT_EQ(fencing_of(claim("il1:a")), 9007199254740991);
}

TEST_F(OwnerScripts, AClockAtTheEpochStillGivesPositiveTokens) {
  keyspace.set_now(StoreTime());
  EXPECT_EQ(fencing_of(claim("il1:a")), 1);
}

TEST_F(OwnerScripts, RenewIsForTheHolderAlone) {
  EXPECT_EQ(renew("il1:a"), number(0));
  EXPECT_EQ(value_of(lock), std::nullopt);

  static_cast<void>(claim("il1:a"));
  advance(milliseconds{500});
  EXPECT_EQ(renew("il1:b"), number(-1));
  EXPECT_EQ(keyspace.find(lock)->expiry, milliseconds{year_2026_us / 1000 + 1000});
  EXPECT_EQ(renew("il1:a"), number(1));
  EXPECT_EQ(keyspace.find(lock)->expiry, milliseconds{year_2026_us / 1000 + 1500});
}

TEST_F(OwnerScripts, RenewDoesNotReviveAnExpiredLock) {
  static_cast<void>(claim("il1:a"));
  advance(milliseconds{1001});
  EXPECT_EQ(renew("il1:a"), number(0));
  EXPECT_EQ(value_of(lock), std::nullopt);
}

TEST_F(OwnerScripts, RenewalsKeepTheCounterForAsLongAsTheLockIsHeld) {
  const std::int64_t fencing = fencing_of(claim("il1:a"));
  constexpr milliseconds half_an_hour{30 * 60 * 1000};
  ASSERT_TRUE(call(OperationKind::renew, "il1:a", 2 * half_an_hour.count()));
  for (int i = 0; i < 200; ++i) {  // a hundred hours
    advance(half_an_hour);
    EXPECT_EQ(*call(OperationKind::renew, "il1:a", 2 * half_an_hour.count()),
              Value(std::int64_t{1}));
  }
  EXPECT_EQ(value_of(fencing_key(lock)), std::to_string(fencing));
  EXPECT_EQ(*claim("il1:b"), *held("il1:a", 2 * half_an_hour.count(), 200 * half_an_hour.count()));
}

TEST_F(OwnerScripts, TheCounterOutlivesTheLastLeaseByTheRetention) {
  Operation operation(OperationKind::claim, lock);
  operation.value = std::string("il1:a");
  operation.ttl = seconds{40};
  operation.retention = Retention(minutes{2});
  ASSERT_TRUE(apply(keyspace, operation));
  const milliseconds now{year_2026_us / 1000};
  EXPECT_EQ(keyspace.find(counter)->expiry, now + minutes{2} + seconds{40});
  // A renewal leaves it alone while half of the retention would be left.
  operation.kind = OperationKind::renew;
  advance(seconds{60});
  EXPECT_EQ(apply(keyspace, operation), number(0));
  operation.kind = OperationKind::claim;
  ASSERT_TRUE(apply(keyspace, operation));
  operation.kind = OperationKind::renew;
  for (const auto& [after, ends] : {std::pair{seconds{30}, seconds{160}},
                                    {seconds{30}, seconds{160}},
                                    {seconds{1}, seconds{221}}}) {
    advance(after);
    EXPECT_EQ(apply(keyspace, operation), number(1));
    EXPECT_EQ(keyspace.find(counter)->expiry, now + seconds{60} + ends) << after.count();
  }
}

TEST_F(OwnerScripts, ALockWithALongTtlTellsSinceWhenItIsHeldToo) {
  const std::int64_t month = milliseconds{std::chrono::hours{24 * 30}}.count();
  static_cast<void>(claim("il1:a", month));
  advance(milliseconds{month / 2});
  EXPECT_EQ(claim("il1:b"), held("il1:a", month / 2, month / 2));
}

TEST_F(OwnerScripts, ReleaseErasesTheHoldersKeyAndTellsTheChannelOnce) {
  static_cast<void>(claim("il1:a"));
  EXPECT_EQ(release("il1:a"), number(1));
  EXPECT_EQ(value_of(lock), std::nullopt);
  EXPECT_EQ(keyspace.published, std::vector<Channel>{release_channel(lock)});
  EXPECT_NE(value_of(counter), std::nullopt);
}

TEST_F(OwnerScripts, ReleaseNeverTouchesAnothersKeyAndTellsNobody) {
  static_cast<void>(claim("il1:a"));
  EXPECT_EQ(release("il1:b"), number(-1));
  EXPECT_EQ(release(""), number(-1));
  EXPECT_EQ(value_of(lock), "il1:a");
  EXPECT_TRUE(keyspace.published.empty());
}

TEST_F(OwnerScripts, ReleaseOfAKeyThatIsGoneTellsTheChannelToo) {
  static_cast<void>(claim("il1:a"));
  advance(milliseconds{1001});
  EXPECT_EQ(release("il1:a"), number(0));
  EXPECT_EQ(keyspace.published, std::vector<Channel>{release_channel(lock)});
}

TEST_F(OwnerScripts, AKeyOfAnotherTypeIsRefusedAndLeftAlone) {
  put_list(lock);
  const auto before = keyspace.entries();
  EXPECT_TRUE(failed_with(claim("il1:a"), Errc::rejected));
  EXPECT_TRUE(failed_with(renew("il1:a"), Errc::rejected));
  EXPECT_TRUE(failed_with(release("il1:a"), Errc::rejected));
  EXPECT_EQ(keyspace.entries(), before);
}

TEST_F(OwnerScripts, ACounterOfAnotherTypeIsRefusedBeforeTheLockIsTaken) {
  put_list(counter);
  EXPECT_TRUE(failed_with(claim("il1:a"), Errc::rejected));
  EXPECT_EQ(value_of(lock), std::nullopt);
}

// Clients claim, renew, release and stand still; counters get lost; the clock never goes back.
RC_GTEST_FIXTURE_PROP(OwnerScripts, FencingNeverRepeatsOrShrinks, ()) {
  std::int64_t last = 0;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const std::string owner = *rc::gen::element<std::string>("il1:a", "il1:b", "il1:c");
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
      case 1: {
        const bool mine = value_of(lock) == owner && value_of(counter).has_value();
        const Reply reply = claim(owner, *rc::gen::inRange(1, 50));
        if (*(*reply->list())[0].number() == 0) break;
        const std::int64_t fencing = fencing_of(reply);
        const bool as_promised = mine ? fencing == last : fencing > last;
        RC_ASSERT(as_promised);
        last = fencing;
        break;
      }
      case 2:
        static_cast<void>(release(owner));
        break;
      case 3:
        static_cast<void>(renew(owner));
        break;
      case 4:
        advance(Duration{*rc::gen::inRange(1, 60'000)});
        break;
      case 5:
        keyspace.erase(counter);
        advance(Duration{1'000});  // more than the grants of one microsecond can run ahead
        break;
    }
  }
}

}  // namespace
}  // namespace interlock
