// What a scenario can be made of besides identical clients at one key: several servers and keys,
// choices, predicates of one's own. Each once right and once wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

// --- several servers: a lock is most of three keys -----------------------------------------------

Task<void> takes_most(Client& me, std::size_t needed) {
  const OwnerToken token = me.tokens().fresh();
  std::size_t taken = 0;
  for (std::size_t server = 0; server < 3; ++server) {
    const Result<bool> won = co_await me.store(server).set_if_absent(Key("lock"), token.text());
    if (won && *won) ++taken;
  }
  if (taken < needed) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

Verdict majority_of(std::size_t needed, FaultBudget faults = {}) {
  Scenario scenario("majority");
  scenario.servers(3)
      .clients(2, [needed](Client& me) { return takes_most(me, needed); })
      .faults(faults)
      .require(mutual_exclusion("lock"));
  return explore(scenario);
}

TEST(Scenario, ServersHaveStoresOfTheirOwn) {
  EXPECT_EQ(majority_of(2).outcome, Outcome::proved);
  EXPECT_EQ(majority_of(1).outcome, Outcome::violated);
}

TEST(Scenario, AServerFailsAlone) {
  const Verdict verdict = majority_of(2, FaultBudget().allow(Fault::restart_empty));
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.run.faults(), 1U);
  // A client that needs all servers is safe from one that forgets.
  EXPECT_EQ(majority_of(3, FaultBudget().allow(Fault::restart_empty)).outcome, Outcome::proved);
}

// --- several keys, and a predicate over what they hold -------------------------------------------

Task<void> moves_one(Client& me, Key from, Key to, bool adds_first) {
  if (adds_first) static_cast<void>(co_await me.store().increment(to));
  static_cast<void>(co_await me.store().erase(from));
  if (!adds_first) static_cast<void>(co_await me.store().increment(to));
}

Verdict never_nowhere(bool adds_first) {
  const Key here("here");
  const Key there("there");
  Scenario scenario("moves");
  scenario.client([=](Client& me) { return moves_one(me, here, there, adds_first); })
      .initially(here, Entry("1"))
      .require(always("it is somewhere", [](const Snapshot& world) {
        return world.find("here") != nullptr || world.find("there") != nullptr;
      }));
  return explore(scenario);
}

TEST(Scenario, APredicateOfOnesOwnIsHeldInEveryState) {
  EXPECT_EQ(never_nowhere(true).outcome, Outcome::proved);
  const Verdict verdict = never_nowhere(false);
  EXPECT_EQ(verdict.property, "it is somewhere");
  EXPECT_EQ(verdict.run.steps.size(), 1U);
}

// The store changes in one step, and the client learns of it in a later one.
Task<void> takes_lock(Client& me) {
  const std::string value = "1";
  const Result<bool> taken = co_await me.store().set_if_absent(Key("lock"), value);
  if (!taken || !*taken) co_return;
  me.enter("lock");
  static_cast<void>(co_await me.store().erase(Key("lock")));
  co_await me.leave("lock");
}

TEST(Scenario, APredicateSeesTheMomentBeforeTheAnswer) {
  Scenario scenario("takes");
  scenario.client(takes_lock)
      .require(always("whose key is there is inside", [](const Snapshot& world) {
        return world.find("lock") == nullptr || !world.clients[0].inside.empty();
      }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 1U);
  EXPECT_FALSE(verdict.run.steps[0].delivered);
}

TEST(Scenario, APredicateSeesAClientThatHasBegunAndAskedForNothing) {
  Scenario scenario("takes");
  scenario.client(takes_lock)
      .require(always("who has begun has taken it", [](const Snapshot& world) {
        return world.clients[0].status != ClientView::Status::running ||
               world.find("lock") != nullptr || !world.clients[0].inside.empty();
      }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps[0].kind, StepKind::start);
}

Task<void> takes_lock_for_a_while(Client& me) {
  const Key lock("lock");
  const OwnerToken token = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
  if (!taken || !*taken) co_return;
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().release(lock, token));
}

// A predicate may tell identical clients apart: each state is looked at, not one of its like.
TEST(Scenario, APredicateMayNameOneOfIdenticalClients) {
  const auto in_turn = [](const Snapshot& world) {
    return world.clients[2].inside.empty() || world.clients[1].status != ClientView::Status::done ||
           world.clients[0].status == ClientView::Status::done;
  };
  const auto not_of_b = [](const Snapshot& world) {
    const KeyView* const key = world.find("lock");
    return key == nullptr || key->value.find('B') == std::string::npos;
  };
  for (const Property& property : {always("C is inside after B alone if A has ended", in_turn),
                                   always("the lock is never B's", not_of_b)}) {
    Scenario scenario("names one");
    scenario.clients(3, takes_lock_for_a_while).require(property);
    const Verdict verdict = explore(scenario);
    const Verdict apart = explore(scenario.symmetry(false));
    ASSERT_EQ(apart.outcome, Outcome::violated) << describe(apart);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    EXPECT_EQ(verdict.run.steps.size(), apart.run.steps.size()) << describe(verdict.run);
  }
}

// --- choices -------------------------------------------------------------------------------------

Task<void> draws(Client& me, std::uint64_t bound) {
  const std::uint64_t drawn = me.choose(bound);
  me.reach("drew " + std::to_string(drawn));
  static_cast<void>(co_await me.store().get(Key("any")));
}

TEST(Scenario, EachBranchOfAChoiceIsTaken) {
  Scenario scenario("choice");
  scenario.client([](Client& me) { return draws(me, 3); })
      .sometimes("drew 0")
      .sometimes("drew 1")
      .sometimes("drew 2")
      .require(always("anything", [](const Snapshot&) { return true; }));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  scenario.sometimes("drew 3");
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("'drew 3'"));
}

// --- the dead are nowhere inside -----------------------------------------------------------------

Task<void> stays_for_a_step(Client& me) {
  const Key lock("lock");
  const OwnerToken token = me.tokens().fresh();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Result<bool> taken =
        co_await me.store().set_if_absent(lock, token.text(), milliseconds{1'000});
    if (taken && *taken) {
      me.enter("lock");
      static_cast<void>(co_await me.store().get(lock));
      co_await me.leave("lock");
      co_return;
    }
    co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{2});
  }
}

TEST(Scenario, AClientThatCrashedInsideHasLeft) {
  Scenario scenario("crashed inside");
  scenario.clients(2, stays_for_a_step).instants(4).require(mutual_exclusion("lock"));
  scenario.faults(FaultBudget().allow(Fault::crash).pauses(0));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
}

// A lock that may be taken twice by one client has one owner.
Task<void> enters_twice(Client& me) {
  me.enter("lock");
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Scenario, AClientThatEntersTwiceIsOneOwner) {
  Scenario scenario("twice");
  scenario.client(enters_twice).require(mutual_exclusion("lock"));
  EXPECT_NE(explore(scenario).outcome, Outcome::violated);
}

// --- whose value is in a key ---------------------------------------------------------------------

enum class Does : std::uint8_t {
  erases,
  prolongs,
  prolongs_to_the_same,
  overwrites,
  overwrites_with_the_same,
  exchanges_for_the_same
};

Task<void> takes(Client& me) {
  static_cast<void>(co_await me.store().set_if_absent(Key("lock"), "A", milliseconds{9'000}));
}
Task<void> meddles(Client& me, Does does) {
  const Key lock("lock");
  if (does == Does::erases) static_cast<void>(co_await me.store().erase(lock));
  if (does == Does::prolongs) {
    static_cast<void>(co_await me.store().expire(lock, milliseconds{8'000}));
  }
  if (does == Does::prolongs_to_the_same) {
    static_cast<void>(co_await me.store().expire(lock, milliseconds{9'000}));
  }
  if (does == Does::overwrites_with_the_same) {
    static_cast<void>(co_await me.store().set(lock, "A", milliseconds{9'000}));
  }
  if (does == Does::exchanges_for_the_same) {
    static_cast<void>(co_await me.store().exchange(lock, "A"));
  }
  if (does == Does::overwrites) static_cast<void>(co_await me.store().exchange(lock, "B"));
}

Verdict meddled(Does does, const Property& property) {
  Scenario scenario("meddled");
  scenario.client(takes).client([does](Client& me) { return meddles(me, does); }).require(property);
  return explore(scenario);
}

TEST(Scenario, AClientThatChangesAnothersKeyBreaksOwnerOnly) {
  const auto outcome = [](Does does, const Property& property) {
    return meddled(does, property).outcome;
  };
  const Property owner = owner_only("lock");
  const Property place = no_overwrite("lock");
  EXPECT_EQ(outcome(Does::erases, owner), Outcome::violated);
  EXPECT_EQ(outcome(Does::prolongs, owner), Outcome::violated);
  EXPECT_EQ(outcome(Does::prolongs_to_the_same, owner), Outcome::violated);
  EXPECT_EQ(outcome(Does::prolongs_to_the_same, place), Outcome::proved);
  EXPECT_EQ(outcome(Does::overwrites_with_the_same, owner), Outcome::proved);
  EXPECT_EQ(outcome(Does::overwrites_with_the_same, place), Outcome::violated);
  EXPECT_EQ(outcome(Does::exchanges_for_the_same, place), Outcome::violated);
  EXPECT_EQ(outcome(Does::overwrites, owner), Outcome::proved);
  EXPECT_EQ(outcome(Does::erases, place), Outcome::proved);
  EXPECT_EQ(outcome(Does::prolongs, place), Outcome::proved);
  EXPECT_EQ(outcome(Does::overwrites, place), Outcome::violated);
}

// --- who takes over in a failover ----------------------------------------------------------------

Task<void> holds_for_one_instant(Client& me) {
  const std::optional<milliseconds> ttl = milliseconds{1'000};
  const std::string value = "1";
  const Result<bool> set = co_await me.store().set_if_absent(Key("lock"), value, ttl);
  if (!set || !*set) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

Verdict failover_to(std::size_t missed_writes, int instants_ahead) {
  Replica replica;
  replica.missed_writes = missed_writes;
  replica.instants_ahead = instants_ahead;
  Scenario scenario("failover");
  scenario.clients(2, holds_for_one_instant)
      .clocks_start_at(std::chrono::seconds{100})
      .faults(FaultBudget().allow(Fault::failover))
      .replica(replica)
      .require(mutual_exclusion("lock"));
  return explore(scenario);
}

TEST(Scenario, AReplicaMissesAWriteOrHasAClockOfItsOwn) {
  EXPECT_EQ(failover_to(0, 0).outcome, Outcome::proved);
  EXPECT_EQ(failover_to(0, -1).outcome, Outcome::proved);
  EXPECT_EQ(failover_to(1, 0).outcome, Outcome::violated);
  const Verdict ahead = failover_to(0, 1);
  ASSERT_EQ(ahead.outcome, Outcome::violated);
  EXPECT_THAT(ahead.bounds, HasSubstr("that has missed nothing, its clock 1000 ms ahead"));
  EXPECT_THAT(describe(ahead.run), HasSubstr("# a replica takes over that has missed nothing"));
}

// --- too many ------------------------------------------------------------------------------------

TEST(Scenario, SaysThatItHasTooManyClients) {
  Scenario scenario("crowd");
  scenario.clients(9, [](Client& me) { return draws(me, 1); })
      .require(always("anything", [](const Snapshot&) { return true; }));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("has 9 clients, and a search knows 8 by name"));
}

}  // namespace
}  // namespace interlock::sim
