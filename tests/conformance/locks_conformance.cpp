// claim, renew and release: see owner_scripts.hpp.
#include "interlock/store/lock_keys.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::_;
using testing::Eq;
using testing::Optional;
using testing::VariantWith;

const Key lock("orders/42");
const OwnerToken mine("il1:mine");
const OwnerToken theirs("il1:theirs");
const OwnerToken foreign("9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d");
const Ttl long_ttl(hours{1});
const Ttl longer_ttl(hours{2});
const Ttl short_ttl(milliseconds{30});

// A duration within a minute below `ttl`.
MATCHER_P(JustBelow, ttl, "") {
  *result_listener << arg.count() << " ms";
  return arg <= ttl && arg > ttl - minutes{1};
}
MATCHER_P(ExpiresIn, ttl, "") {
  *result_listener << arg.time.count() << " ms";
  return arg.state == Remaining::Expiry::expires && arg.time <= ttl && arg.time > ttl - minutes{1};
}
MATCHER_P(HeldBy, owner, "") {
  const auto* held = std::get_if<Busy>(&arg);
  if (held == nullptr) return false;
  *result_listener << held->holder.text();
  return held->holder == owner;
}

TEST_P(StoreConformance, AFreeLockIsClaimedAsForeignClientsWouldWriteIt) {
  const FencingToken fencing = claim(store(), lock, mine, long_ttl);
  EXPECT_GT(fencing.value(), 0U);
  EXPECT_THAT(ask(other_store().get(lock)), Holds(Optional(Eq(mine.text()))));
  EXPECT_THAT(ask(other_store().remaining(lock)), Holds(ExpiresIn(long_ttl.duration())));
  EXPECT_THAT(ask(other_store().get(fencing_key(lock))),
              Holds(Optional(Eq(std::to_string(fencing.value())))));
}

TEST_P(StoreConformance, TheFencingCounterOutlivesTheLeaseByItsRetention) {
  claim(store(), lock, mine, long_ttl);
  EXPECT_THAT(ask(store().remaining(fencing_key(lock))),
              Holds(ExpiresIn(long_ttl.duration() + hours{1})));
  ASSERT_THAT(ask(store().release(lock, mine)), Holds(_));
  ASSERT_THAT(ask(other_store().claim(lock, theirs, long_ttl, Retention(hours{5}))), Holds(_));
  EXPECT_THAT(ask(store().remaining(fencing_key(lock))),
              Holds(ExpiresIn(long_ttl.duration() + hours{5})));
  ASSERT_THAT(ask(other_store().renew(lock, theirs, longer_ttl, Retention(hours{50}))),
              Holds(OwnerCheck::done));
  EXPECT_THAT(ask(store().remaining(fencing_key(lock))),
              Holds(ExpiresIn(longer_ttl.duration() + hours{50})));
}

TEST_P(StoreConformance, AHeldLockIsBusyAndSaysForHowLong) {
  claim(store(), lock, theirs, long_ttl);
  world().advance(milliseconds{20});
  const Result<ClaimReply> reply = ask(other_store().claim(lock, mine, longer_ttl));
  ASSERT_THAT(reply, Holds(HeldBy(theirs)));
  const Busy& held = std::get<Busy>(*reply);
  EXPECT_THAT(held.remaining, Optional(JustBelow(long_ttl.duration())));
  ASSERT_TRUE(held.held_for);
  EXPECT_GE(*held.held_for, milliseconds{19});
  EXPECT_LT(*held.held_for, minutes{1});
  EXPECT_THAT(ask(store().get(lock)), Holds(Optional(Eq(theirs.text()))));
  EXPECT_THAT(ask(store().remaining(lock)), Holds(ExpiresIn(long_ttl.duration())));
}

TEST_P(StoreConformance, ClaimingAgainIsTheSameGrantWithANewTtl) {
  const FencingToken first = claim(store(), lock, mine, long_ttl);
  world().advance(milliseconds{2});
  EXPECT_EQ(claim(other_store(), lock, mine, longer_ttl), first);
  EXPECT_THAT(ask(store().remaining(lock)), Holds(ExpiresIn(longer_ttl.duration())));
}

TEST_P(StoreConformance, AForeignHolderIsRespectedAndNothingIsInventedAboutIt) {
  // What redis-py, redsync and node-redlock do.
  ASSERT_THAT(ask(store().set_if_absent(lock, foreign.text(), milliseconds(hours{1}))),
              Holds(true));
  const Result<ClaimReply> expiring = ask(store().claim(lock, mine, long_ttl));
  ASSERT_THAT(expiring, Holds(HeldBy(foreign)));
  EXPECT_THAT(std::get<Busy>(*expiring).remaining, Optional(JustBelow(hours{1})));
  EXPECT_FALSE(std::get<Busy>(*expiring).held_for);

  ASSERT_THAT(ask(store().set(lock, foreign.text())), Holds(_));
  const Result<ClaimReply> eternal = ask(store().claim(lock, mine, long_ttl));
  ASSERT_THAT(eternal, Holds(HeldBy(foreign)));
  EXPECT_FALSE(std::get<Busy>(*eternal).remaining);
  EXPECT_FALSE(std::get<Busy>(*eternal).held_for);
}

TEST_P(StoreConformance, AForeignHolderAfterOursIsNotTakenForOurs) {
  claim(store(), lock, mine, long_ttl);
  ASSERT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::done));
  ASSERT_THAT(ask(store().set(lock, foreign.text())), Holds(_));
  const Result<ClaimReply> reply = ask(store().claim(lock, mine, long_ttl));
  ASSERT_THAT(reply, Holds(HeldBy(foreign)));
  EXPECT_FALSE(std::get<Busy>(*reply).held_for);
}

TEST_P(StoreConformance, FencingTokensGrowWithEveryGrant) {
  FencingToken last = claim(store(), lock, mine, long_ttl);
  for (int i = 0; i < 20; ++i) {
    KeyValueStore& at = i % 2 == 0 ? store() : other_store();
    const OwnerToken& owner = i % 3 == 0 ? mine : theirs;
    ASSERT_THAT(ask(at.erase(lock)), Holds(true));
    const FencingToken next = claim(at, lock, owner, long_ttl);
    EXPECT_GT(next, last);
    last = next;
  }
}

TEST_P(StoreConformance, FencingTokensGrowWhenTheCounterIsLost) {
  const FencingToken first = claim(store(), lock, mine, long_ttl);
  ASSERT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::done));
  ASSERT_THAT(ask(store().erase(fencing_key(lock))), Holds(true));
  world().advance(milliseconds{2});
  EXPECT_GT(claim(store(), lock, theirs, long_ttl), first);
}

TEST_P(StoreConformance, FencingTokensGrowFromACounterThatIsAheadOfTheClock) {
  ASSERT_THAT(ask(store().set(fencing_key(lock), "4000000000000000")), Holds(_));
  EXPECT_EQ(claim(store(), lock, mine, long_ttl), FencingToken(4000000000000001U));
  ASSERT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::done));
  EXPECT_EQ(claim(store(), lock, theirs, long_ttl), FencingToken(4000000000000002U));
}

TEST_P(StoreConformance, AHolderWhoseCounterIsLostGetsALargerToken) {
  const FencingToken first = claim(store(), lock, mine, long_ttl);
  ASSERT_THAT(ask(store().erase(fencing_key(lock))), Holds(true));
  const Result<ClaimReply> seen = ask(store().claim(lock, theirs, long_ttl));
  ASSERT_THAT(seen, Holds(HeldBy(mine)));
  EXPECT_FALSE(std::get<Busy>(*seen).held_for);
  world().advance(milliseconds{2});
  EXPECT_GT(claim(store(), lock, mine, long_ttl), first);
}

TEST_P(StoreConformance, ACounterThatIsNoNumberCountsAsLost) {
  ASSERT_THAT(ask(store().set(fencing_key(lock), "not a number")), Holds(_));
  EXPECT_GT(claim(store(), lock, mine, long_ttl), FencingToken());
}

TEST_P(StoreConformance, ALeaseThatHasEndedIsAnothersToClaim) {
  const FencingToken first = claim(store(), lock, mine, short_ttl);
  outlast(short_ttl.duration());
  EXPECT_THAT(ask(store().renew(lock, mine, long_ttl)), Holds(OwnerCheck::absent));
  EXPECT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::absent));
  EXPECT_GT(claim(other_store(), lock, theirs, long_ttl), first);

  EXPECT_THAT(ask(store().renew(lock, mine, longer_ttl)), Holds(OwnerCheck::other));
  EXPECT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::other));
  EXPECT_THAT(ask(store().get(lock)), Holds(Optional(Eq(theirs.text()))));
  EXPECT_THAT(ask(store().remaining(lock)), Holds(ExpiresIn(long_ttl.duration())));
}

TEST_P(StoreConformance, RenewingStartsTheTtlAnew) {
  claim(store(), lock, mine, short_ttl);
  // As long as no machine needs for two operations, or the test would say nothing.
  EXPECT_THAT(ask(store().renew(lock, mine, longer_ttl)), Holds(OwnerCheck::done));
  outlast(short_ttl.duration());
  EXPECT_THAT(ask(other_store().remaining(lock)), Holds(ExpiresIn(longer_ttl.duration())));
  EXPECT_THAT(ask(store().renew(lock, mine, long_ttl)), Holds(OwnerCheck::done));
  EXPECT_THAT(ask(other_store().remaining(lock)), Holds(ExpiresIn(long_ttl.duration())));
  EXPECT_THAT(ask(other_store().get(lock)), Holds(Optional(Eq(mine.text()))));
}

TEST_P(StoreConformance, RenewingWhatNobodyHoldsMakesNothing) {
  EXPECT_THAT(ask(store().renew(lock, mine, long_ttl)), Holds(OwnerCheck::absent));
  EXPECT_THAT(ask(store().get(lock)), Holds(std::nullopt));
}

TEST_P(StoreConformance, ReleasingFreesTheLockOnce) {
  claim(store(), lock, mine, long_ttl);
  EXPECT_THAT(ask(other_store().release(lock, mine)), Holds(OwnerCheck::done));
  EXPECT_THAT(ask(store().get(lock)), Holds(std::nullopt));
  EXPECT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::absent));
  claim(store(), lock, theirs, long_ttl);
}

TEST_P(StoreConformance, OwnersAreComparedToTheLastByte) {
  claim(store(), lock, mine, long_ttl);
  for (const std::string& almost : {std::string(), mine.text().substr(1), mine.text() + " ",
                                    mine.text() + std::string(1, '\0'), std::string("IL1:mine")}) {
    EXPECT_THAT(ask(store().renew(lock, OwnerToken(almost), long_ttl)), Holds(OwnerCheck::other));
    EXPECT_THAT(ask(store().release(lock, OwnerToken(almost))), Holds(OwnerCheck::other));
  }
  EXPECT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::done));
}

TEST_P(StoreConformance, LocksOfDifferentNamesDoNotTouch) {
  claim(store(), Key("a"), mine, long_ttl);
  claim(store(), Key("{a}b"), theirs, long_ttl);
  claim(store(), Key(std::string(LockName::size_max, 'n')), theirs, long_ttl);
  EXPECT_THAT(ask(store().release(Key("a"), mine)), Holds(OwnerCheck::done));
  EXPECT_THAT(ask(store().get(Key("{a}b"))), Holds(Optional(Eq(theirs.text()))));
}

}  // namespace
}  // namespace interlock::testing_support
