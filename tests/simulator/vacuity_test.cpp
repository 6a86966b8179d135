// If a property's subject does not occur in a scenario, the property holds in every run and says
// nothing: no kind of property may be proved in such a way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/lock_keys.hpp"
#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* lock = "lock";

// Waits for a message if the lock is taken, and holds it for a step if it is not.
Task<void> takes_turns(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const Channel bell = release_channel(Key(lock));
  const Result<SubscriptionId> ear = co_await me.store().subscribe(bell);
  for (int left = 2; left > 0; --left) {
    const Result<bool> taken = co_await me.store().set_if_absent(Key(lock), owner.text());
    if (taken && *taken) break;
    const TimePoint until = TimePoint::max();
    if (ear) static_cast<void>(co_await me.store().await_message(*ear, until));
  }
  me.enter(lock);
  static_cast<void>(co_await me.write("database", FencingToken(1)));
  co_await me.leave(lock);
  static_cast<void>(co_await me.store().release(Key(lock), owner));
}

Verdict explored(Property property) {
  Scenario scenario("turns");
  scenario.clients(2, takes_turns).require(std::move(property));
  return explore(scenario);
}

void expect_misspelt(const Property& property, const std::string& goal, const std::string& meant) {
  const Verdict verdict = explored(property);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("no run reaches the goal '" + goal + "'"));
  EXPECT_THAT(verdict.reason, HasSubstr("did you mean '" + meant + "'?"));
}

TEST(Vacuity, AMisspeltSubjectIsNoProofWhateverTheKindOfProperty) {
  expect_misspelt(mutual_exclusion("lokc"), "some client enters lokc", "lock");
  expect_misspelt(owner_only("lokc"), "some client writes lokc", "lock");
  expect_misspelt(no_overwrite("lokc"), "some client writes lokc", "lock");
  expect_misspelt(no_orphan("lokc"), "lokc is there", "lock");
  expect_misspelt(no_lost_wake_up("lokc"), "an operation removes lokc", "lock");
  expect_misspelt(no_unheard_grant("lokc"), "some client writes lokc", "lock");
  expect_misspelt(fenced_writes("databse"), "a write to databse is accepted", "database");
}

TEST(Vacuity, TheSameSubjectSpeltRightIsProved) {
  for (const Property& property : {owner_only(lock), no_overwrite(lock), no_orphan(lock),
                                   no_lost_wake_up(lock), no_unheard_grant(lock)}) {
    const Verdict verdict = explored(property);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
    EXPECT_THAT(verdict.trusts, IsEmpty());
  }
}

TEST(Vacuity, SaysWhatToDoIfNoNameIsSimilar) {
  const Verdict verdict = explored(owner_only("semaphore"));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_EQ(verdict.reason,
            "no run reaches the goal 'some client writes semaphore', so nothing was proved: raise "
            "the bounds or mend the scenario");
}

// --- the kinds that need more than a name
// ---------------------------------------------------------

Task<void> takes_once(Client& me) {
  const std::string value = "1";
  const Result<bool> taken = co_await me.store().set_if_absent(Key(lock), value);
  if (!taken || !*taken) co_return;
  static_cast<void>(co_await me.store().erase(Key(lock)));
}

TEST(Vacuity, NoWakeUpIsLostAndNoGrantUnheardWhereNobodyWaitsForAMessage) {
  for (const Property& property : {no_lost_wake_up(lock), no_unheard_grant(lock)}) {
    Scenario scenario("polls");
    scenario.clients(2, takes_once).require(property);
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("'some client waits for a message'"));
  }
}

// Beside another property these clients may listen, and here they only try: that one is proved.
TEST(Vacuity, ThatNobodyWaitsForAMessageIsSaidBesideTheProofOfAnotherProperty) {
  Scenario scenario("polls");
  scenario.clients(2, takes_once)
      .require(no_lost_wake_up(lock))
      .require(no_overwrite(lock))
      .require(owner_only(lock));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_THAT(describe(verdict), HasSubstr("NOT reached: some client waits for a message"));
  using Kind = Property::Kind;
  ASSERT_TRUE(scenario.require_only({Kind::no_lost_wake_up, Kind::no_overwrite}));
  EXPECT_EQ(explore(scenario).outcome, Outcome::invalid);
}

TEST(Vacuity, NobodyIsServedOutOfTurnWhereNobodyQueues) {
  Scenario scenario("polls");
  scenario.clients(2, takes_once).require(first_come_first_served(lock));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("'some client queues for lock'"));
}

TEST(Vacuity, AQueueUnderAnotherNameIsNamed) {
  Scenario scenario =
      catalogue::queue_lock_scenario(2, catalogue::queue_client_options(), 3, Duration{0});
  scenario.require(first_come_first_served("deploy!"));
  ASSERT_TRUE(scenario.require_only({Property::Kind::first_come_first_served}));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("'some client queues for deploy!'"));
}

Task<void> spins(Client& me) {
  const std::string value = "1";
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().set_if_absent(Key(lock), value, milliseconds{1}));
  }
}

TEST(Vacuity, NothingIsLeftBehindWhereNobodyEverEnds) {
  Scenario scenario("spins");
  scenario.client(spins).require(no_orphan(lock));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("'every client ends'"));
}

Task<void> cleans_up(Client& me) {
  static_cast<void>(co_await me.store().erase(Key("old")));
}

TEST(Vacuity, AKeyOfTheInitialStateCanBeAnOrphan) {
  Scenario scenario("cleans up");
  scenario.client(cleans_up).initially(Key("old"), Entry("1")).require(no_orphan("old"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
}

TEST(Vacuity, AResourceThatNobodyWritesToChecksNothing) {
  Scenario scenario("turns");
  scenario.clients(2, takes_turns).require(no_orphan(lock)).resource_checks_fencing("databse");
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("'some client writes to databse'"),
                                    HasSubstr("did you mean 'database'?")));
}

// --- never ---------------------------------------------------------------------------------------

Task<void> tells(Client& me, bool looks) {
  const Result<std::int64_t> count = co_await me.store().increment(Key("count"));
  const bool bad = count && *count > 2;
  if (looks) {
    me.reach("three were here", bad);
  } else if (bad) {
    me.reach("three were here");
  }
}

Verdict told(std::size_t clients, bool looks, const std::string& event) {
  Scenario scenario("tells");
  scenario.clients(clients, [looks](Client& me) { return tells(me, looks); });
  return explore(scenario.require(never(event)));
}

TEST(Vacuity, NeverIsProvedIfAProgramChecksForTheEvent) {
  const Verdict verdict = told(2, true, "three were here");
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_THAT(verdict.trusts, IsEmpty());
  EXPECT_EQ(told(3, true, "three were here").outcome, Outcome::violated);
}

// The usual case: `if (bad) me.reach(...)` in a program in which it is never bad.
TEST(Vacuity, NeverRestsOnTrustIfNoProgramChecksForTheEvent) {
  const Verdict verdict = told(2, false, "three were here");
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_THAT(verdict.trusts, ElementsAre(HasSubstr("'three were here'")));
  EXPECT_THAT(describe(verdict), HasSubstr("  trusts: a program would report 'three were here'"));
  EXPECT_EQ(told(3, false, "three were here").outcome, Outcome::violated);
}

TEST(Vacuity, AMisspeltEventIsNamedWhenItHappensOrIsCheckedFor) {
  for (const bool looks : {true, false}) {
    const Verdict verdict = told(3, looks, "three where here");
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, AllOf(HasSubstr("'three were here'"),
                                      HasSubstr("did you mean 'three where here'?")));
  }
  const Verdict verdict = told(2, true, "three where here");
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("did you mean 'three were here'?"));
}

TEST(Vacuity, AProgramMayCheckForMoreThanAScenarioRequires) {
  Scenario scenario("tells");
  scenario.clients(2, [](Client& me) { return tells(me, true); }).require(no_orphan("count"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
  Scenario other("tells");
  other.clients(2, [](Client& me) { return tells(me, true); }).require(owner_only("count"));
  EXPECT_EQ(explore(other).outcome, Outcome::proved);
}

TEST(Vacuity, AnEventWhosePropertyIsLeftAsideIsNotMisspelt) {
  Scenario scenario("tells");
  scenario.clients(3, [](Client& me) { return tells(me, true); })
      .require(never("three were here"))
      .require(owner_only("count"));
  ASSERT_TRUE(scenario.require_only({Property::Kind::owner_only}));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(Vacuity, AGoalIsLeftAsideWithTheEventThatItGuards) {
  for (const Property::Kind kind : {Property::Kind::owner_only, Property::Kind::never}) {
    Scenario scenario("tells");
    scenario.clients(2, [](Client& me) { return tells(me, true); })
        .require(never("three were here"))
        .sometimes("the caller is told")
        .require(owner_only("count"));
    ASSERT_TRUE(scenario.require_only({kind}));
    const Verdict verdict = explore(scenario);
    const bool guarded = kind == Property::Kind::never;
    EXPECT_EQ(verdict.outcome, guarded ? Outcome::invalid : Outcome::proved) << describe(verdict);
  }
}

TEST(Vacuity, TheNameOfALockIsNoEvent) {
  for (const char* name : {"lock", "lokc", "database"}) {
    const Verdict verdict = explored(never(name));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("never() is about events that programs report"));
  }
}

// --- goals of one's own --------------------------------------------------------------------------

TEST(Vacuity, AGoalThatIsMisspeltIsNamed) {
  Scenario scenario("tells");
  scenario.clients(3, [](Client& me) { return tells(me, false); })
      .require(always("anything", [](const Snapshot&) { return true; }))
      .sometimes("three were her");
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("did you mean 'three were her'?"));
}

Task<void> reaches_many(Client& me, int count) {
  static_cast<void>(co_await me.store().get(Key("k")));
  for (int goal = 0; goal < count; ++goal) me.reach("goal " + std::to_string(goal));
}

Verdict goals_reached(int reached, int wanted) {
  Scenario scenario("many goals");
  scenario.client([reached](Client& me) { return reaches_many(me, reached); })
      .require(always("anything", [](const Snapshot&) { return true; }));
  for (int goal = 0; goal < wanted; ++goal) scenario.sometimes("goal " + std::to_string(goal));
  return explore(scenario);
}

TEST(Vacuity, AnyNumberOfGoalsIsCounted) {
  EXPECT_EQ(goals_reached(200, 200).outcome, Outcome::proved);
  const Verdict missed = goals_reached(199, 200);
  EXPECT_EQ(missed.outcome, Outcome::invalid);
  EXPECT_THAT(missed.reason, HasSubstr("'goal 199'"));
  EXPECT_EQ(goals_reached(6, 70).outcome, Outcome::invalid);
}

}  // namespace
}  // namespace interlock::sim
