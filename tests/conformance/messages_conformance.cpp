// publish, subscribe, await_message, interrupt and unsubscribe.
#include "interlock/store/lock_keys.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

using testing::_;

const Channel channel("news");
const Channel other_channel("weather");

TEST_P(StoreConformance, AMessageBetweenSubscribingAndWaitingIsNotLost) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  ASSERT_THAT(ask(other_store().publish(channel, "hello")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*subscription, in(long_time))), Holds(true));
  // Heard once.
  EXPECT_THAT(ask(store().await_message(*subscription, in(short_time))), Holds(false));
}

TEST_P(StoreConformance, AMessageEndsTheWait) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  KeyValueStore& other = other_store();
  for (int i = 0; i < 3; ++i) {
    const TimePoint until = in(long_time);
    EXPECT_THAT(
        ask_while(store().await_message(*subscription, until), other.publish(channel, "hello")),
        Holds(true));
    EXPECT_LT(world().local_now(), until);
  }
}

TEST_P(StoreConformance, AWaitEndsAtItsTimeAndNotBefore) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  const TimePoint until = in(short_time);
  EXPECT_THAT(ask(store().await_message(*subscription, until)), Holds(false));
  EXPECT_GE(world().local_now(), until);
  EXPECT_THAT(ask(store().await_message(*subscription, until)), Holds(false));
}

TEST_P(StoreConformance, WhatWasSaidBeforeSubscribingIsNotHeard) {
  ASSERT_THAT(ask(other_store().publish(channel, "early")), Holds(_));
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  EXPECT_THAT(ask(store().await_message(*subscription, in(short_time))), Holds(false));
}

TEST_P(StoreConformance, ChannelsAreHeardApart) {
  const auto news = ask(store().subscribe(channel));
  const auto weather = ask(store().subscribe(other_channel));
  ASSERT_THAT(news, Holds(_));
  ASSERT_THAT(weather, Holds(_));
  EXPECT_NE(*news, *weather);
  ASSERT_THAT(ask(other_store().publish(other_channel, "rain")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*weather, in(long_time))), Holds(true));
  EXPECT_THAT(ask(store().await_message(*news, in(short_time))), Holds(false));
}

TEST_P(StoreConformance, TwoSubscriptionsToOneChannelBothHear) {
  const auto first = ask(store().subscribe(channel));
  const auto second = ask(store().subscribe(channel));
  const auto elsewhere = ask(other_store().subscribe(channel));
  ASSERT_THAT(first, Holds(_));
  ASSERT_THAT(second, Holds(_));
  ASSERT_THAT(elsewhere, Holds(_));
  ASSERT_THAT(ask(store().publish(channel, "hello")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*first, in(long_time))), Holds(true));
  EXPECT_THAT(ask(store().await_message(*second, in(long_time))), Holds(true));
  EXPECT_THAT(ask(other_store().await_message(*elsewhere, in(long_time))), Holds(true));

  // The one that stays goes on hearing.
  ASSERT_THAT(ask(store().unsubscribe(*first)), Holds(_));
  ASSERT_THAT(ask(store().publish(channel, "again")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*second, in(long_time))), Holds(true));
}

TEST_P(StoreConformance, AWaitOnASubscriptionThatHasEndedHearsNothing) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  ASSERT_THAT(ask(store().unsubscribe(*subscription)), Holds(_));
  ASSERT_THAT(ask(other_store().publish(channel, "hello")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*subscription, in(short_time))), FailsWith(Errc::rejected));
  // Neither of these is an error: who tidies up need not know how far things have come.
  EXPECT_THAT(ask(store().unsubscribe(*subscription)), Holds(_));
  EXPECT_THAT(ask(store().interrupt(*subscription)), Holds(_));
}

TEST_P(StoreConformance, PublishTellsHowManyHeard) {
  EXPECT_THAT(ask(store().publish(channel, "nobody")), Holds(0));
  ASSERT_THAT(ask(other_store().subscribe(channel)), Holds(_));
  EXPECT_THAT(ask(store().publish(channel, "somebody")), Holds(world().counts_listeners() ? 1 : 0));
}

TEST_P(StoreConformance, WhoListensToAnotherChannelDoesNotCount) {
  ASSERT_THAT(ask(other_store().subscribe(other_channel)), Holds(_));
  EXPECT_THAT(ask(store().publish(channel, "nobody")), Holds(0));
}

TEST_P(StoreConformance, AnInterruptionEndsTheWaitInProgress) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  const TimePoint until = in(long_time);
  EXPECT_THAT(
      ask_while(store().await_message(*subscription, until), store().interrupt(*subscription)),
      Holds(false));
  EXPECT_LT(world().local_now(), until);
}

TEST_P(StoreConformance, AnInterruptionBeforeTheWaitEndsItAtOnceAndOnlyIt) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  ASSERT_THAT(ask(store().interrupt(*subscription)), Holds(_));
  const TimePoint until = in(long_time);
  EXPECT_THAT(ask(store().await_message(*subscription, until)), Holds(false));
  EXPECT_LT(world().local_now(), until);

  ASSERT_THAT(ask(other_store().publish(channel, "hello")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*subscription, in(long_time))), Holds(true));
}

TEST_P(StoreConformance, AnInterruptionLosesNoMessage) {
  const auto subscription = ask(store().subscribe(channel));
  ASSERT_THAT(subscription, Holds(_));
  ASSERT_THAT(ask(other_store().publish(channel, "hello")), Holds(_));
  ASSERT_THAT(ask(store().interrupt(*subscription)), Holds(_));
  const TimePoint until = in(long_time);
  EXPECT_THAT(ask(store().await_message(*subscription, until)), Holds(false));
  EXPECT_THAT(ask(store().await_message(*subscription, until)), Holds(true));
  EXPECT_LT(world().local_now(), until);
}

TEST_P(StoreConformance, AnInterruptionConcernsOneSubscription) {
  const auto one = ask(store().subscribe(channel));
  const auto two = ask(store().subscribe(channel));
  ASSERT_THAT(one, Holds(_));
  ASSERT_THAT(two, Holds(_));
  ASSERT_THAT(ask(store().interrupt(*one)), Holds(_));
  ASSERT_THAT(ask(other_store().publish(channel, "hello")), Holds(_));
  EXPECT_THAT(ask(store().await_message(*two, in(long_time))), Holds(true));
}

TEST_P(StoreConformance, AReleaseIsAnnouncedOnTheChannelOfItsLock) {
  const Key lock("orders/42");
  const OwnerToken mine("il1:mine");
  const auto subscription = ask(other_store().subscribe(release_channel(lock)));
  ASSERT_THAT(subscription, Holds(_));
  claim(store(), lock, mine, Ttl(std::chrono::hours{1}));
  EXPECT_THAT(ask(store().release(lock, OwnerToken("il1:other"))), Holds(OwnerCheck::other));
  EXPECT_THAT(ask(store().release(Key("orders/43"), mine)), Holds(OwnerCheck::absent));
  EXPECT_THAT(ask(other_store().await_message(*subscription, in(short_time))), Holds(false));

  EXPECT_THAT(ask(store().release(lock, mine)), Holds(OwnerCheck::done));
  EXPECT_THAT(ask(other_store().await_message(*subscription, in(long_time))), Holds(true));
}

TEST_P(StoreConformance, AStoreCanBeClosedWithSubscriptionsOpen) {
  {
    const auto closing = world().open();
    ASSERT_THAT(ask(closing->subscribe(channel)), Holds(_));
  }
  EXPECT_THAT(ask(store().publish(channel, "hello")), Holds(_));
}

}  // namespace
}  // namespace interlock::testing_support
