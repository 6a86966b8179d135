// Liveness under a fairness that the scenario chooses: none, weak or strong, for a client, for
// time, or for the steps that a predicate describes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/testing.hpp"
#include "interlock/store/script.hpp"
#include "liveness_programs.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// --- programs ------------------------------------------------------------------------------------

// Takes its turn and gives it to the other, after it has been outside for a while.
Task<void> alternates(Client& me, std::string mine, std::string others) {
  for (;;) {
    co_await me.loop_head(0);
    static_cast<void>(co_await me.store().get(Key("outside")));
    me.wants("lock");
    for (;;) {
      co_await me.loop_head(1);
      const Result<std::optional<std::string>> turn = co_await me.store().get(Key("turn"));
      if (turn && *turn == mine) break;
    }
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await me.store().set(Key("turn"), others));
  }
}

// G. L. Peterson, "Myths about the Mutual Exclusion Problem" (1981).
Task<void> peterson(Client& me, std::string mine, std::string others) {
  const Key my_flag("flag-" + mine);
  const Key other_flag("flag-" + others);
  for (;;) {
    co_await me.loop_head(0);
    static_cast<void>(co_await me.store().get(Key("outside")));
    me.wants("lock");
    static_cast<void>(co_await me.store().set(my_flag, "1"));
    static_cast<void>(co_await me.store().set(Key("turn"), others));
    for (;;) {
      co_await me.loop_head(1);
      const Result<std::optional<std::string>> flag = co_await me.store().get(other_flag);
      if (!flag || !*flag) break;
      const Result<std::optional<std::string>> turn = co_await me.store().get(Key("turn"));
      if (turn && *turn == mine) break;
    }
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await me.store().erase(my_flag));
  }
}

Task<void> toggles(Client& me) {
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().set(Key("flag"), "up"));
    static_cast<void>(co_await me.store().set(Key("flag"), "down"));
  }
}
Task<void> looks_for_the_flag(Client& me) {
  for (;;) {
    co_await me.loop_head();
    const Result<std::optional<std::string>> flag = co_await me.store().get(Key("flag"));
    if (flag && *flag == "up") break;
  }
  me.note("saw it", 1);
  static_cast<void>(co_await me.store().get(Key("flag")));
}
bool has_seen_it(const Snapshot& world) {
  return world.clients[1].ghost("saw it").has_value();
}

Scenario two(std::string name, Program one, Program other) {
  Scenario scenario(std::move(name));
  return scenario.client(std::move(one)).client(std::move(other));
}
Scenario spinning(std::size_t clients) {
  Scenario scenario("spinning");
  return scenario.clients(clients, spins_for_ever).require(every_waiter_acquires("lock"));
}
Scenario alternating() {
  Scenario scenario = two(
      "alternating", [](Client& me) { return alternates(me, "a", "b"); },
      [](Client& me) { return alternates(me, "b", "a"); });
  return scenario.initially(Key("turn"), Entry("a")).require(every_waiter_acquires("lock"));
}
Scenario petersons() {
  Scenario scenario = two(
      "petersons", [](Client& me) { return peterson(me, "a", "b"); },
      [](Client& me) { return peterson(me, "b", "a"); });
  return scenario.require(every_waiter_acquires("lock"));
}
Scenario toggling() {
  Scenario scenario = two("toggling", toggles, looks_for_the_flag);
  const auto has_begun = [](const Snapshot& world) {
    return world.clients[1].status != ClientView::Status::not_started;
  };
  return scenario.allow_deadlock().require(leads_to("the flag is seen", has_begun, has_seen_it));
}
FairSteps seeing_it() {
  return steps_called("B sees the flag", [](const StepView& step) {
    return !has_seen_it(step.before) && has_seen_it(step.after);
  });
}
// The client was outside, and now it wants the lock.
FairSteps coming_back(std::size_t client) {
  return steps_called("it comes back", [client](const StepView& step) {
    return step.client == client && step.before.clients[client].wants.empty() &&
           !step.after.clients[client].wants.empty();
  });
}

void expect_proved(const Scenario& scenario) {
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}
// The run that is shown is fair as was chosen: it replays, from its file and from one line.
Verdict expect_violated(const Scenario& scenario) {
  Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  if (verdict.outcome != Outcome::violated) return verdict;
  const Result<Run> run = replay(scenario, make_schedule(verdict.run));
  EXPECT_TRUE(run) << run.error().detail() << describe(verdict.run);
  const Result<ShortSchedule> line = parse_short(print_short(verdict.run));
  EXPECT_TRUE(line);
  const Result<Run> again = replay(scenario, *line);
  EXPECT_TRUE(again) << again.error().detail();
  if (again) {
    EXPECT_EQ(again->fairness, verdict.run.fairness);
  }
  return verdict;
}

// --- strong --------------------------------------------------------------------------------------

TEST(StrongFairness, OfEnteringASpinLockLetsNobodyStarve) {
  expect_violated(spinning(2));
  expect_proved(spinning(2)
                    .fairness(Fairness::strong, entering("lock", 0))
                    .fairness(Fairness::strong, entering("lock", 1)));
}

TEST(StrongFairness, IsWhatWeakFairnessOfTheSameStepsIsNot) {
  expect_violated(spinning(2)
                      .fairness(Fairness::weak, entering("lock", 0))
                      .fairness(Fairness::weak, entering("lock", 1)));
}

// Identical clients with different fairness are not alike: B starves.
TEST(StrongFairness, OfOneOfIdenticalClientsServesThatOneAlone) {
  const Verdict verdict =
      expect_violated(spinning(2).fairness(Fairness::strong, entering("lock", 0)));
  EXPECT_THAT(draw_text(verdict.run), HasSubstr("B waits for lock for ever"));
}

// That the answer to a try may come later, when the lock is free, does not keep the try from being
// possible again and again.
TEST(StrongFairness, DoesNotRestOnAnswersThatComeAtOnce) {
  const auto scenario = [] {
    Scenario both("answers");
    const auto wants = [](const Snapshot& world) { return !world.clients[0].wants.empty(); };
    const auto has = [](const Snapshot& world) { return !world.clients[0].inside.empty(); };
    return both.clients(2, spins_for_ever).require(leads_to("A gets it", wants, has));
  };
  expect_violated(scenario());
  expect_proved(scenario().fairness(Fairness::strong, entering("lock", 0)));
}

// The flag is up again and again, and down again and again.
TEST(StrongFairness, IsAboutWhatIsPossibleAgainAndAgainAndNotAllTheTime) {
  expect_violated(toggling());
  expect_violated(toggling().fairness(Fairness::weak, seeing_it()));
  expect_proved(toggling().fairness(Fairness::strong, seeing_it()));
}

// Two permits, which are taken in one step or not at all.
const Script take_one("take_one",
                      "",
                      [](Keyspace& store, const std::vector<Key>& keys, const auto&) -> Reply {
                        const std::optional<Entry> entry = store.find(keys[0]);
                        const int left = entry ? std::stoi(entry->value) : 0;
                        if (left == 0) return Value(std::int64_t{0});
                        store.put(keys[0], Entry(std::to_string(left - 1)));
                        return Value(std::int64_t{1});
                      });
Task<void> takes_permits(Client& me) {
  for (;;) {
    me.wants("pool");
    for (;;) {
      co_await me.loop_head();
      const Result<Value> taken = co_await me.store().run(take_one, Key("permits"));
      if (taken && *taken == Value(std::int64_t{1})) break;
    }
    me.enter("pool");
    co_await me.leave("pool");
    static_cast<void>(co_await me.store().increment(Key("permits")));
  }
}

TEST(StrongFairness, OfASemaphoreServesAll) {
  const auto pool = [] {
    Scenario scenario("pool");
    return scenario.clients(3, takes_permits)
        .initially(Key("permits"), Entry("2"))
        .require(every_waiter_acquires("pool"));
  };
  expect_violated(pool());
  Scenario fair = pool();
  for (std::size_t client = 0; client < 3; ++client) {
    fair.fairness(Fairness::strong, entering("pool", client));
  }
  expect_proved(fair);
}

// It tries, and looks elsewhere before it tries again. While it looks the hog may give the lock
// back and take it again: then it can never enter, and strong fairness promises nothing.
Task<void> tries_now_and_then(Client& me) {
  me.wants("lock");
  for (;;) {
    co_await me.loop_head();
    const Result<bool> taken = co_await me.store().set_if_absent(lock_key, "1");
    if (taken && *taken) break;
    static_cast<void>(co_await me.store().get(Key("elsewhere")));
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().erase(lock_key));
}

TEST(StrongFairness, DoesNotHelpAClientThatLooksElsewhere) {
  Scenario scenario = two("hog", spins_for_ever, tries_now_and_then);
  scenario.require(every_waiter_acquires("lock")).fairness(Fairness::strong, entering("lock", 1));
  const Verdict verdict = expect_violated(scenario);
  EXPECT_THAT(draw_text(verdict.run),
              HasSubstr("again and again: fair as was chosen (strong fairness of"));
}

// Two tasks wait for the same messages, and the first may take each of them.
Task<void> hears_once(Client& me, SubscriptionId news) {
  static_cast<void>(co_await me.store().await_message(news, TimePoint::max()));
  me.note("heard", 1);
}
Task<void> listens_with_two_tasks(Client& me) {
  const Channel channel("news");
  const Result<SubscriptionId> news = co_await me.store().subscribe(channel);
  if (!news) co_return;
  me.remembers([] { return std::vector<std::int64_t>(); });
  me.spawn("second", hears_once(me, *news));
  for (;;) static_cast<void>(co_await me.store().await_message(*news, TimePoint::max()));
}
Task<void> publishes_for_ever(Client& me) {
  const Channel channel("news");
  for (;;) {
    co_await me.loop_head();
    static_cast<void>(co_await me.store().publish(channel, "it"));
  }
}

TEST(StrongFairness, OfAClientIsThatOfEachOfItsTasks) {
  const auto scenario = [] {
    Scenario news = two("news", publishes_for_ever, listens_with_two_tasks);
    const auto listens = [](const Snapshot& world) {
      return world.clients[1].status == ClientView::Status::running;
    };
    const auto heard = [](const Snapshot& world) {
      return world.clients[1].ghost("heard").has_value();
    };
    return news.allow_deadlock().require(leads_to("the second hears", listens, heard));
  };
  const Verdict verdict = expect_violated(scenario());
  expect_proved(scenario().fairness(Fairness::strong, steps_of(1)));
  Simulation simulation(scenario().fairness(Fairness::strong, steps_of(1)));
  for (const RunStep& step : verdict.run.steps) ASSERT_TRUE(simulation.take(step.code));
  const Result<std::string> closed = simulation.close_loop(*verdict.run.loop);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().detail(), HasSubstr("B could move again and again and never does"));
}

// --- weak ----------------------------------------------------------------------------------------

TEST(WeakFairness, OfABranchIsThatOfACoin) {
  Scenario coin("coin");
  coin.client(throws_a_coin).require(every_waiter_acquires("lock"));
  expect_violated(coin);
  expect_proved(coin.fairness(Fairness::weak, entering("lock", 0)));
}

// --- none ----------------------------------------------------------------------------------------

TEST(NoFairness, LetsAHolderStopForEver) {
  const Verdict verdict = expect_violated(petersons().fairness(Fairness::none, steps_of(1)));
  EXPECT_THAT(verdict.bounds, HasSubstr(", no faults, B may stop for ever"));
  expect_proved(petersons());
}

// The requirement of E. W. Dijkstra, "Solution of a Problem in Concurrent Programming Control"
// (1965): a process that stops outside its section blocks nobody.
TEST(NoFairness, OfComingBackTellsAlternationFromPetersonsLock) {
  expect_proved(alternating());
  expect_proved(petersons());
  const auto outside = [](Scenario scenario) {
    return scenario.fairness(Fairness::none, coming_back(1));
  };
  expect_proved(outside(petersons()));
  const Verdict verdict = expect_violated(outside(alternating()));
  EXPECT_THAT(describe(verdict), HasSubstr("'it comes back' may never come"));
}

Task<void> waits_for_time(Client& me) {
  me.wants("lock");
  static_cast<void>(co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1}));
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(NoFairness, OfTimeLetsItStandStill) {
  Scenario sleeper("sleeper");
  sleeper.client(waits_for_time).time_without_end().require(every_waiter_acquires("lock"));
  expect_proved(sleeper);
  const Verdict verdict = expect_violated(sleeper.fairness(Fairness::none, steps_of_time()));
  EXPECT_EQ(verdict.run.loop, verdict.run.steps.size());
  EXPECT_THAT(draw_text(verdict.run),
              AllOf(HasSubstr("nothing need happen any more"), Not(HasSubstr("can happen"))));
  EXPECT_THAT(describe(verdict), HasSubstr("after which nothing need happen"));
}

// It need not go on from where it is, so the shortest loop has no steps.
TEST(NoFairness, ShowsARunThatRestsWhereItMay) {
  Scenario scenario = two("resting", spins_for_ever, [](Client& me) { return spins_for_ever(me); });
  scenario.require(every_waiter_acquires("lock"))
      .fairness(Fairness::none, steps_of(0))
      .fairness(Fairness::none, steps_of(1));
  const Verdict verdict = expect_violated(scenario);
  EXPECT_EQ(verdict.run.loop, verdict.run.steps.size());
  EXPECT_EQ(verdict.run.steps.size(), 2U);
}

TEST(NoFairness, BreaksWhatIsOwedBeforeTheFirstStep) {
  Scenario scenario("owed at first");
  const auto yes = [](const Snapshot&) { return true; };
  const auto done = [](const Snapshot& now) { return now.find("lock") != nullptr; };
  scenario.clients(2, spins_for_ever).require(leads_to("it is taken", yes, done));
  expect_proved(scenario);
  const Verdict verdict =
      explore(scenario.fairness(Fairness::none, steps_of(0)).fairness(Fairness::none, steps_of(1)));
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("is broken before the first step"));
}

// --- what is said of it --------------------------------------------------------------------------

TEST(ChosenFairness, IsNamedInTheVerdictInOneOrder) {
  const auto scenario = [](bool turned) {
    Scenario both = spinning(3);
    const auto strong = [&] { both.fairness(Fairness::strong, entering("lock", 1)); };
    if (turned) strong();
    both.fairness(Fairness::none, steps_of(2)).fairness(Fairness::weak, steps_of(0));
    if (!turned) strong();
    return both.fairness(Fairness::strong, steps_of_time());
  };
  EXPECT_EQ(scenario(true).bounds(), scenario(false).bounds());
  const Verdict verdict = explore(scenario(true));
  const auto words = ElementsAre("C may stop for ever", "strong fairness of 'B enters lock'",
                                 "strong fairness of time");
  EXPECT_THAT(verdict.fairness, words);
  EXPECT_THAT(verdict.run.fairness, words);
  EXPECT_THAT(verdict.bounds,
              HasSubstr("no faults, C may stop for ever, strong fairness of 'B enters lock', "
                        "strong fairness of time"));
  EXPECT_THAT(to_json(verdict), HasSubstr("\"fairness\":[\"C may stop for ever\""));
  EXPECT_THAT(to_json(explore(spinning(2))), Not(HasSubstr("\"fairness\"")));
}

TEST(ChosenFairness, RefusesALoopThatIsNotFair) {
  const sim::Run weak = explore(spinning(2)).run;
  Simulation simulation(spinning(2).fairness(Fairness::strong, entering("lock", 0)));
  for (const RunStep& step : weak.steps) ASSERT_TRUE(simulation.take(step.code));
  const Result<std::string> closed = simulation.close_loop(*weak.loop);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().detail(),
              HasSubstr("'A enters lock' is possible again and again and never comes"));
}

TEST(ChosenFairness, ThatNoStepSatisfiesProvesNothing) {
  Scenario scenario = petersons();
  scenario.fairness(Fairness::strong, entering("loch", 0));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason,
              HasSubstr("'some step is 'A enters loch', whose fairness is chosen'"));
}

TEST(ChosenFairness, MustBeAnsweredByTheStepAlone) {
  int asked = 0;
  Scenario scenario = spinning(2);
  scenario.fairness(Fairness::strong, steps_called("now and then", [&asked](const StepView&) {
                      return ++asked % 7 == 0;
                    }));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("the predicate of 'now and then' answers differently"));
}

// --- mistakes ------------------------------------------------------------------------------------

std::string mistake(const Scenario& scenario) {
  return explore(scenario).reason;
}

TEST(ChosenFairness, IsRefusedWhereNoLivenessIsRequired) {
  Scenario scenario("safe");
  scenario.clients(2, spins_for_ever).require(mutual_exclusion("lock"));
  scenario.fairness(Fairness::none, steps_of(0));
  EXPECT_EQ(explore(scenario).outcome, Outcome::invalid);
  EXPECT_THAT(mistake(scenario), HasSubstr("require every_waiter_acquires() or leads_to()"));
  // It is left aside with the liveness that the scenario offers.
  scenario.offer(every_waiter_acquires("lock"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_THAT(verdict.bounds, Not(HasSubstr("may stop")));
  EXPECT_TRUE(verdict.fairness.empty());
}

TEST(ChosenFairness, OfWhatThereIsNotIsRefused) {
  const auto any = [](const StepView&) { return true; };
  EXPECT_THAT(mistake(spinning(2).fairness(Fairness::none, steps_of(2))),
              HasSubstr("clients are counted from 0 to 1"));
  EXPECT_THAT(mistake(spinning(2).fairness(Fairness::weak, steps_called("a, b", any))),
              HasSubstr("called 'a, b'"));
  EXPECT_THAT(mistake(spinning(2).fairness(Fairness::weak, steps_called("", any))),
              HasSubstr("give them a name"));
  EXPECT_THAT(mistake(spinning(2).fairness(Fairness::weak, steps_called("x", nullptr))),
              HasSubstr("give steps_called() a function"));
  EXPECT_THAT(mistake(spinning(2)
                          .fairness(Fairness::none, steps_of(0))
                          .fairness(Fairness::strong, steps_of(0))),
              HasSubstr("chosen twice for the same steps (A)"));
  Scenario many = spinning(2);
  for (int number = 0; number < 13; ++number) {
    many.fairness(Fairness::weak, steps_called("step " + std::to_string(number), any));
  }
  EXPECT_THAT(mistake(many), HasSubstr("write 0 to 12"));
}

}  // namespace
}  // namespace interlock::sim
