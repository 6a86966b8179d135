// How states are judged, and what a predicate and a reader are shown of the world: by scenarios of
// a few steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Key key("k");
const Key other_key("other");
const char* const value = "v";

// --- what is left at the end ---------------------------------------------------------------------

Task<void> sets(Client& me, std::size_t server) {
  static_cast<void>(co_await me.store(server).set(key, value));
}
Task<void> erases(Client& me, Key which) {
  static_cast<void>(co_await me.store().erase(which));
}

Outcome orphaned(const Program& program) {
  Scenario scenario("orphans");
  scenario.servers(2).client(program).require(no_orphan("k"));
  return explore(scenario).outcome;
}

TEST(World, AKeyThatIsStillToBeErasedIsNoOrphan) {
  const auto left = [](const FaultBudget& faults) {
    Scenario scenario("an erasure");
    scenario.client([](Client& me) { return erases(me, key); })
        .initially(key, Entry(value))
        .faults(faults)
        .require(no_orphan("k"));
    return explore(scenario).outcome;
  };
  EXPECT_EQ(left(FaultBudget()), Outcome::proved);
  EXPECT_EQ(left(FaultBudget().allow(Fault::late_execution)), Outcome::proved);
  EXPECT_EQ(left(FaultBudget().allow(Fault::lost_request)), Outcome::violated);
}

TEST(World, AnOrphanMayBeOnAnyServer) {
  EXPECT_EQ(orphaned([](Client& me) { return sets(me, 0); }), Outcome::violated);
  EXPECT_EQ(orphaned([](Client& me) { return sets(me, 1); }), Outcome::violated);
}

// --- who waits in vain ---------------------------------------------------------------------------

Task<void> waits(Client& me, Duration for_so_long) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  const TimePoint until = me.time().now() + for_so_long;
  static_cast<void>(co_await me.store().await_message(*ear, until));
}
Task<void> does_nothing(Client& me) {
  static_cast<void>(co_await me.store().get(other_key));
}
Task<void> erases_and_sets(Client& me) {
  static_cast<void>(co_await me.store().erase(key));
  static_cast<void>(co_await me.store().set(key, value));
}

Scenario waiting(Duration for_so_long = seconds{2}) {
  Scenario scenario("waiting");
  scenario.client([=](Client& me) { return waits(me, for_so_long); })
      .initially(key, Entry(value))
      .initially(other_key, Entry(value))
      .instants(6);
  return scenario;
}
Outcome outcome(const Scenario& scenario) {
  return explore(scenario).outcome;
}

TEST(World, AWaitEndsInTimeByWholeInstants) {
  const auto lost = [](Duration within) {
    Scenario scenario = waiting();
    scenario.client([](Client& me) { return erases(me, key); });
    return outcome(scenario.require(no_lost_wake_up("k", within)));
  };
  EXPECT_EQ(lost(seconds{1}), Outcome::violated);
  EXPECT_EQ(lost(milliseconds{1'500}), Outcome::proved);
  EXPECT_EQ(lost(seconds{2}), Outcome::proved);
}

TEST(World, AWakeUpIsLostByWhoRemovesTheKeyAlone) {
  const auto lost = [](const Program& other) {
    Scenario scenario = waiting();
    return outcome(scenario.client(other).require(no_lost_wake_up("k")));
  };
  EXPECT_EQ(lost([](Client& me) { return erases(me, key); }), Outcome::violated);
  EXPECT_NE(lost(does_nothing), Outcome::violated);
  EXPECT_NE(lost([](Client& me) { return erases(me, other_key); }), Outcome::violated);
}

TEST(World, AWakeUpIsNotLostWhereTheKeyIsThereAgain) {
  Scenario scenario("there again");
  scenario.client([](Client& me) { return waits(me, seconds{2}); })
      .client(erases_and_sets)
      .initially(key, Entry(value))
      .require(no_lost_wake_up("k"));
  // Between the two it is lost.
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.run.steps.back().after.find("k"), nullptr) << describe(verdict.run);
}

TEST(World, AWakeUpOfOneLockIsNotThatOfAnother) {
  Scenario scenario("two locks");
  scenario.client([](Client& me) { return waits(me, seconds{2}); })
      .client([](Client& me) { return erases(me, other_key); })
      .initially(other_key, Entry(value))
      .require(no_lost_wake_up("k"))
      .require(no_lost_wake_up("other"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.property, no_lost_wake_up("other").name);
}

TEST(World, TheLastClientMayWaitInVainToo) {
  Scenario scenario("the last");
  scenario.client([](Client& me) { return erases(me, key); })
      .client([](Client& me) { return waits(me, seconds{2}); })
      .initially(key, Entry(value))
      .instants(4)
      .require(no_lost_wake_up("k"));
  EXPECT_EQ(outcome(scenario), Outcome::violated);
}

// Puts its token into a key, and waits, or lets another client wait.
Task<void> is_granted(Client& me, Key which, bool listens) {
  const OwnerToken mine = me.tokens().fresh();
  static_cast<void>(co_await me.store().set(which, mine.text()));
  if (listens) co_await waits(me, seconds{2});
}

TEST(World, AGrantIsUnheardByItsOwnerAlone) {
  const auto unheard = [](const Key& which, bool listens) {
    Scenario scenario = waiting();
    scenario.client([=](Client& me) { return is_granted(me, which, listens); });
    return outcome(scenario.require(no_unheard_grant("k")));
  };
  EXPECT_EQ(unheard(key, true), Outcome::violated);
  EXPECT_NE(unheard(key, false), Outcome::violated);
  EXPECT_NE(unheard(other_key, true), Outcome::violated);
}

// --- what is shown -------------------------------------------------------------------------------

using Sees = bool (*)(const Snapshot&);

// Whether some state is so.
bool seen(Scenario scenario, Sees predicate) {
  scenario.require(
      always("never so", [predicate](const Snapshot& world) { return !predicate(world); }));
  return outcome(scenario) == Outcome::violated;
}

TEST(World, APredicateSeesTimeAndFaultsAndServers) {
  Scenario scenario("shown");
  scenario.client([](Client& me) { return sets(me, 1); })
      .client([](Client& me) { return erases(me, other_key); })
      .servers(2)
      .instants(3)
      .initially(other_key, Entry(value))
      .faults(FaultBudget().allow(Fault::crash).allow(Fault::rejected));
  EXPECT_TRUE(seen(scenario, [](const Snapshot& world) { return world.time == seconds{2}; }));
  EXPECT_FALSE(seen(scenario, [](const Snapshot& world) { return world.time > seconds{2}; }));
  EXPECT_TRUE(seen(scenario, [](const Snapshot& world) { return world.faults == 2; }));
  EXPECT_FALSE(seen(scenario, [](const Snapshot& world) { return world.faults > 2; }));
  EXPECT_TRUE(seen(scenario, [](const Snapshot& world) { return world.find("k", 1) != nullptr; }));
  EXPECT_FALSE(seen(scenario, [](const Snapshot& world) { return world.find("k", 0) != nullptr; }));
}

Task<void> enters_and_leaves(Client& me) {
  me.wants("lock");
  static_cast<void>(co_await me.store().set(key, value, milliseconds{2'000}));
  me.enter("lock");
  static_cast<void>(co_await me.store().get(key));
  co_await me.leave("lock");
}

TEST(World, APredicateSeesWhoIsInsideAndWhoHasCrashed) {
  Scenario scenario("a section");
  scenario.client(enters_and_leaves).instants(3).faults(FaultBudget().allow(Fault::crash));
  EXPECT_TRUE(
      seen(scenario, [](const Snapshot& world) { return !world.clients[0].inside.empty(); }));
  EXPECT_FALSE(seen(scenario, [](const Snapshot& world) {
    const ClientView& client = world.clients[0];
    return !client.inside.empty() && client.status == ClientView::Status::crashed;
  }));
  EXPECT_TRUE(seen(scenario, [](const Snapshot& world) {
    return world.clients[0].status == ClientView::Status::crashed;
  }));
  EXPECT_TRUE(seen(scenario, [](const Snapshot& world) {
    return world.clients[0].status == ClientView::Status::done;
  }));
}

TEST(World, APredicateSeesWhatIsLeftOfAKey) {
  Scenario scenario("a key that expires");
  scenario.client(enters_and_leaves).instants(3).clocks_start_at(seconds{100});
  EXPECT_TRUE(seen(scenario, [](const Snapshot& world) {
    const KeyView* const view = world.find("k");
    return view != nullptr && view->remaining == milliseconds{1'000};
  }));
  EXPECT_FALSE(seen(scenario, [](const Snapshot& world) {
    const KeyView* const view = world.find("k");
    return view != nullptr && view->remaining > milliseconds{2'000};
  }));
}

TEST(World, OfSeveralPropertiesOfStatesEachIsLookedAt) {
  Scenario scenario("two predicates");
  scenario.client([](Client& me) { return sets(me, 0); })
      .require(always("anything", [](const Snapshot&) { return true; }))
      .require(always("nothing", [](const Snapshot& world) { return world.keys.empty(); }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.property, "nothing");
  EXPECT_EQ(verdict.run.steps.back().violates, "nothing");
}

Task<void> wants_and_ends(Client& me) {
  me.wants("lock");
  static_cast<void>(co_await me.store().get(key));
}

TEST(World, WhoHasEndedWantsNothing) {
  Scenario scenario("a wish");
  scenario.client(wants_and_ends).require(every_waiter_acquires("lock"));
  Simulation simulation(scenario);
  const auto take_the_first = [&] { return simulation.take(simulation.choices()[0].code); };
  ASSERT_TRUE(take_the_first());
  while (simulation.now().clients[0].status != ClientView::Status::done) {
    EXPECT_THAT(simulation.now().clients[0].wants, ElementsAre("lock"));
    ASSERT_TRUE(take_the_first());
  }
  EXPECT_THAT(simulation.now().clients[0].wants, IsEmpty());
}

// --- what is told --------------------------------------------------------------------------------

Task<void> reads_who_was_first(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  static_cast<void>(co_await me.store().set_if_absent(key, mine.text()));
  static_cast<void>(co_await me.store().get(key));
}

// Takes the first step of the client that is such.
template <class Is>
Result<RunStep> take(Simulation& simulation, std::size_t client, Is is) {
  for (const RunStep& step : simulation.choices()) {
    if (step.client == client && is(step)) return simulation.take(step.code);
  }
  return Error(Errc::rejected, "there is no such step");
}

// Identical clients share one program, in the words of the first.
TEST(World, AnAnswerThatWasOnItsWayIsToldInTrueWords) {
  Scenario scenario("holders");
  scenario.clients(2, reads_who_was_first).require(always("anything", [](const Snapshot&) {
    return true;
  }));
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    Simulation simulation(scenario);
    const auto arrives = [](const RunStep& step) { return step.delivered; };
    const auto is_held = [](const RunStep& step) { return step.applied && !step.delivered; };
    for (const std::size_t client : {first, 1 - first}) {
      const Result<RunStep> taken = take(simulation, client, arrives);
      ASSERT_TRUE(taken) << taken.error().detail();
    }
    for (const std::size_t client : {std::size_t{0}, std::size_t{1}}) {
      ASSERT_TRUE(take(simulation, client, is_held));
      const Result<RunStep> heard = take(simulation, client, arrives);
      ASSERT_TRUE(heard);
      EXPECT_EQ(heard->reply, "\"" + simulation.now().find("k")->value + "\"") << client;
    }
  }
}

Task<void> listens_for_ever(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  static_cast<void>(co_await me.store().await_message(*ear, TimePoint::max()));
}

TEST(World, ARunThatIsTakenByHandIsToldItsDeadlock) {
  Scenario scenario("a listener");
  scenario.client(listens_for_ever);
  Simulation simulation(scenario);
  Result<RunStep> last = simulation.take(simulation.choices()[0].code);
  while (last && !simulation.choices().empty()) {
    last = simulation.take(simulation.choices()[0].code);
  }
  ASSERT_TRUE(last);
  EXPECT_EQ(last->violates, no_deadlock().name);
}

}  // namespace
}  // namespace interlock::sim
