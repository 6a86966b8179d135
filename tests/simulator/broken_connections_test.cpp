// What becomes of requests and answers that are on their way when the connections to a server
// break.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "single_faults.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

const Key key("k");
constexpr const char* event = "event";

// Whether some run reports the event.
Verdict search_for_event(Scenario scenario) {
  return explore(scenario.require(never(event)).allow_deadlock());
}
bool is_possible(const Scenario& scenario) {
  const Verdict verdict = search_for_event(scenario);
  EXPECT_TRUE(verdict.outcome == Outcome::violated || verdict.outcome == Outcome::proved)
      << describe(verdict);
  return verdict.outcome == Outcome::violated;
}

Scenario alone(const Program& program, const FaultBudget& faults) {
  Scenario scenario("alone");
  return scenario.client(program).faults(faults);
}

bool is_in_doubt(const Result<std::monostate>& set) {
  return !set && set.error().code() == Errc::indeterminate;
}

// Reports what it finds after it was told `indeterminate`.
Task<void> looks_after_doubt(Client& me, bool expected) {
  const std::string value = "v";
  const Result<std::monostate> set = co_await me.store().set(key, value);
  if (!is_in_doubt(set)) co_return;
  const Result<std::optional<std::string>> found = co_await me.store().get(key);
  me.reach(event, found && found->has_value() == expected);
}
Task<void> finds_it_set(Client& me) {
  return looks_after_doubt(me, true);
}
Task<void> finds_nothing(Client& me) {
  return looks_after_doubt(me, false);
}

class BrokenConnections : public ::testing::TestWithParam<Fault> {
 protected:
  static FaultBudget once() { return FaultBudget().allow(GetParam()); }
};

TEST_P(BrokenConnections, LoseAnswers) {
  // Without its data, the server has lost what it has executed.
  const bool keeps_data = GetParam() == Fault::restart;
  EXPECT_EQ(is_possible(alone(finds_it_set, once())), keeps_data);
}

TEST_P(BrokenConnections, LoseRequests) {
  EXPECT_TRUE(is_possible(alone(finds_nothing, once())));
}

Task<void> subscribes(Client& me) {
  const Channel channel("c");
  const Result<SubscriptionId> made = co_await me.store().subscribe(channel);
  me.reach(event, !made && made.error().code() == Errc::indeterminate);
}

TEST_P(BrokenConnections, LoseRequestsForSubscriptions) {
  EXPECT_TRUE(is_possible(alone(subscribes, once())));
}

Task<void> doubts_twice(Client& me) {
  const std::string value = "v";
  const Result<std::monostate> first = co_await me.store().set(key, value);
  const Result<std::monostate> second = co_await me.store().set(key, value);
  me.reach(event, is_in_doubt(first) && is_in_doubt(second));
}

TEST_P(BrokenConnections, LoseOneRequestAfterTheOtherOnlyIfTheyBreakTwice) {
  EXPECT_FALSE(is_possible(alone(doubts_twice, once())));
  EXPECT_TRUE(is_possible(alone(doubts_twice, FaultBudget().allow(GetParam(), 2))));
  EXPECT_FALSE(is_possible(alone(doubts_twice, FaultBudget().allow(GetParam(), 2).at_most(1))));
}

// Each tells the other in a key of another server.
Task<void> doubts_and_says_so(Client& me, Key mine, Key other) {
  const std::string value = "v";
  const Result<std::monostate> set = co_await me.store(0).set(key, value);
  if (!is_in_doubt(set)) co_return;
  const Result<std::monostate> said = co_await me.store(1).set(mine, value);
  const Result<std::optional<std::string>> found = co_await me.store(1).get(other);
  me.reach(event, said && found && found->has_value());
}

TEST_P(BrokenConnections, LoseWhatIsOnItsWayToAllClients) {
  Scenario scenario("both");
  scenario.client([](Client& me) { return doubts_and_says_so(me, Key("a"), Key("b")); })
      .client([](Client& me) { return doubts_and_says_so(me, Key("b"), Key("a")); })
      .servers(2)
      .faults(once());
  EXPECT_TRUE(is_possible(scenario));
}

Task<void> asks_two_servers(Client& me) {
  const std::string value = "v";
  const Result<std::monostate> one = co_await me.store(0).set(key, value);
  const Result<std::monostate> other = co_await me.store(1).set(key, value);
  me.reach(event, is_in_doubt(one) && is_in_doubt(other));
}

TEST_P(BrokenConnections, AreThoseToOneServer) {
  EXPECT_FALSE(is_possible(alone(asks_two_servers, once()).servers(2)));
  const FaultBudget twice = FaultBudget().allow(GetParam(), 2);
  EXPECT_TRUE(is_possible(alone(asks_two_servers, twice).servers(2)));
}

Task<void> doubts_and_asks_again(Client& me) {
  const std::string value = "v";
  const Result<std::monostate> one = co_await me.store().set(key, value);
  const Result<std::monostate> other = co_await me.store().set(key, value);
  me.reach(event, is_in_doubt(one) && !other && other.error().code() == Errc::unavailable);
}

// It is not spent otherwise.
TEST_P(BrokenConnections, NeedTheFaultThatTheyBreakBy) {
  Scenario scenario("two faults");
  scenario.client(doubts_and_asks_again).faults(once().allow(Fault::unreachable).at_most(1));
  EXPECT_FALSE(is_possible(scenario));
  EXPECT_TRUE(is_possible(scenario.faults(once().allow(Fault::unreachable))));
}

Task<void> sets(Client& me) {
  const std::string value = "v";
  static_cast<void>(co_await me.store().set(key, value));
}

TEST_P(BrokenConnections, LoseNothingIfRequestsSurvive) {
  for (const auto program : {finds_it_set, finds_nothing, subscribes}) {
    EXPECT_FALSE(is_possible(alone(program, once().let_requests_survive())));
  }
}

Task<void> waits_and_enters(Client& me) {
  const std::string lock = "lock";
  me.wants(lock);
  const std::string value = "v";
  static_cast<void>(co_await me.store().set(key, value));
  me.enter(lock);
  co_await me.leave(lock);
}

TEST_P(BrokenConnections, LeaveNobodyInADeadlockNorWaitingForEver) {
  Scenario scenario("waits");
  scenario.client(waits_and_enters)
      .client(sets)
      .require(every_waiter_acquires("lock"))
      .faults(once());
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST_P(BrokenConnections, AreFoundByChance) {
  Scenario scenario = alone(finds_nothing, once());
  scenario.require(never(event));
  RandomSearch how;
  how.runs = 1'000;
  EXPECT_EQ(search_at_random(scenario, how).verdict.outcome, Outcome::violated);
}

INSTANTIATE_TEST_SUITE_P(ByFault,
                         BrokenConnections,
                         ::testing::Values(Fault::restart, Fault::restart_empty, Fault::failover),
                         name_of);

void expect_replay(const Program& program,
                   const std::string& note,
                   const std::string& line,
                   const std::string& mark,
                   const std::string& drawn) {
  Scenario scenario = alone(program, FaultBudget().allow(Fault::restart));
  scenario.require(never(event));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 4U) << describe(verdict.run);
  EXPECT_THAT(describe(verdict.run), HasSubstr(note));
  EXPECT_THAT(draw_text(verdict.run), HasSubstr(drawn));
  const std::string text = print(make_schedule(verdict.run));
  EXPECT_THAT(text, HasSubstr(line));
  const Result<Schedule> parsed = parse_schedule(text);
  ASSERT_TRUE(parsed) << text;
  const Result<Run> again = replay(scenario, *parsed);
  ASSERT_TRUE(again) << again.error().detail() << text;
  EXPECT_EQ(describe(*again), describe(verdict.run));
  const std::string brief = print_short(verdict.run);
  EXPECT_THAT(brief, HasSubstr(mark));
  const Result<Run> in_short = replay(scenario, *parse_short(brief));
  ASSERT_TRUE(in_short) << in_short.error().detail() << brief;
  EXPECT_EQ(describe(*in_short), describe(verdict.run));
}

TEST(BrokenConnectionsInARun, CanBeReadAndReplayed) {
  expect_replay(finds_nothing, "# the request is lost when its connection breaks",
                "A cut before SET k v -> indeterminate", ":1-+r1", " lost");
  expect_replay(finds_it_set, "# the answer is lost when its connection breaks",
                "A cut after SET k v -> \"OK\"", ":1-~r1", "no reply");
}

TEST(BrokenConnectionsInARun, AreNamedWhereNothingElseIsPossible) {
  const Scenario scenario = alone(finds_nothing, FaultBudget().allow(Fault::restart));
  const auto run = replay(scenario, *parse_short("alone:1-+1"));
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().detail(),
              HasSubstr("'1' is not possible here: choose one of world fault restart"));
}

}  // namespace
}  // namespace interlock::sim
