// Every waiter acquires at last: broken by runs that go round for ever, proved for locks that let
// nobody starve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/testing.hpp"
#include "liveness_programs.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

const Key other_key("other");

Scenario scenario_of(std::string name) {
  Scenario scenario(std::move(name));
  scenario.require(every_waiter_acquires("lock"));
  return scenario;
}

// --- spinning: SETNX until it works --------------------------------------------------------------

Program spinner(bool for_ever) {
  return [=](Client& me) { return spin(me, for_ever); };
}

TEST(Liveness, ASpinLockServesEachOfThoseWhoComeOnce) {
  Scenario scenario = scenario_of("spin-once");
  scenario.clients(3, spinner(false)).require(mutual_exclusion("lock"));
  EXPECT_PROVED(explore(scenario));
}

TEST(Liveness, SpinningClientsStarveAnotherOne) {
  Scenario scenario = scenario_of("starvation");
  scenario.clients(3, spinner(true));
  const Verdict verdict = explore(scenario);
  EXPECT_VIOLATED(verdict, R"(
    A            B            C
    .            SETNX -> 1   .
    SETNX -> 0   .            .
    .            .            SETNX -> 0
    (loop)
    SETNX -> 0   .            .
    .            leaves       .
    .            DEL -> 1     .
    .            SETNX -> 1   .
    .            .            SETNX -> 0
  )");
  EXPECT_EQ(verdict.property, "every waiter acquires lock");
  EXPECT_EQ(verdict.run.loop, 3U);
}

TEST(Liveness, SymmetryDoesNotHideWhoStarves) {
  // Merged, the two would take turns at being the one who is refused.
  Scenario scenario = scenario_of("starvation-of-two");
  scenario.clients(2, spinner(true));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(explore(scenario.symmetry(false)).states, verdict.states);
}

TEST(Liveness, ACrashedHolderWithoutExpiryBlocksTheOthers) {
  Scenario scenario = scenario_of("setnx-crash");
  scenario.clients(2, spinner(false)).faults(FaultBudget().allow(Fault::crash));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.run.faults(), 1U);
  EXPECT_VIOLATED(verdict, R"(
    A           B
    .           SETNX -> 1
    .           X crashed
    SETNX -> 0  .
    (loop)
    SETNX -> 0  .
  )");
}

// --- two locks, one after the other --------------------------------------------------------------

Task<void> take_both(Client& me, Key first, Key second) {
  me.wants("lock");
  for (const Key* const key : {&first, &second}) {
    for (;;) {
      co_await me.loop_head(key == &second ? 1 : 0);
      const Key wanted = *key;
      const Result<bool> taken = co_await me.store().set_if_absent(wanted, "1");
      if (taken && *taken) break;
    }
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().erase(second));
  static_cast<void>(co_await me.store().erase(first));
}
Program taker(const Key& first, const Key& second) {
  return [=](Client& me) { return take_both(me, first, second); };
}

TEST(Liveness, LocksTakenInTwoOrdersBlockEachOther) {
  Scenario scenario = scenario_of("lock-order");
  scenario.client(taker(lock_key, other_key)).client(taker(other_key, lock_key));
  EXPECT_VIOLATED(explore(scenario), R"(
    A           B
    SETNX -> 1  .
    .           SETNX -> 1
    (loop)
    SETNX -> 0  .
    .           SETNX -> 0
  )");

  Scenario same_order = scenario_of("lock-order-kept");
  same_order.clients(2, taker(lock_key, other_key));
  EXPECT_PROVED(explore(same_order));
}

// --- waiting for a message -----------------------------------------------------------------------

enum class Subscribes : std::uint8_t { before_it_looks, after_it_looked };

Task<void> wait_for_message(Client& me, Subscribes when) {
  me.wants("lock");
  const Channel channel("freed");
  std::optional<SubscriptionId> subscription;
  for (;;) {
    if (when == Subscribes::before_it_looks && !subscription) {
      const Result<SubscriptionId> subscribed = co_await me.store().subscribe(channel);
      if (subscribed) subscription = *subscribed;
    }
    const Result<bool> taken = co_await me.store().set_if_absent(lock_key, "1");
    if (taken && *taken) break;
    if (!subscription) {
      const Result<SubscriptionId> subscribed = co_await me.store().subscribe(channel);
      if (subscribed) subscription = *subscribed;
    }
    static_cast<void>(co_await me.store().await_message(*subscription, TimePoint::max()));
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().erase(lock_key));
  static_cast<void>(co_await me.store().publish(channel, "free"));
}
Program listener(Subscribes when) {
  return [=](Client& me) { return wait_for_message(me, when); };
}

TEST(Liveness, AWakeUpIsLostIfTheWaiterLooksBeforeItSubscribes) {
  Scenario scenario = scenario_of("lost-wake-up");
  scenario.clients(2, listener(Subscribes::after_it_looked)).allow_deadlock();
  const Verdict verdict = explore(scenario);
  EXPECT_VIOLATED(verdict, R"(
    A            B
    .            SETNX -> 1
    SETNX -> 0   .
    .            leaves
    .            DEL -> 1
    .            PUBLISH -> 0
    SUBSCRIBE    .
    (stuck)
  )");
  EXPECT_EQ(verdict.run.loop, verdict.run.steps.size());

  Scenario repaired = scenario_of("wake-up");
  repaired.clients(3, listener(Subscribes::before_it_looks));
  EXPECT_PROVED(explore(repaired));
}

// --- a lock that lets nobody starve --------------------------------------------------------------

// G. L. Peterson, "Myths about the Mutual Exclusion Problem" (1981), for two clients that come back
// for ever. Without its turn each waits for the other.
Task<void> peterson(Client& me, std::string mine, std::string others, bool takes_turns) {
  const Key my_flag("flag-" + mine);
  const Key other_flag("flag-" + others);
  const Key turn("turn");
  for (;;) {
    co_await me.loop_head(0);
    me.wants("lock");
    static_cast<void>(co_await me.store().set(my_flag, "1"));
    if (takes_turns) static_cast<void>(co_await me.store().set(turn, others));
    for (;;) {
      co_await me.loop_head(1);
      const Result<std::optional<std::string>> flag = co_await me.store().get(other_flag);
      if (!flag || !*flag) break;
      const Result<std::optional<std::string>> whose = co_await me.store().get(turn);
      if (whose && *whose == mine) break;
    }
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await me.store().erase(my_flag));
  }
}
Scenario peterson_scenario(bool takes_turns) {
  Scenario scenario = scenario_of("peterson");
  scenario.client([=](Client& me) { return peterson(me, "a", "b", takes_turns); })
      .client([=](Client& me) { return peterson(me, "b", "a", takes_turns); })
      .require(mutual_exclusion("lock"));
  return scenario;
}

TEST(Liveness, PetersonsLockLetsNobodyStarve) {
  EXPECT_PROVED(explore(peterson_scenario(true)));
  EXPECT_EQ(explore(peterson_scenario(false)).property, "every waiter acquires lock");
}

// --- fairness ------------------------------------------------------------------------------------

// Nothing keeps B from moving but the search: in a fair world it moves, and A need not wait for
// ever.
Task<void> opens_once(Client& me) {
  static_cast<void>(co_await me.store().erase(lock_key));
}

TEST(Liveness, AClientThatCanMoveMovesAtLast) {
  Scenario scenario = scenario_of("opener");
  scenario.client(spinner(false)).client(opens_once).initially(lock_key, Entry("taken"));
  EXPECT_PROVED(explore(scenario));
}

Task<void> two_tasks(Client& me) {
  me.spawn("opener", opens_once(me));
  me.wants("lock");
  // With two tasks there is no loop_head: what it does depends on nothing it remembers.
  me.remembers([] { return std::vector<std::int64_t>(); });
  for (;;) {
    const Result<bool> taken = co_await me.store().set_if_absent(lock_key, "1");
    if (taken && *taken) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
  co_await me.joined();
}

TEST(Liveness, EachTaskOfAClientMovesAtLast) {
  Scenario scenario = scenario_of("two-tasks");
  scenario.client(two_tasks).initially(lock_key, Entry("taken"));
  EXPECT_PROVED(explore(scenario));
}

TEST(Liveness, AChoiceMayGoAgainstTheClientForEver) {
  Scenario scenario = scenario_of("chooser");
  scenario.client(throws_a_coin);
  EXPECT_EQ(explore(scenario).outcome, Outcome::violated);
}

Task<void> gives_up(Client& me) {
  me.wants("lock");
  me.gives_up("lock");
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(lock_key));
  }
}

// Waits for ever either way, at once or after a few steps.
Task<void> dawdles_and_waits(Client& me) {
  me.wants("lock");
  if (me.choose(2) == 0) {
    for (int step = 0; step < 3; ++step) {
      static_cast<void>(co_await me.store().increment(other_key));
    }
  }
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().get(lock_key));
  }
}

TEST(Liveness, OfTwoEndlessWaitsTheOneThatBeginsFirstIsTold) {
  Scenario scenario = scenario_of("dawdler");
  scenario.client(dawdles_and_waits);
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  for (const RunStep& step : verdict.run.steps) {
    if (step.operation) {
      EXPECT_EQ(step.operation->kind, OperationKind::get) << describe(verdict.run);
    }
  }
}

TEST(Liveness, GivingUpIsNotWaiting) {
  Scenario scenario = scenario_of("giver-up");
  scenario.client(gives_up);
  EXPECT_PROVED(explore(scenario));
}

// --- time ----------------------------------------------------------------------------------------

Task<void> poll(Client& me) {
  me.wants("lock");
  for (;;) {
    co_await me.loop_head();
    const Result<bool> taken = co_await me.store().set_if_absent(lock_key, "1");
    if (taken && *taken) break;
    co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().erase(lock_key));
}

TEST(Liveness, SaysThatTimeEndedTooEarly) {
  Scenario scenario = scenario_of("polling");
  scenario.clients(2, [](Client& me) { return poll(me); }).instants(3);
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("time ends while A waits for lock"));
}

TEST(Liveness, RefusesPausesAsFaults) {
  Scenario scenario = scenario_of("paused");
  scenario.clients(2, spinner(false)).faults(FaultBudget().pauses(1));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("let pauses be free"));
}

TEST(Liveness, IsNotProvedWhereNobodyWaits) {
  Scenario scenario = scenario_of("nobody");
  scenario.client(opens_once);
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("'some client wants lock'"));
}

Task<void> tries_three_times(Client& me) {
  me.wants("lock");
  for (int tries = 0; tries < 3; ++tries) {
    co_await me.loop_head();  // should tell `tries`
    static_cast<void>(co_await me.store().get(lock_key));
  }
}

TEST(Liveness, FindsOutALoopHeadThatHidesTheWayOut) {
  Scenario scenario = scenario_of("impatient");
  scenario.client(tries_three_times);
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
}

// --- as text -------------------------------------------------------------------------------------

class Lasso : public ::testing::Test {
 protected:
  Lasso() : scenario_(scenario_of("starvation")) {
    scenario_.clients(3, spinner(true));
    run_ = explore(scenario_).run;
  }
  std::string replay_error(const std::string& text) {
    const Result<Schedule> schedule = parse_schedule(text);
    if (!schedule) return schedule.error().detail();
    const Result<sim::Run> run = replay(scenario_, *schedule);
    return run ? "" : run.error().detail();
  }
  static std::string without(std::string text, const std::string& line) {
    const std::size_t at = text.find(line + "\n");
    return at == std::string::npos ? text : text.erase(at, line.size() + 1);
  }

  Scenario scenario_;
  sim::Run run_;
};

TEST_F(Lasso, IsReplayedFromItsSchedule) {
  const Schedule schedule = make_schedule(run_);
  const std::string text = print(schedule);
  EXPECT_THAT(text, HasSubstr("C SETNX lock 1 -> 0\nloop\nA SETNX lock 1 -> 0\n"));
  const Result<Schedule> again = parse_schedule(text);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(*again, schedule);
  const Result<sim::Run> run = replay(scenario_, *again);
  ASSERT_TRUE(run) << run.error().detail();
  EXPECT_EQ(run->loop, run_.loop);
  EXPECT_EQ(run->steps.back().violates, "every waiter acquires lock");
}

TEST_F(Lasso, IsReplayedFromOneLine) {
  const std::string line = print_short(run_);
  EXPECT_EQ(line, "starvation:213(12223)");
  const Result<ShortSchedule> brief = parse_short(line);
  ASSERT_TRUE(brief);
  const Result<sim::Run> run = replay(scenario_, *brief);
  ASSERT_TRUE(run) << run.error().detail();
  EXPECT_EQ(print_short(*run), line);
  for (const char* wrong : {"213(12223", "213(12223)1", "213(1222)", "213(2222)", "213()"}) {
    ShortSchedule bad = *brief;
    bad.steps = wrong;
    EXPECT_FALSE(replay(scenario_, bad)) << wrong;
  }
  // A loop without C's step: it is told who is left out.
  ShortSchedule without_c = *brief;
  without_c.steps = "213(1222)";
  EXPECT_THAT(replay(scenario_, without_c).error().detail(),
              HasSubstr("C could move all along and never does"));
}

TEST_F(Lasso, ThatDoesNotComeBackOrIsUnfairIsRefused) {
  const std::string text = print(make_schedule(run_));
  EXPECT_THAT(replay_error(without(text, "loop")), HasSubstr("it violates nothing"));
  EXPECT_THAT(replay_error(text + "loop\n"), HasSubstr("second 'loop'"));
  EXPECT_THAT(replay_error(without(text, "loop") + "loop\n"), HasSubstr("has no steps"));
  EXPECT_THAT(replay_error(without(text, "loop") + "stuck\n"), HasSubstr("could move all along"));
  EXPECT_THAT(replay_error(text + "B leave lock\n"), HasSubstr("but has 9"));

  std::string unfair = without(without(text, "A SETNX lock 1 -> 0"), "loop");
  unfair.replace(unfair.find("at 8"), 4, "at 7");
  unfair.insert(unfair.find("B leave"), "loop\n");
  EXPECT_THAT(replay_error(unfair), HasSubstr("A could move all along and never does"));

  std::string early = without(text, "loop");
  early.insert(early.find("C SETNX"), "loop\n");
  EXPECT_THAT(replay_error(early), HasSubstr("after its last step the world is another"));
}

// It wants the lock where the loop begins, and has it in between.
TEST(Liveness, ALoopInWhichTheWaiterIsServedStarvesNobody) {
  Scenario scenario = scenario_of("served");
  scenario.client(spinner(true));
  ShortSchedule rounds;
  rounds.steps = "111(111)";
  const Result<sim::Run> run = replay(scenario, rounds);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().detail(), HasSubstr("nobody waits for ever in this loop"));
}

TEST_F(Lasso, IsDrawnWithTheStepsThatRepeat) {
  EXPECT_THAT(draw_text(run_), AllOf(HasSubstr("steps 4 to 8, again and again:"),
                                     HasSubstr("A waits for lock for ever")));
  EXPECT_THAT(draw_mermaid(run_), HasSubstr("  loop steps 4 to 8, again and again\n"));
  EXPECT_THAT(draw_svg(run_), HasSubstr("class=\"loop\""));
  EXPECT_THAT(draw_html(run_), HasSubstr("data-loop=\"4\""));
  EXPECT_THAT(to_json(run_), HasSubstr("\"loop\":4"));
}

}  // namespace
}  // namespace interlock::sim
