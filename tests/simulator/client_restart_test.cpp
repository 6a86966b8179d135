// A client crashes and begins its program again without its memory: what it loses, what of its
// requests arrives later, and that all ways to search agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/merged_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

const Key lock_key("lock");
const char* const lock_name = "lock";

FaultBudget restarts(std::size_t count = 1) {
  return FaultBudget().allow(Fault::client_restart, count);
}

Task<void> sets(Client* me, Key key, std::string value) {
  static_cast<void>(co_await me->store().set(key, value));
}

// --- what is lost, and what arrives later --------------------------------------------------------

Task<void> sets_once(Client& me) {
  co_await sets(&me, Key("k"), "v");
}

Scenario setting_once() {
  Scenario scenario("setting once");
  return scenario.client(sets_once).faults(restarts()).allow_deadlock();
}

// The line of a schedule for a possible step, without the answer.
std::string line_of(const Simulation& simulation, const RunStep& step) {
  Run run = simulation.run();
  run.steps.push_back(step);
  const ScheduleStep last = make_schedule(run).steps.back();
  return last.mover + " " + last.action;
}

void take(Simulation& simulation, const std::string& line) {
  for (const RunStep& step : simulation.choices()) {
    if (line_of(simulation, step) != line) continue;
    ASSERT_TRUE(simulation.take(step.code).has_value());
    return;
  }
  FAIL() << "'" << line << "' is not possible after\n" << describe(simulation.run());
}

TEST(ClientRestart, BeginsAgain) {
  Simulation simulation(setting_once());
  take(simulation, "A starts");
  take(simulation, "A fault client-restart");
  const ClientView& view = simulation.now().clients.front();
  EXPECT_EQ(view.status, ClientView::Status::not_started);
  EXPECT_EQ(view.restarts, 1U);
  take(simulation, "A SET k v");
  EXPECT_EQ(simulation.now().clients.front().status, ClientView::Status::done);
  EXPECT_EQ(simulation.now().clients.front().restarts, 1U);
}

TEST(ClientRestart, ARequestOnItsWayIsLostOrArrivesLater) {
  Simulation simulation(setting_once());
  take(simulation, "A starts");
  take(simulation, "A branch 1 fault client-restart");
  EXPECT_EQ(simulation.now().find("k"), nullptr);
  EXPECT_THAT(simulation.run().steps.back().note, HasSubstr("SET k v"));
  take(simulation, "A late SET k v");
  EXPECT_NE(simulation.now().find("k"), nullptr);
  EXPECT_EQ(simulation.now().clients.front().status, ClientView::Status::not_started);
  const std::string brief = print_short(simulation.run());
  EXPECT_THAT(brief, HasSubstr("a1=1."));
  EXPECT_EQ(describe(*replay(setting_once(), *parse_short(brief))), describe(simulation.run()));
}

Task<void> writes_and_sets(Client& me) {
  static_cast<void>(co_await me.write("shelf", FencingToken(7)));
  co_await sets(&me, Key("k"), "v");
}

TEST(ClientRestart, AWriteThatItLeftBehindMayStillArrive) {
  Scenario scenario("writes and sets");
  FaultBudget faults = restarts();
  scenario.client(writes_and_sets).faults(faults.allow(Fault::late_write)).allow_deadlock();
  Simulation simulation(scenario);
  take(simulation, "A starts");
  take(simulation, "A fault late-write write shelf #7");
  take(simulation, "A branch 2 fault client-restart");
  EXPECT_EQ(simulation.run().steps.back().note, "still on its way: write shelf #7");
  take(simulation, "A late write shelf #7");
}

// Both tasks wait for the store: four branches.
Task<void> sets_two(Client& me) {
  me.spawn("second", sets(&me, Key("b"), "2"));
  co_await sets(&me, Key("a"), "1");
  co_await me.joined();
}

TEST(ClientRestart, EachSetOfItsRequestsMayArrive) {
  Scenario scenario("two tasks");
  scenario.client(sets_two).faults(restarts()).allow_deadlock();
  Simulation simulation(scenario);
  take(simulation, "A starts");
  std::set<std::size_t> late;
  for (const RunStep& step : simulation.choices()) {
    if (step.fault != Fault::client_restart) continue;
    Simulation branch(scenario);
    take(branch, "A starts");
    ASSERT_TRUE(branch.take(step.code).has_value());
    std::string text;
    std::size_t which = 0;
    for (const RunStep& next : branch.choices()) {
      if (next.kind != StepKind::late) continue;
      which += next.what == "SET a 1" ? 1 : 2;
    }
    late.insert(which);
  }
  EXPECT_EQ(late, (std::set<std::size_t>{0, 1, 2, 3}));
}

Task<void> increments(Client& me) {
  static_cast<void>(co_await me.store().increment(Key("n")));
}

TEST(ClientRestart, HappensBetweenTheExecutionOfTheLastRequestAndItsAnswer) {
  Scenario scenario("twice");
  scenario.client(increments);
  scenario.faults(restarts()).require(always("it counts once", [](const Snapshot& world) {
    return world.number("n").value_or(0) < 2;
  }));
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
}

Task<void> increments_and_tells(Client& me) {
  const Result<std::int64_t> count = co_await me.store().increment(Key("n"));
  me.reach("second", count && *count == 2);
}

// The same without a predicate, for which each request and its answer are taken apart anyway.
TEST(ClientRestart, HappensThereWithoutAPredicate) {
  Scenario scenario("twice");
  scenario.client(increments_and_tells);
  scenario.faults(restarts()).require(never("second"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated);
  // A request that arrives late, after the restart, takes one step more.
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
}

TEST(ClientRestart, IsNoPartOfAClientThatHasNotBegunOrHasEnded) {
  Simulation simulation(setting_once());
  for (const RunStep& step : simulation.choices()) EXPECT_NE(step.fault, Fault::client_restart);
  take(simulation, "A SET k v");
  EXPECT_TRUE(simulation.choices().empty());
}

Task<void> subscribes_and_reads(Client& me) {
  const Channel channel("c");
  const Result<SubscriptionId> made = co_await me.store().subscribe(channel);
  EXPECT_TRUE(!made || *made == 0);
  static_cast<void>(co_await me.store().get(Key("k")));
}

Task<void> publishes_and_notes(Client& me) {
  const Channel channel("c");
  const std::string text = "m";
  const Result<std::int64_t> heard = co_await me.store().publish(channel, text);
  me.note("heard", heard.value_or(0));
}

TEST(ClientRestart, EndsSubscriptions) {
  Scenario scenario("deaf");
  scenario.client(subscribes_and_reads);
  scenario.client(publishes_and_notes);
  scenario.faults(restarts()).require(always("nobody dead listens", [](const Snapshot& world) {
    const ClientView& listener = world.clients[0];
    const bool has_not_asked = listener.status == ClientView::Status::not_started;
    return !(has_not_asked && listener.restarts == 0) ||
           world.clients[1].ghost("heard").value_or(0) == 0;
  }));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved) << describe(explore(scenario));
}

// --- owner tokens --------------------------------------------------------------------------------

Task<void> claims_and_enters(Client& me, bool fresh) {
  const OwnerToken drawn = me.tokens().fresh();
  const OwnerToken owner = fresh ? drawn : OwnerToken("always mine");
  const Ttl ttl(seconds{1});
  const Result<ClaimReply> claimed = co_await me.store().claim(lock_key, owner, ttl);
  if (!claimed || !std::holds_alternative<Claimed>(*claimed)) co_return;
  me.enter(lock_name);
  co_await me.leave(lock_name);
  static_cast<void>(co_await me.store().release(lock_key, owner));
}

// Where time stands still no lease ends, so nothing breaks the lock but the lives of its clients.
Scenario claiming(bool fresh) {
  Scenario scenario("claiming");
  scenario.client([=](Client& me) { return claims_and_enters(me, fresh); });
  scenario.client([](Client& me) { return claims_and_enters(me, true); });
  return scenario.faults(restarts()).require(mutual_exclusion(lock_name));
}

TEST(ClientRestart, ALateReleaseOfTheLifeBeforeOpensTheLockIfTokensAreNotFresh) {
  const Verdict verdict = explore(claiming(false));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_THAT(describe(verdict.run), HasSubstr("late: RELEASE lock"));
  EXPECT_EQ(explore(claiming(true)).outcome, Outcome::proved);
}

Task<void> stores_its_token(Client& me) {
  const std::string token = me.tokens().fresh().text();
  static_cast<void>(co_await me.store().set(Key("k"), token));
}

TEST(ClientRestart, EachLifeDrawsOtherTokens) {
  std::set<std::string> seen;
  Scenario scenario("drawing");
  scenario.client(stores_its_token);
  scenario.faults(restarts(2)).require(always("k", [&seen](const Snapshot& world) {
    if (const KeyView* const key = world.find("k")) seen.insert(key->value);
    return true;
  }));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  EXPECT_EQ(seen, (std::set<std::string>{"il1:A1", "il1:A1r1", "il1:A1r2"}));
}

// --- searches ------------------------------------------------------------------------------------

TEST(ClientRestart, IdenticalClientsAreMerged) {
  Scenario scenario("claiming");
  scenario.clients(3, [](Client& me) { return claims_and_enters(me, true); });
  scenario.faults(restarts(2)).require(mutual_exclusion(lock_name));
  const Verdict merged = explore(scenario);
  EXPECT_EQ(merged.outcome, Outcome::proved) << describe(merged);
  const Verdict apart = explore(scenario.symmetry(false));
  EXPECT_EQ(apart.outcome, Outcome::proved) << describe(apart);
  EXPECT_LT(merged.states * 3, apart.states);
}

Task<void> loops_with_its_token(Client& me) {
  const std::string token = me.tokens().fresh().text();
  for (int round = 0; round < 2; ++round) {
    co_await me.loop_head(round);
    static_cast<void>(co_await me.store().set(Key("k"), token));
  }
}

TEST(ClientRestart, ALoopHeadKeepsLivesApart) {
  Scenario scenario("looping");
  scenario.client(loops_with_its_token);
  scenario.faults(restarts()).require(always("of the present life", [](const Snapshot& world) {
    const ClientView& client = world.clients.front();
    const KeyView* const key = world.find("k");
    const bool over = client.status == ClientView::Status::done;
    return !over || client.restarts == 0 || key->value == "il1:A1r1" || key->value == "il1:A1";
  }));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

Task<void> reads_what_is_next(Client& me, std::shared_ptr<int> begun) {
  const bool first = ++*begun == 1;
  static_cast<void>(co_await me.store().get(Key(first ? "a" : "b")));
}

Task<void> sleeps_and_sets(Client& me) {
  for (;;) {
    co_await me.loop_head();
    const TimePoint until = me.time().now() + seconds{1};
    co_await me.time().sleep_until(until);
    co_await sets(&me, Key("k"), "v");
  }
}

TEST(ClientRestart, HappensWhereTimeHasNoEnd) {
  Scenario scenario("endless");
  scenario.clients(2, sleeps_and_sets).instants(1).time_without_end().faults(restarts(2));
  const Verdict verdict = explore(scenario.require(no_deadlock()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(ClientRestart, MemoryThatSurvivesIsFound) {
  const auto begun = std::make_shared<int>(0);
  Scenario scenario("survivor");
  scenario.client([begun](Client& me) { return reads_what_is_next(me, begun); });
  scenario.faults(restarts()).require(mutual_exclusion(lock_name));
  EXPECT_EQ(explore(scenario).outcome, Outcome::invalid);
}

TEST(ClientRestart, EqualFuturesFindTheSame) {
  MergingLimits merging;
  merging.gain = 0;
  merging.from = 1;
  for (const bool fresh : {true, false}) {
    const Verdict apart = explore(claiming(fresh));
    const Verdict merged = explore_merged(claiming(fresh), Limits(), merging);
    EXPECT_EQ(merged.outcome, apart.outcome) << describe(merged);
  }
}

// Each life may leave a request behind.
TEST(ClientRestart, TooManyRequestsAtATimeProveNothing) {
  constexpr std::size_t most = 10;
  for (const std::size_t count : {most - 1, most}) {
    Scenario scenario("many");
    scenario.client(sets_once).faults(restarts(count + 1)).require(no_deadlock());
    const Verdict verdict = explore(scenario);
    if (count < most) {
      EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
    } else {
      EXPECT_EQ(verdict.outcome, Outcome::incomplete);
      EXPECT_THAT(verdict.reason,
                  HasSubstr("more than 10 requests on their way of a client that restarts"));
    }
  }
}

}  // namespace
}  // namespace interlock::sim
