// queue_claim and queue_release: see queue_scripts.hpp.
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::Optional;

const Key lock("orders/42");
const std::string hour = "3600000";
const std::string two_hours = "7200000";
const std::string first = "il1:first/fair";
const std::string second = "il1:second/fair";
const std::string third = "il1:third/fair";
// A waiter without a wake-up channel asks again by itself, and can be offered the lock in every
// store.
const std::string no_wake_up = "-";
// All are looked for in the queue, as if they had asked before.
const std::string asked_before = "1";

class Answer {
 public:
  bool granted = false;
  std::int64_t fencing = 0;
  bool whole_block = false;
  bool others_queue = false;
  std::string holder;
};

Answer answer_of(const Result<Value>& value) {
  Answer answer;
  if (value && value->number() != nullptr) {
    answer.granted = true;
    answer.fencing = *value->number();
    answer.whole_block = true;
    return answer;
  }
  EXPECT_TRUE(value && value->list() != nullptr);
  if (!value || value->list() == nullptr) return answer;
  const std::int64_t kind = *(*value->list())[0].number();
  answer.granted = kind > 0;
  answer.whole_block = answer.others_queue = kind == 2;
  if (answer.granted) {
    answer.fencing = *(*value->list())[1].number();
  } else {
    answer.holder = *(*value->list())[1].text();
  }
  return answer;
}

std::vector<Key> keys() {
  return {lock, fencing_key(lock), queue_key(lock)};
}

OperationAwaiter<Value> queue_up(KeyValueStore& store,
                                 const std::string& owner,
                                 const std::string& wake_up = no_wake_up,
                                 const std::string& window = hour,
                                 const std::string& block = "4") {
  return store.run(queue_claim_script(), keys(),
                   {owner, hour, two_hours, block, window, wake_up, hour, hour, asked_before});
}
// A claim that takes no place.
OperationAwaiter<Value> pass_by(KeyValueStore& store, const std::string& owner) {
  return store.run(queue_claim_script(), keys(), {owner, hour, two_hours, "4", hour});
}
OperationAwaiter<Value> give_up(KeyValueStore& store,
                                const std::string& owner,
                                const std::string& window = hour,
                                const std::string& block = "4") {
  return store.run(queue_release_script(), keys(),
                   {owner, release_channel(lock).text(), block, window, two_hours});
}

const Value released(std::int64_t{1});
const Value not_mine(std::int64_t{-1});

TEST_P(StoreConformance, AQueueIsServedInTheOrderInWhichItCame) {
  const Answer granted = answer_of(ask(queue_up(store(), first)));
  EXPECT_TRUE(granted.granted);
  EXPECT_EQ(answer_of(ask(queue_up(other_store(), second))).holder, first);
  EXPECT_EQ(answer_of(ask(queue_up(store(), third))).holder, first);

  EXPECT_THAT(ask(give_up(store(), first)), Holds(released));
  EXPECT_THAT(ask(other_store().get(lock)), Holds(Optional(Eq(second))));
  EXPECT_EQ(answer_of(ask(queue_up(store(), third))).holder, second);
  const Answer confirmed = answer_of(ask(queue_up(other_store(), second)));
  EXPECT_TRUE(confirmed.granted);
  EXPECT_GE(confirmed.fencing, granted.fencing + 4);
  EXPECT_TRUE(confirmed.whole_block);
  // Asked again: the same grant, and the one token of it that is certainly its own.
  const Answer again = answer_of(ask(queue_up(other_store(), second)));
  EXPECT_EQ(again.fencing, confirmed.fencing + 3);
  EXPECT_FALSE(again.whole_block);

  EXPECT_THAT(ask(give_up(other_store(), second)), Holds(released));
  EXPECT_TRUE(answer_of(ask(queue_up(store(), third))).granted);
  EXPECT_THAT(ask(give_up(store(), third)), Holds(released));
  EXPECT_THAT(ask(store().get(lock)), Holds(std::nullopt));
  EXPECT_THAT(ask(store().get(queue_key(lock))), Holds(std::nullopt));
}

TEST_P(StoreConformance, AGrantSaysWhetherOthersQueueBehindIt) {
  EXPECT_FALSE(answer_of(ask(queue_up(store(), first))).others_queue);
  answer_of(ask(queue_up(store(), second)));
  answer_of(ask(queue_up(store(), third)));
  EXPECT_THAT(ask(give_up(store(), first)), Holds(released));
  EXPECT_TRUE(answer_of(ask(queue_up(store(), second))).others_queue);
  EXPECT_THAT(ask(give_up(store(), second)), Holds(released));
  EXPECT_FALSE(answer_of(ask(queue_up(store(), third))).others_queue);
  // The same if the lock is free because its key is gone.
  answer_of(ask(queue_up(store(), first)));
  answer_of(ask(queue_up(store(), second)));
  EXPECT_THAT(ask(store().erase(lock)), Holds(true));
  EXPECT_TRUE(answer_of(ask(queue_up(store(), first))).others_queue);
}

TEST_P(StoreConformance, BlocksOfDifferentSizesDoNotOverlap) {
  const Answer one = answer_of(ask(queue_up(store(), first, no_wake_up, hour, "1")));
  answer_of(ask(queue_up(store(), second, no_wake_up, hour, "64")));
  answer_of(ask(queue_up(store(), third, no_wake_up, hour, "1")));
  EXPECT_THAT(ask(give_up(store(), first, hour, "1")), Holds(released));
  const Answer many = answer_of(ask(queue_up(store(), second, no_wake_up, hour, "64")));
  EXPECT_GT(many.fencing, one.fencing);
  EXPECT_TRUE(many.whole_block);
  EXPECT_THAT(ask(give_up(store(), second, hour, "64")), Holds(released));
  EXPECT_GT(answer_of(ask(queue_up(store(), third, no_wake_up, hour, "1"))).fencing,
            many.fencing + 64 - 1);
}

// An offer whose place in the queue was lost: nobody knows how large a block it has reserved.
TEST_P(StoreConformance, AnOfferWithoutItsPlaceGivesOneToken) {
  const Answer one = answer_of(ask(queue_up(store(), first, no_wake_up, hour, "1")));
  answer_of(ask(queue_up(store(), second, no_wake_up, hour, "64")));
  EXPECT_THAT(ask(give_up(store(), first, hour, "1")), Holds(released));
  EXPECT_THAT(ask(store().erase(queue_key(lock))), Holds(true));
  const Answer offered = answer_of(ask(queue_up(store(), second, no_wake_up, hour, "64")));
  EXPECT_TRUE(offered.granted);
  EXPECT_GT(offered.fencing, one.fencing);
  EXPECT_FALSE(offered.whole_block);
}

TEST_P(StoreConformance, AQueueDoesNotKeepAClientThatGivesItsPlaceUp) {
  answer_of(ask(queue_up(store(), first)));
  answer_of(ask(queue_up(store(), second)));
  answer_of(ask(queue_up(store(), third)));
  EXPECT_THAT(ask(give_up(store(), second)), Holds(not_mine));
  EXPECT_THAT(ask(give_up(store(), first)), Holds(released));
  EXPECT_THAT(ask(store().get(lock)), Holds(Optional(Eq(third))));
  // An offer that is given back goes on.
  EXPECT_EQ(answer_of(ask(queue_up(store(), second))).holder, third);
  EXPECT_THAT(ask(give_up(store(), third)), Holds(released));
  EXPECT_THAT(ask(store().get(lock)), Holds(Optional(Eq(second))));
}

TEST_P(StoreConformance, AnOfferThatIsNotConfirmedPassesAndTheSlowKeepsItsPlace) {
  const std::string window = "30";
  answer_of(ask(queue_up(store(), first)));
  answer_of(ask(queue_up(store(), second, no_wake_up, window)));
  answer_of(ask(queue_up(store(), third, no_wake_up, window)));
  EXPECT_THAT(ask(give_up(store(), first, window)), Holds(released));
  outlast(milliseconds{30});
  // The next in line moves the queue on.
  EXPECT_TRUE(answer_of(ask(queue_up(store(), third, no_wake_up, window))).granted);
  EXPECT_EQ(answer_of(ask(queue_up(store(), "il1:fourth/fair", no_wake_up, window))).holder, third);
  EXPECT_EQ(answer_of(ask(queue_up(store(), second, no_wake_up, window))).holder, third);
  EXPECT_THAT(ask(give_up(store(), third)), Holds(released));
  EXPECT_THAT(ask(store().get(lock)), Holds(Optional(Eq(second))));
}

TEST_P(StoreConformance, AClientThatDoesNotQueueGetsALockOnlyWhenNobodyWaits) {
  const std::string passer_by = "il1:passer/fair";
  answer_of(ask(pass_by(store(), first)));
  answer_of(ask(queue_up(store(), second)));
  EXPECT_EQ(answer_of(ask(pass_by(store(), passer_by))).holder, first);
  ASSERT_THAT(ask(store().erase(lock)), Holds(true));
  EXPECT_EQ(answer_of(ask(pass_by(store(), passer_by))).holder, second);
  EXPECT_THAT(ask(give_up(store(), second)), Holds(released));
  EXPECT_TRUE(answer_of(ask(pass_by(store(), passer_by))).granted);
}

TEST_P(StoreConformance, AnOfferIsToldToItsWaiterAlone) {
  const auto mine = ask(other_store().subscribe(Channel("wake-up-of-second")));
  const auto theirs = ask(store().subscribe(Channel("wake-up-of-third")));
  ASSERT_TRUE(mine && theirs);
  answer_of(ask(queue_up(store(), first)));
  answer_of(ask(queue_up(store(), second, "wake-up-of-second")));
  answer_of(ask(queue_up(store(), third, "wake-up-of-third")));
  EXPECT_THAT(ask(give_up(store(), first)), Holds(released));
  EXPECT_THAT(ask(other_store().await_message(*mine, in(long_time))), Holds(true));
  EXPECT_THAT(ask(store().await_message(*theirs, in(short_time))), Holds(false));
}

TEST_P(StoreConformance, AQueueAndOtherLocksOnOneNameExcludeEachOther) {
  claim(store(), lock, OwnerToken("il1:plain"), Ttl(milliseconds{3'600'000}));
  EXPECT_EQ(answer_of(ask(queue_up(store(), first))).holder, "il1:plain");
  ASSERT_THAT(ask(store().release(lock, OwnerToken("il1:plain"))), Holds(OwnerCheck::done));
  EXPECT_TRUE(answer_of(ask(queue_up(store(), first))).granted);
  EXPECT_THAT(ask(store().renew(lock, OwnerToken(first), Ttl(milliseconds{3'600'000}))),
              Holds(OwnerCheck::done));
  ASSERT_THAT(ask(store().set_if_absent(lock, "foreign")), Holds(false));
}

}  // namespace
}  // namespace interlock::testing_support
