// If a property's subject does not occur in a scenario, the property holds in every run and says
// nothing: no kind of property may be proved in such a way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
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
  for (const Property& property :
       {owner_only(lock), no_overwrite(lock), no_orphan(lock), no_lost_wake_up(lock)}) {
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

// --- the kinds that need more than a name --------------------------------------------------------

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

TEST(Vacuity, ThatNobodyWaitsForAMessageIsNoProofBesideOtherProperties) {
  for (const Property& property : {no_lost_wake_up(lock), no_unheard_grant(lock)}) {
    Scenario scenario("polls");
    scenario.clients(2, takes_once).require(property).require(no_overwrite(lock));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("'some client waits for a message'"));
    ASSERT_TRUE(scenario.require_only({PropertyKind::no_overwrite}));
    EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  }
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
  ASSERT_TRUE(scenario.require_only({PropertyKind::first_come_first_served}));
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

// --- properties about two ------------------------------------------------------------------------

void expect_missed(const Scenario& scenario, const std::string& goal) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("no run reaches the goal '" + goal + "'"));
}

Scenario taken_by(std::size_t clients, const Property& property, const Program& program) {
  Scenario scenario("taken");
  return scenario.clients(clients, program).instants(3).require(property);
}

TEST(Vacuity, NobodyIsBesideASingleClient) {
  const std::string differ = "different clients enter lock";
  expect_missed(taken_by(1, mutual_exclusion(lock), takes_turns), differ);
  EXPECT_EQ(explore(taken_by(2, mutual_exclusion(lock), takes_turns)).outcome, Outcome::proved);
  EXPECT_EQ(explore(taken_by(2, mutual_exclusion(lock), takes_turns).symmetry(false)).outcome,
            Outcome::proved);
}

// Never does anybody else get in, but each of them could.
Task<void> is_elected(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(Key(lock), owner.text());
  if (!taken || !*taken) co_return;
  me.enter(lock);
  static_cast<void>(co_await me.store().get(Key("work")));
}

TEST(Vacuity, ClientsOfWhichOneEntersInEachRunExcludeEachOther) {
  for (const bool symmetry : {true, false}) {
    Scenario scenario = taken_by(2, mutual_exclusion(lock), is_elected).symmetry(symmetry);
    EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  }
}

Task<void> watches(Client& me) {
  static_cast<void>(co_await me.store().get(Key(lock)));
}

TEST(Vacuity, AClientThatNeverEntersIsNotExcluded) {
  Scenario scenario("one enters");
  scenario.client(is_elected).client(watches).require(mutual_exclusion(lock));
  expect_missed(scenario, "different clients enter lock");
}

// Holds for a second by its own clock, of which nothing may be left.
Task<void> leases(Client& me, bool for_a_while) {
  const OwnerToken owner = me.tokens().fresh();
  const TimePoint until = me.time().now() + seconds{1};
  const Result<bool> taken =
      co_await me.store().set_if_absent(Key(lock), owner.text(), milliseconds{1000});
  if (!taken || !*taken) co_return;
  me.enter(lock, FencingToken(1), for_a_while ? until : me.time().now());
  co_await me.leave(lock);
  static_cast<void>(co_await me.store().release(Key(lock), owner));
}

TEST(Vacuity, LeasesOfOneClientExcludeNobody) {
  const auto long_ones = [](Client& me) { return leases(me, true); };
  const auto over_at_once = [](Client& me) { return leases(me, false); };
  expect_missed(taken_by(1, lease_exclusion(lock), long_ones),
                "different clients hold lock until an instant to come");
  EXPECT_EQ(explore(taken_by(2, lease_exclusion(lock), long_ones)).outcome, Outcome::proved);
  expect_missed(taken_by(2, lease_exclusion(lock), over_at_once),
                "some client holds lock until an instant to come");
}

// Takes the lock so many times, and writes with the token of each.
Task<void> claims(Client& me, int times) {
  for (; times > 0; --times) {
    const OwnerToken owner = me.tokens().fresh();
    const Ttl ttl(seconds{1});
    const Result<ClaimReply> claimed = co_await me.store().claim(Key(lock), owner, ttl);
    if (!claimed || !std::holds_alternative<Claimed>(*claimed)) continue;
    const FencingToken token = std::get<Claimed>(*claimed).fencing;
    static_cast<void>(co_await me.write("database", token));
    static_cast<void>(co_await me.store().release(Key(lock), owner));
  }
}

TEST(Vacuity, ASingleFencingTokenHasNothingToBeGreaterThan) {
  const auto once = [](Client& me) { return claims(me, 1); };
  const auto twice = [](Client& me) { return claims(me, 2); };
  expect_missed(taken_by(1, fencing_grows(lock), once),
                "fencing tokens for lock are granted to different clients, or twice");
  EXPECT_EQ(explore(taken_by(1, fencing_grows(lock), twice)).outcome, Outcome::proved);
  EXPECT_EQ(explore(taken_by(2, fencing_grows(lock), once)).outcome, Outcome::proved);
  const std::string differ = "writes to database differ in client or fencing token";
  expect_missed(taken_by(1, fenced_writes("database"), once), differ);
  EXPECT_EQ(explore(taken_by(1, fenced_writes("database"), twice)).outcome, Outcome::proved);
  Scenario others = taken_by(2, fenced_writes("database"), once);
  EXPECT_EQ(explore(others.resource_checks_fencing("database")).outcome, Outcome::proved);
}

TEST(Vacuity, NoClientMeddlesWithAKeyThatOnlyItEverChanges) {
  const std::string differ = "different clients ask to change lock";
  for (const Property& property : {owner_only(lock), no_overwrite(lock)}) {
    expect_missed(taken_by(1, property, takes_once), differ);
    EXPECT_EQ(explore(taken_by(2, property, takes_once)).outcome, Outcome::proved);
    Scenario scenario("one only looks");
    scenario.client(takes_once).client(watches).require(property);
    expect_missed(scenario, differ);
  }
}

// The winner alone is granted a token, and it may be either of them.
Task<void> is_elected_for_ever(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl(seconds{60});
  const Result<ClaimReply> claimed = co_await me.store().claim(Key(lock), owner, ttl);
  if (!claimed || !std::holds_alternative<Claimed>(*claimed)) co_return;
  const FencingToken token = std::get<Claimed>(*claimed).fencing;
  static_cast<void>(co_await me.write("database", token));
}

TEST(Vacuity, TokensAreOfTwoIfEitherMayBeGrantedOne) {
  for (const Property& property : {fencing_grows(lock), fenced_writes("database")}) {
    expect_missed(taken_by(1, property, is_elected_for_ever),
                  property.kind == PropertyKind::fencing_grows
                      ? "fencing tokens for lock are granted to different clients, or twice"
                      : "writes to database differ in client or fencing token");
    for (const bool symmetry : {true, false}) {
      Scenario scenario = taken_by(2, property, is_elected_for_ever).symmetry(symmetry);
      const Verdict verdict = explore(scenario);
      EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
    }
  }
}

// The key is guarded by another one, so that in no run does a client find another's value in it.
Task<void> works_while_it_holds(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(Key(lock), owner.text());
  if (!taken || !*taken) co_return;
  static_cast<void>(co_await me.store().set(Key("work"), owner.text()));
  static_cast<void>(co_await me.store().erase(Key("work")));
  static_cast<void>(co_await me.store().release(Key(lock), owner));
}

TEST(Vacuity, AKeyMayBeGuardedByAnother) {
  for (const Property& property : {owner_only("work"), no_overwrite("work")}) {
    const Verdict verdict = explore(taken_by(2, property, works_while_it_holds));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  }
}

TEST(Vacuity, NobodyIsPassedOverInAQueueOfOne) {
  catalogue::LeaseClientOptions options = catalogue::queue_client_options();
  const auto queue_of = [&](std::size_t clients) {
    Scenario scenario = catalogue::queue_lock_scenario(clients, options, 3, Duration{0});
    scenario.require(first_come_first_served(catalogue::lease_lock_name)).faults(FaultBudget());
    EXPECT_TRUE(scenario.require_only({PropertyKind::first_come_first_served}));
    return scenario;
  };
  expect_missed(queue_of(2), "one of several clients that queue for deploy is granted it");
  EXPECT_EQ(explore(queue_of(3)).outcome, Outcome::proved);
}

// Clients that wait and then take the lock by themselves are granted nothing by others; those of a
// lock with a queue are.
TEST(Vacuity, NoGrantIsUnheardWhereNoWaiterIsGrantedAnything) {
  Scenario scenario("turns");
  scenario.clients(2, takes_turns).require(no_unheard_grant(lock));
  expect_missed(scenario, "lock is granted to a client that waits for a message");
  Scenario queue = catalogue::queue_lock_scenario(2, catalogue::queue_client_options(), 2);
  ASSERT_TRUE(queue.require_only({PropertyKind::no_unheard_grant}));
  EXPECT_EQ(explore(queue).outcome, Outcome::proved);
}

Task<void> goes_round(Client& me) {
  const std::string value = "1";
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().set(Key(lock), value));
  }
}

TEST(Vacuity, NobodyWhoHasGoneLeavesAnythingWhereNobodyEverGoes) {
  expect_missed(taken_by(2, gone_leave_nothing(lock), goes_round), "some client ends");
  Scenario lossy = taken_by(2, gone_leave_nothing(lock), takes_once);
  lossy.faults(FaultBudget().allow(Fault::lost_request));
  expect_missed(lossy, "an operation releases lock");
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
  ASSERT_TRUE(scenario.require_only({PropertyKind::owner_only}));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(Vacuity, AGoalIsLeftAsideWithTheEventThatItGuards) {
  for (const PropertyKind kind : {PropertyKind::owner_only, PropertyKind::never}) {
    Scenario scenario("tells");
    scenario.clients(2, [](Client& me) { return tells(me, true); })
        .require(never("three were here"))
        .sometimes("the caller is told")
        .require(owner_only("count"));
    ASSERT_TRUE(scenario.require_only({kind}));
    const Verdict verdict = explore(scenario);
    const bool guarded = kind == PropertyKind::never;
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
