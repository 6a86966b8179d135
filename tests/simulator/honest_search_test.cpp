// A search that cannot be trusted must say so: programs that cheat, promises that are wrong, goals
// that nobody reaches, limits that end it early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

const Key key("k");

Scenario with(Program program) {
  Scenario scenario("honest");
  scenario.clients(2, std::move(program)).instants(2).require(mutual_exclusion("k"));
  return scenario;
}

Task<void> real_clock(Client& me) {
  me.enter("k");
  co_await me.leave("k");
  for (int left = 3; left > 0; --left) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string value = std::to_string(now);
    static_cast<void>(co_await me.store().set(key, value));
  }
}

TEST(HonestSearch, ReportsAClientThatReadsTheRealClock) {
  const Verdict verdict = explore(with(real_clock));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("client A is not deterministic: "));
  EXPECT_THAT(verdict.reason, HasSubstr("expected SET k "));
  EXPECT_THAT(verdict.reason, HasSubstr(", got SET k "));
}

Task<void> static_counter(Client& me) {
  static int count = 0;
  const std::string value = std::to_string(++count);
  static_cast<void>(co_await me.store().set(key, value));
  static_cast<void>(co_await me.store().get(key));
}

TEST(HonestSearch, ReportsAClientWithAStaticCounter) {
  const Verdict verdict = explore(with(static_counter));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("at step 1 of a repeated run: expected SET k "));
}

// Tries at most twice, but says at its loop head that nothing matters.
Task<void> forgets_at_loop_head(Client& me, bool tells) {
  for (int left = 3; left > 0; --left) {
    co_await me.loop_head(tells ? left : 0);
    const Result<bool> won = co_await me.store().set_if_absent(key, "v");
    if (won && *won) {
      me.enter("k");
      co_await me.leave("k");
      static_cast<void>(co_await me.store().erase(key));
    }
  }
}

TEST(HonestSearch, ReportsALoopHeadThatLeavesAVariableOut) {
  const Verdict wrong = explore(with([](Client& me) { return forgets_at_loop_head(me, false); }));
  EXPECT_EQ(wrong.outcome, Outcome::invalid);
  EXPECT_THAT(wrong.reason, HasSubstr("state not captured at loop_head"));

  const Verdict right = explore(with([](Client& me) { return forgets_at_loop_head(me, true); }));
  EXPECT_EQ(right.outcome, Outcome::proved) << describe(right);
}

Task<void> forgets_what_it_read(Client& me, bool tells) {
  std::int64_t read = 0;
  me.remembers([&read, tells] { return std::vector<std::int64_t>{tells ? read : 0}; });
  const Result<std::int64_t> count = co_await me.store().increment(key);
  read = count ? *count : 0;
  me.enter("k");
  co_await me.leave("k");
  const std::string value = std::to_string(read);
  static_cast<void>(co_await me.store().set(Key("copy"), value));
}

TEST(HonestSearch, ReportsAMemoryThatLeavesAVariableOut) {
  Limits limits;
  limits.count_violations = true;
  const Verdict wrong =
      explore(with([](Client& me) { return forgets_what_it_read(me, false); }), limits);
  EXPECT_EQ(wrong.outcome, Outcome::invalid) << describe(wrong);

  const Verdict right =
      explore(with([](Client& me) { return forgets_what_it_read(me, true); }), limits);
  EXPECT_EQ(right.outcome, Outcome::violated) << describe(right);
}

Task<void> never_enters(Client& me) {
  static_cast<void>(co_await me.store().get(key));
}

TEST(HonestSearch, DoesNotCallAnEmptySuccessAProof) {
  const Verdict verdict = explore(with(never_enters));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("no run reaches the goal 'some client enters k'"));
}

Task<void> waits_though_granted(Client& me) {
  const Channel channel("c");
  const Result<SubscriptionId> subscription = co_await me.store().subscribe(channel);
  const TimePoint until = me.time().now() + std::chrono::hours{1};
  if (subscription) static_cast<void>(co_await me.store().await_message(*subscription, until));
}

TEST(HonestSearch, LooksAtStatesForEachPropertyThatIsAboutThem) {
  const auto outcome_with = [](Property property) {
    Scenario scenario("granted");
    scenario.client(waits_though_granted)
        .initially(Key("k"), Entry("il1:A1"))
        .require(std::move(property));
    return explore(scenario).outcome;
  };
  EXPECT_EQ(outcome_with(no_unheard_grant("k")), Outcome::violated);
  EXPECT_EQ(outcome_with(always("no step",
                                [](const Snapshot& now) {
                                  return now.clients[0].status == ClientView::Status::not_started;
                                })),
            Outcome::violated);
  EXPECT_EQ(outcome_with(no_unheard_grant("other")), Outcome::invalid);
}

TEST(HonestSearch, SaysThatTheBeginningIsWrong) {
  Scenario scenario = with(never_enters);
  const Verdict verdict =
      explore(scenario.require(always("nothing", [](const Snapshot&) { return false; })));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("'nothing' is broken before the first step"));
}

TEST(HonestSearch, SaysWhichLimitEndedIt) {
  Limits limits;
  limits.states = 100;
  const Verdict few =
      explore(catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 3, 2, 3), limits);
  EXPECT_EQ(few.outcome, Outcome::incomplete);
  EXPECT_THAT(few.reason, HasSubstr("limit of 100 states"));

  limits = Limits();
  limits.proceed = [](const Progress& progress) { return progress.depth < 5; };
  const Verdict stopped =
      explore(catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 3, 2, 3), limits);
  EXPECT_EQ(stopped.outcome, Outcome::incomplete);
  EXPECT_EQ(stopped.depth, 5U);
}

TEST(HonestSearch, SaysThatNoStateIsTooFew) {
  for (const std::uint64_t states : {0U, 1U}) {
    Limits limits;
    limits.states = states;
    const Verdict verdict =
        explore(catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 2), limits);
    EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
    EXPECT_EQ(verdict.reason, "the limit of " + std::to_string(states) + " states was reached");
  }
}

Task<void> asks_once(Client& me) {
  static_cast<void>(co_await me.store().get(key));
}
Task<void> asks_below(Client& me, int depth) {
  if (depth == 0) {
    co_await asks_once(me);
  } else {
    co_await asks_below(me, depth - 1);
  }
}

// They are checked by some hundred runs, each of which takes as long as the program does.
TEST(HonestSearch, CanBeEndedWhileThePromisesOfProgramsAreChecked) {
  for (const std::size_t beside : {0U, 1U}) {
    Scenario scenario("nested");
    scenario.client([](Client& me) { return asks_below(me, 100); }).require(no_deadlock());
    for (std::size_t more = 0; more < beside; ++more) scenario.client(asks_once);
    const Verdict whole = explore(scenario);
    ASSERT_EQ(whole.outcome, Outcome::proved) << describe(whole);
    const std::uint64_t runs = whole.coroutine_runs;
    for (const std::uint64_t most : {std::uint64_t{1}, runs / 2, runs - 10}) {
      std::uint64_t asked_at_end = 0;
      Limits limits;
      limits.proceed = [&](const Progress& progress) {
        return progress.states < whole.states || ++asked_at_end < most;
      };
      const Verdict verdict = explore(scenario, limits);
      EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
      EXPECT_EQ(verdict.reason, "ended by its caller");
      EXPECT_EQ(asked_at_end, most);
      EXPECT_LT(verdict.coroutine_runs, whole.coroutine_runs);
    }
  }
}

TEST(HonestSearch, CanBeEndedWithinALevel) {
  Limits limits;
  std::uint64_t last_of_level = 0;
  limits.proceed = [&, depth = std::size_t{0}](const Progress& progress) mutable {
    const bool same_level = progress.depth == depth;
    depth = progress.depth;
    last_of_level = progress.states;
    return !same_level;
  };
  Scenario large = catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 4, 2, 3);
  const Verdict verdict = explore(large.symmetry(false), limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_GT(last_of_level, 16'384U);
  EXPECT_LT(verdict.states, 1'000'000U);
}

Task<void> retries_for_ever(Client& me) {
  for (;;) {
    const Result<bool> won = co_await me.store().set_if_absent(key, "v");
    if (won && *won) break;
  }
  me.enter("k");
  co_await me.leave("k");
}

TEST(HonestSearch, SaysThatAProgramRetriesForEver) {
  const Verdict verdict = explore(with(retries_for_ever));
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("more than 1000 steps: does it retry for ever?"));
  // A loop_head does not help it if each round draws a token.
  EXPECT_THAT(verdict.reason, HasSubstr("draw a fresh owner token are never one"));
}

TEST(HonestSearch, SaysThatAProgramHasTooManyLocalStates) {
  Limits limits;
  limits.local_states = 200;
  const Verdict verdict = explore(with(retries_for_ever), limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("more than 200 local states"));
}

Task<void> spins_without_a_step(Client& me) {
  for (;;) co_await me.loop_head(0);
}

TEST(HonestSearch, ReportsALoopThatTakesNoStep) {
  const Verdict verdict = explore(with(spins_without_a_step));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("never waits for anything in between"));
}

TEST(HonestSearch, GivesTheSameAnswerTwice) {
  const auto all = [] {
    const Verdict verdict =
        explore(catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 3, 2, 2));
    return describe(verdict) + describe(verdict.run);
  };
  EXPECT_EQ(all(), all());
}

TEST(HonestSearch, TheSimulationTakesTheStepsOfACounterexample) {
  const Scenario scenario = catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 2, 1, 1);
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  Simulation simulation(scenario);
  for (const RunStep& step : verdict.run.steps) {
    const Result<RunStep> taken = simulation.take(step.code);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->what, step.what);
    EXPECT_EQ(taken->reply, step.reply);
  }
  EXPECT_EQ(simulation.run().steps.back().violates, "mutual exclusion of lock.foo");
  EXPECT_TRUE(failed_with(simulation.take(~std::uint32_t{0}), Errc::invalid_argument));
}

}  // namespace
}  // namespace interlock::sim
