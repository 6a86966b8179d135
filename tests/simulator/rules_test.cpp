// Rules of the simulated world that random programs seldom need: each by a run that must be there,
// and by one that must not.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"

namespace interlock::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Key key("k");
const Key ready_key("ready");
const char* const held = "held";

// Whether some run reaches it.
bool possible(Scenario scenario, const char* event) {
  const Verdict verdict = explore(scenario.require(never(event)));
  EXPECT_TRUE(verdict.outcome == Outcome::proved || verdict.outcome == Outcome::violated)
      << describe(verdict);
  return verdict.outcome == Outcome::violated;
}

// --- clocks --------------------------------------------------------------------------------------

Task<void> sleeps_by_its_wall_clock(Client& me) {
  const TimePoint until = me.wall_clock().now() + seconds{1};
  co_await me.wall_clock().sleep_until(until);
  me.reach("woken");
}
Task<void> sleeps_by_its_own_time(Client& me) {
  const TimePoint until = me.time().now() + seconds{1};
  co_await me.time().sleep_until(until);
  me.reach("woken");
}

TEST(Rules, OnlyASleepByTheWallClockEndsWhenThatIsSet) {
  const auto woken = [](const Program& program, const FaultBudget& faults) {
    Scenario scenario("a sleeper");
    scenario.client(program).faults(faults);
    return possible(scenario, "woken");
  };
  const FaultBudget jump = FaultBudget().allow(Fault::clock_jump);
  EXPECT_TRUE(woken(sleeps_by_its_wall_clock, jump));
  EXPECT_FALSE(woken(sleeps_by_its_wall_clock, FaultBudget()));
  EXPECT_FALSE(woken(sleeps_by_its_own_time, jump));
}

// --- messages ------------------------------------------------------------------------------------

Task<void> hears_its_own_release(Client& me) {
  const OwnerToken mine(held);
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  static_cast<void>(co_await me.store().release(key, mine));
  const TimePoint at_once = me.time().now();
  const Result<bool> heard = co_await me.store().await_message(*ear, at_once);
  me.reach("a message of its own", heard && *heard);
}

TEST(Rules, WhoReleasesHearsItToo) {
  Scenario scenario("a release");
  scenario.client(hears_its_own_release).initially(key, Entry(held));
  EXPECT_TRUE(possible(scenario, "a message of its own"));
}

Task<void> releases_when_somebody_listens(Client& me) {
  const Result<std::optional<std::string>> ready = co_await me.store().get(ready_key);
  if (!ready || !*ready) co_return;
  const OwnerToken mine(held);
  static_cast<void>(co_await me.store().release(key, mine));
}
Task<void> listens_to_a_release(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  const std::string yes = "1";
  static_cast<void>(co_await me.store().set(ready_key, yes));
  const Result<std::optional<std::string>> holder = co_await me.store().get(key);
  if (!holder || *holder) co_return;
  const TimePoint at_once = me.time().now();
  const Result<bool> heard = co_await me.store().await_message(*ear, at_once);
  me.reach("a release that was not heard", heard && !*heard);
}

TEST(Rules, AMessageIsMissedIfItIsLostAndNotOtherwise) {
  Scenario scenario("a listener");
  scenario.client(releases_when_somebody_listens)
      .client(listens_to_a_release)
      .initially(key, Entry(held));
  EXPECT_FALSE(possible(scenario, "a release that was not heard"));
  scenario.faults(FaultBudget().allow(Fault::lost_message));
  EXPECT_TRUE(possible(scenario, "a release that was not heard"));
}

// Listens on both servers, and looks at the key of one.
Task<void> listens_on_two_servers(Client& me, std::size_t to) {
  const Result<SubscriptionId> first = co_await me.store(0).subscribe(release_channel(key));
  const Result<SubscriptionId> second = co_await me.store(1).subscribe(release_channel(key));
  if (!first || !second) co_return;
  const TimePoint at_once = me.time().now();
  const SubscriptionId ear = to == 0 ? *first : *second;
  const Result<bool> heard = co_await me.store(to).await_message(ear, at_once);
  const Result<std::optional<std::string>> holder = co_await me.store(to).get(key);
  if (!heard || !*heard || !holder) co_return;
  me.reach("a release of the other server", holder->has_value());
  me.reach("a release");
}
Task<void> releases_on(Client& me, std::size_t server) {
  const OwnerToken mine(held);
  static_cast<void>(co_await me.store(server).release(key, mine));
}

TEST(Rules, MessagesOfTwoServersAreTwo) {
  for (const std::size_t to : {std::size_t{0}, std::size_t{1}}) {
    Scenario scenario("two servers");
    scenario.servers(2)
        .client([to](Client& me) { return listens_on_two_servers(me, to); })
        .client([](Client& me) { return releases_on(me, 0); })
        .client([](Client& me) { return releases_on(me, 1); })
        .initially(key, Entry(held), 0)
        .initially(key, Entry(held), 1)
        .sometimes("a release");
    EXPECT_FALSE(possible(scenario, "a release of the other server")) << to;
  }
}

// --- requests that were left behind --------------------------------------------------------------

// Nobody publishes: what it hears is that server 0 has restarted, and what that server has lost
// with it says that it was after the request had been left behind.
Task<void> leaves_a_request_before_a_restart(Client& me, std::size_t to) {
  const Channel channel("c");
  const Result<SubscriptionId> ear = co_await me.store(0).subscribe(channel);
  if (!ear) co_return;
  const std::string value = "v";
  const auto sent = co_await me.store(to).set(key, value);
  if (sent) co_return;
  static_cast<void>(co_await me.store(0).set(ready_key, value));
  const TimePoint until = me.time().now() + hours{1};
  const Result<bool> heard = co_await me.store(0).await_message(*ear, until);
  if (!heard || !*heard) co_return;
  const Result<std::optional<std::string>> ready = co_await me.store(0).get(ready_key);
  const Result<std::optional<std::string>> before = co_await me.store(to).get(key);
  if (!ready || *ready || !before || *before) co_return;
  const Result<std::optional<std::string>> after = co_await me.store(to).get(key);
  me.reach("carried out after the restart", after && after->has_value());
}

TEST(Rules, ARestartLosesTheRequestsToItsServerAlone) {
  const auto outlives = [](std::size_t to) {
    Scenario scenario("a restart");
    scenario.servers(2)
        .client([to](Client& me) { return leaves_a_request_before_a_restart(me, to); })
        .faults(FaultBudget().allow(Fault::restart_empty).allow(Fault::late_execution));
    return possible(scenario, "carried out after the restart");
  };
  EXPECT_FALSE(outlives(0));
  EXPECT_TRUE(outlives(1));
}

// --- what makes no difference --------------------------------------------------------------------

Task<void> listens_no_more(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  static_cast<void>(co_await me.store().unsubscribe(*ear));
  const std::string yes = "1";
  static_cast<void>(co_await me.store().set(ready_key, yes));
  static_cast<void>(co_await me.store().get(ready_key));
}
Task<void> frees_when_nobody_listens(Client& me, std::uint64_t ways) {
  const Result<std::optional<std::string>> ready = co_await me.store().get(ready_key);
  if (!ready || !*ready) co_return;
  const OwnerToken mine(held);
  if (me.choose(ways) == 0) {
    static_cast<void>(co_await me.store().release(key, mine));
  } else {
    static_cast<void>(co_await me.store().erase(key));
  }
}

TEST(Rules, AMessageChangesNothingWhereNobodyListensAnyMore) {
  const auto states = [](std::uint64_t ways) {
    Scenario scenario("an end");
    scenario.client(listens_no_more)
        .client([=](Client& me) { return frees_when_nobody_listens(me, ways); })
        .initially(key, Entry(held))
        .require(mutual_exclusion("lock"));
    return explore(scenario).states;
  };
  // It is about to free it without a message, and the other has looked again, or not yet.
  EXPECT_EQ(states(2) - states(1), 2U);
}

// In one order or the other: nobody can tell afterwards in which.
Task<void> leaves_two_requests(Client& me, std::uint64_t orders) {
  const bool other_first = me.choose(orders) == 1;
  const std::string value = "v";
  static_cast<void>(co_await me.store().set(other_first ? ready_key : key, value));
  static_cast<void>(co_await me.store().set(other_first ? key : ready_key, value));
}

TEST(Rules, RequestsThatWereLeftBehindHaveNoOrder) {
  const auto states = [](std::uint64_t orders) {
    Scenario scenario("two requests");
    scenario.client([=](Client& me) { return leaves_two_requests(me, orders); })
        .faults(FaultBudget().allow(Fault::late_execution, 2))
        .require(mutual_exclusion("lock"));
    return explore(scenario).states;
  };
  // The other request alone is carried out, is left behind, or arrives late.
  EXPECT_EQ(states(2) - states(1), 3U);
}

// --- keys ----------------------------------------------------------------------------------------

Task<void> does_nothing(Client& me) {
  static_cast<void>(co_await me.store().get(ready_key));
}

TEST(Rules, AnyOfManyKeysMayBeEvicted) {
  Scenario scenario("many keys");
  scenario.client(does_nothing).faults(FaultBudget().allow(Fault::eviction));
  for (int number = 10; number < 60; ++number) {
    scenario.initially(Key("k" + std::to_string(number)), Entry("v"));
  }
  scenario.require(
      always("the last is there", [](const Snapshot& world) { return world.find("k59"); }));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  const Snapshot& last = verdict.run.steps.back().after;
  EXPECT_EQ(last.find("k59"), nullptr);
  EXPECT_EQ(last.keys.size(), 49U);
}

// --- fencing -------------------------------------------------------------------------------------

// Stores the owner, and gives always the same token.
const Script& claim_with_one_token() {
  static const Script script("claim_with_one_token", "return 1",
                             [](Keyspace& keyspace, const auto& keys, const auto& arguments) {
                               keyspace.put(keys[0], Entry(arguments[0]));
                               keyspace.put(fencing_key(keys[0]), Entry("7"));
                               return Reply(Value(1));
                             });
  return script;
}
Task<void> claims_by_script(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  std::vector<Key> keys{key};
  std::vector<std::string> arguments{mine.text()};
  static_cast<void>(
      co_await me.store().run(claim_with_one_token(), std::move(keys), std::move(arguments)));
}

TEST(Rules, TheSameFencingTokenTwiceIsNoGrowth) {
  const auto outcome = [](std::size_t clients) {
    Scenario scenario("grants");
    scenario.clients(clients, claims_by_script).require(fencing_grows("k"));
    return explore(scenario).outcome;
  };
  EXPECT_NE(outcome(1), Outcome::violated);
  EXPECT_EQ(outcome(2), Outcome::violated);
}

Task<void> claims_twice(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Ttl ttl(seconds{60});
  static_cast<void>(co_await me.store().claim(key, mine, ttl));
  static_cast<void>(co_await me.store().claim(key, mine, ttl));
}

TEST(Rules, WhoClaimsWhatItHoldsIsGrantedNothingNew) {
  Scenario scenario("a claim again");
  scenario.clients(2, claims_twice).require(fencing_grows("k"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

Task<void> writes(Client& me, std::vector<std::uint64_t> tokens) {
  for (const std::uint64_t token : tokens) {
    const FencingToken fencing(token);
    const bool accepted = co_await me.write("r", fencing);
    me.reach("a write that was refused", !accepted);
  }
}

TEST(Rules, OneClientMayWriteTwiceWithItsToken) {
  Scenario scenario("writes");
  scenario.client([](Client& me) {
            return writes(me, {5, 5, 6});
          })
      .resource_checks_fencing("r")
      .require(fenced_writes("r"));
  EXPECT_FALSE(possible(scenario, "a write that was refused"));
}

TEST(Rules, EachWriteBehindTheGreatestTokenIsStale) {
  Scenario scenario("writes");
  scenario.client([](Client& me) { return writes(me, {5, 3, 4}); }).require(fenced_writes("r"));
  Limits limits;
  limits.count_violations = true;
  EXPECT_EQ(explore(scenario, limits).violations, 2U);
}

TEST(Rules, AnotherClientMayNotWriteWithTheSameToken) {
  Scenario scenario("writes");
  scenario.client([](Client& me) { return writes(me, {5}); })
      .client([](Client& me) { return writes(me, {5}); })
      .require(fenced_writes("r"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
}

// --- waits ---------------------------------------------------------------------------------------

Task<void> waits_for_a_second(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  const TimePoint until = me.time().now() + seconds{1};
  static_cast<void>(co_await me.store().await_message(*ear, until));
}
Task<void> removes_without_a_message(Client& me) {
  static_cast<void>(co_await me.store().erase(key));
}

TEST(Rules, AWaitThatEndsInTimeIsNotInVain) {
  const auto outcome = [](Duration within) {
    Scenario scenario("a deaf waiter");
    scenario.client(waits_for_a_second)
        .client(removes_without_a_message)
        .initially(key, Entry(held))
        .instants(4)
        .require(no_lost_wake_up("k", within));
    return explore(scenario).outcome;
  };
  EXPECT_EQ(outcome(Duration{0}), Outcome::violated);
  EXPECT_EQ(outcome(seconds{1}), Outcome::proved);
}

// Listens before it looks, so that no release escapes it.
Task<void> waits_for_the_holder(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  if (!ear) co_return;
  const Result<std::optional<std::string>> holder = co_await me.store().get(key);
  if (!holder || !*holder) co_return;
  const TimePoint until = me.time().now() + seconds{5};
  static_cast<void>(co_await me.store().await_message(*ear, until));
}
Task<void> releases(Client& me) {
  const OwnerToken mine(held);
  static_cast<void>(co_await me.store().release(key, mine));
}

TEST(Rules, AKeyThatAReplicaBringsBackIsReleasedNoMore) {
  Scenario scenario("a failover");
  scenario.client(waits_for_the_holder)
      .client(releases)
      .initially(key, Entry(held, milliseconds{2'000}))
      .instants(5)
      .faults(FaultBudget().allow(Fault::failover))
      .require(no_lost_wake_up("k"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

Task<void> sets_its_time_limit_last(Client& me) {
  static_cast<void>(co_await me.store().set(key, "mine"));
  static_cast<void>(co_await me.store().expire(key, milliseconds{500}));
}

// The time limit was the last write, and its client has ended with it.
TEST(Rules, AReplicaThatTakesOverWhenAllHaveEndedMayLeaveAKeyBehind) {
  Scenario scenario("a failover at the end");
  scenario.client(sets_its_time_limit_last)
      .faults(FaultBudget().allow(Fault::failover))
      .require(no_orphan("k"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
}

}  // namespace
}  // namespace interlock::sim
