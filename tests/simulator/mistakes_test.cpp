// Mistakes inside a program are told to its author: the verdict is `invalid`, names the client and
// says what to change. A test program goes on with its other scenarios.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Scenario with(Program program) {
  Scenario scenario("mistaken");
  scenario.client(std::move(program)).require(no_deadlock());
  return scenario;
}

// What each kind of search says of it.
std::string told(const Program& program) {
  const Verdict verdict = explore(with(program));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  const RandomVerdict by_chance = search_at_random(with(program), RandomSearch());
  EXPECT_EQ(by_chance.verdict.outcome, Outcome::invalid) << describe(by_chance.verdict);
  EXPECT_EQ(by_chance.verdict.reason, verdict.reason);
  return verdict.reason;
}

// Right up to the point where `mistake` is made.
Task<void> looks_and_then(Client& me, std::function<void(Client&)> mistake) {
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().get(Key("k")));
  mistake(me);
  static_cast<void>(co_await me.store().get(Key("k")));
}

TEST(Mistakes, AChoiceAmongNothing) {
  const auto choose = [](Client& me) { static_cast<void>(me.choose(0)); };
  EXPECT_THAT(told([=](Client& me) { return looks_and_then(me, choose); }),
              AllOf(StartsWith("client A chooses among no numbers at all, after GET k: "),
                    HasSubstr("a bound of at least 1")));
  const auto below = [](Client& me) { static_cast<void>(me.tokens().below(0)); };
  EXPECT_THAT(told([=](Client& me) { return looks_and_then(me, below); }),
              StartsWith("client A chooses among no numbers at all"));
}

TEST(Mistakes, AServerThatIsNotThere) {
  const auto ask = [](Client& me) { static_cast<void>(me.store(3)); };
  EXPECT_THAT(told([=](Client& me) { return looks_and_then(me, ask); }),
              AllOf(StartsWith("client A asks for store(3), and the scenario has 1 server"),
                    HasSubstr("Scenario::servers")));
}

Task<void> asks(Client& me, int key) {
  static_cast<void>(co_await me.store().get(Key(std::to_string(key))));
}
Task<void> spawns(Client& me, int tasks) {
  me.enter("lock");
  co_await me.leave("lock");
  for (int task = 0; task < tasks; ++task) me.spawn("t" + std::to_string(task), asks(me, task));
  co_await me.joined();
}

TEST(Mistakes, TooManyTasksAtATime) {
  EXPECT_THAT(told([](Client& me) { return spawns(me, 15); }),
              AllOf(StartsWith("client A has more than 14 tasks that wait at the same time"),
                    HasSubstr("spawn fewer")));
  Scenario many("many");
  many.client([](Client& me) { return spawns(me, 4); }).require(no_deadlock());
  EXPECT_EQ(explore(many).outcome, Outcome::proved);
}

Task<void> only_leaves(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  co_await me.leave("lock");
  me.enter("lock");
}
Task<void> leaves_twice(Client& me, int enters) {
  for (int left = enters; left > 0; --left) me.enter("mine");
  co_await me.leave("mine");
  co_await me.leave("mine");
  me.enter("lock");
}

TEST(Mistakes, LeavingWhatWasNotEntered) {
  EXPECT_THAT(told(only_leaves),
              AllOf(StartsWith("client A leaves lock without having entered it, after GET k: "),
                    HasSubstr("call Client::enter first")));
  EXPECT_THAT(told([](Client& me) { return leaves_twice(me, 1); }),
              StartsWith("client A leaves mine without having entered it, after leave mine: "));
  Scenario reentrant("reentrant");
  reentrant.client([](Client& me) { return leaves_twice(me, 2); }).require(no_deadlock());
  EXPECT_EQ(explore(reentrant).outcome, Outcome::proved);
}

// --- waiting for something else ------------------------------------------------------------------

class Foreign {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};

Task<void> waits_for_ever(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  me.enter("lock");
  const Foreign foreign;
  co_await foreign;
  co_await me.leave("lock");
}
Task<void> waits_at_once(Client& me) {
  me.enter("lock");
  const Foreign foreign;
  co_await foreign;
}
Task<void> joins_who_waits_for_ever(Client& me) {
  me.spawn("stuck", waits_for_ever(me));
  co_await me.joined();
}

TEST(Mistakes, WaitingForSomethingThatIsNotTheSimulators) {
  EXPECT_THAT(told(waits_for_ever),
              AllOf(StartsWith("client A waits for something that is not the simulator's, after "
                               "GET k: "),
                    HasSubstr("await nothing but")));
  EXPECT_THAT(told(waits_at_once), HasSubstr("not the simulator's, when it starts: "));
  EXPECT_THAT(told(joins_who_waits_for_ever), HasSubstr("not the simulator's, after GET k: "));
}

// An event of the program's own is fine: another of its tasks reports it.
class Event {
 public:
  bool await_ready() const noexcept { return happened_; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  void await_resume() const noexcept {}
  void happen() {
    happened_ = true;
    if (waiting_) waiting_.resume();
  }

 private:
  bool happened_ = false;
  std::coroutine_handle<> waiting_;
};
Task<void> tells(Client& me, Event* event) {
  static_cast<void>(co_await me.store().get(Key("k")));
  event->happen();
}
Task<void> is_told(Client& me) {
  Event event;
  me.spawn("teller", tells(me, &event));
  co_await event;
  me.enter("lock");
  co_await me.leave("lock");
  co_await me.joined();
}

TEST(Mistakes, NoneIsAWaitForAnotherTaskOfTheSameProgram) {
  Scenario scenario("told");
  scenario.client(is_told).require(no_deadlock());
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// --- times beyond all leases ---------------------------------------------------------------------

Task<void> sleeps_for(Client& me, Duration time) {
  me.enter("lock");
  co_await me.leave("lock");
  const TimePoint until = me.time().now() + time;
  co_await me.time().sleep_until(until);
}
Task<void> listens_for(Client& me, Duration time) {
  me.enter("lock");
  co_await me.leave("lock");
  const Result<SubscriptionId> subscription = co_await me.store().subscribe(Channel("c"));
  const TimePoint until = me.time().now() + time;
  if (subscription) static_cast<void>(co_await me.store().await_message(*subscription, until));
}

Task<void> sleeps_until_now_for_ever(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  while (me.time().now() < TimePoint(std::chrono::seconds{3})) {
    co_await me.time().sleep_until(me.time().now());
  }
}
Task<void> joins_nobody_for_ever(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  for (;;) co_await me.joined();
}
Task<void> interrupts_itself_for_ever(Client& me) {
  const Result<SubscriptionId> id = co_await me.store().subscribe(Channel("c"));
  if (!id) co_return;
  for (;;) static_cast<void>(co_await me.store().interrupt(*id));
}
Task<void> looks_twice(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  static_cast<void>(co_await me.store().get(Key("k")));
}
// While another task waits, a loop head does not end the step.
Task<void> passes_loop_heads_beside_another_task(Client& me) {
  me.spawn("other", looks_twice(me));
  for (;;) co_await me.loop_head();
}

TEST(Mistakes, ALoopThatNeverWaits) {
  EXPECT_THAT(told(sleeps_until_now_for_ever),
              AllOf(StartsWith("client A goes on 10000 times in one step, because all that it "
                               "awaits is over already, after GET k: "),
                    HasSubstr("no time passes inside a step")));
  EXPECT_THAT(told(joins_nobody_for_ever), HasSubstr("in one step"));
  EXPECT_THAT(told(interrupts_itself_for_ever), HasSubstr("in one step"));
  EXPECT_THAT(told(passes_loop_heads_beside_another_task), HasSubstr("in one step"));
}

Task<void> joins(Client& me) {
  co_await me.joined();
}
Task<void> joins_beside_its_joiner(Client& me) {
  me.spawn("joiner", joins(me));
  co_await me.joined();
}
Task<void> ends_before_its_joiner(Client& me) {
  me.spawn("joiner", joins(me));
  static_cast<void>(co_await me.store().get(Key("k")));
}

TEST(Mistakes, JoiningInATaskThatWasSpawned) {
  EXPECT_THAT(told(joins_beside_its_joiner),
              AllOf(StartsWith("client A awaits joined() in a task that it has spawned, "),
                    HasSubstr("when it starts: await joined() in the main task")));
  EXPECT_THAT(told(ends_before_its_joiner),
              StartsWith("client A awaits joined() in a task that it has spawned, "));
}

TEST(Mistakes, AWaitOfMoreThanACenturyThatHasAnEnd) {
  constexpr std::chrono::hours century{24 * 365 * 100};
  for (const Duration time : {Duration::max() / 2, century + Duration(1)}) {
    EXPECT_THAT(told([=](Client& me) { return sleeps_for(me, time); }),
                AllOf(StartsWith("client A waits for more than a century (sleep), after leave "),
                      HasSubstr("TimePoint::max()")));
    EXPECT_THAT(told([=](Client& me) { return listens_for(me, time); }),
                StartsWith("client A waits for more than a century (wait for a message), after "));
  }
  // Longer than the scenario has instants, but it would end.
  const Verdict verdict = explore(with([=](Client& me) { return sleeps_for(me, century); }));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// --- tasks that go before their answer comes -----------------------------------------------------

Task<void> looks(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
}
Task<void> sleeps(Client& me) {
  const TimePoint until = me.time().now() + std::chrono::seconds{1};
  co_await me.time().sleep_until(until);
}
Task<void> writes(Client& me) {
  static_cast<void>(co_await me.write("disk", FencingToken(1)));
}
Task<void> awaits(Client& me, std::function<Task<void>(Client&)> what) {
  co_await what(me);
}
using Part = std::function<Task<void>(Client&)>;
Task<void> throws_away(Client& me, Part part) {
  me.enter("lock");
  co_await me.leave("lock");
  {
    Task<void> task = part(me);
    task.start();
  }
  static_cast<void>(co_await me.store().get(Key("other")));
}
Task<void> forgets_at_its_end(Client& me, Part part) {
  me.enter("lock");
  co_await me.leave("lock");
  Task<void> task = part(me);
  task.start();
}
Task<void> begins_twice(Client& me, Part part) {
  me.enter("lock");
  co_await me.leave("lock");
  Task<void> task = part(me);
  task.start();
  co_await task;
  static_cast<void>(co_await me.store().get(Key("other")));
}
Task<void> spawns_one_that_throws_away(Client& me, Part part) {
  me.spawn("helper", throws_away(me, std::move(part)));
  co_await me.joined();
}

// Thrown away or begun twice: what the task waits for goes with it.
using Loses = Task<void> (*)(Client&, Part);
class LostTasks : public ::testing::TestWithParam<Loses> {};

TEST_P(LostTasks, AreAMistakeWhateverTheyWaitFor) {
  const Loses loses = GetParam();
  const auto told_of = [loses](const Part& part) {
    return told([=](Client& me) { return loses(me, part); });
  };
  EXPECT_THAT(told_of(looks), AllOf(StartsWith("client A lets a task go while it waits (GET k), "),
                                    HasSubstr("Client::spawn"), HasSubstr("Client::joined")));
  EXPECT_THAT(told_of(sleeps), StartsWith("client A lets a task go while it waits (sleep), "));
  EXPECT_THAT(told_of(writes),
              StartsWith("client A lets a task go while it waits (write disk #1)"));
  EXPECT_THAT(told_of([](Client& me) { return awaits(me, looks); }),
              StartsWith("client A lets a task go while it waits (GET k), "));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes,
    LostTasks,
    ::testing::Values(throws_away, forgets_at_its_end, begins_twice, spawns_one_that_throws_away));

Task<void> does_nothing(Client&) {
  co_return;
}
Task<void> never_starts(Client& me, Part part) {
  me.enter("lock");
  co_await me.leave("lock");
  const Task<void> task = part(me);
}

TEST(Mistakes, NoneIsATaskThatHasEndedOrNotBegunWhenItGoes) {
  for (const Loses goes : {throws_away, forgets_at_its_end, begins_twice}) {
    const Verdict verdict = explore(with([=](Client& me) { return goes(me, does_nothing); }));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  }
  const Verdict verdict = explore(with([](Client& me) { return never_starts(me, looks); }));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// --- exceptions ----------------------------------------------------------------------------------

Task<int> throws_after_a_look(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  throw std::runtime_error("oops");
  co_return 1;
}
Task<void> throws(Client& me) {
  me.enter("lock");
  co_await me.leave("lock");
  const int number = co_await throws_after_a_look(me);
  if (number == 1) me.enter("lock");
}
Task<void> throws_a_number(Client& me) {
  me.enter("lock");
  throw 7;
  co_await me.leave("lock");
}
Task<void> throws_later(Client& me) {
  static_cast<void>(co_await throws_after_a_look(me));
}
Task<void> spawns_one_that_throws(Client& me) {
  me.spawn("helper", throws_later(me));
  me.enter("lock");
  co_await me.leave("lock");
  co_await me.joined();
}
Task<void> remembers_by_throwing(Client& me) {
  me.remembers([]() -> std::vector<std::int64_t> { throw std::runtime_error("forgotten"); });
  me.enter("lock");
  co_await me.leave("lock");
}
Task<void> catches(Client& me) {
  bool caught = false;
  try {
    static_cast<void>(co_await throws_after_a_look(me));
  } catch (const std::exception&) {
    caught = true;
  }
  if (!caught) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Mistakes, AnExceptionThatLeavesTheProgram) {
  EXPECT_THAT(told(throws),
              AllOf(StartsWith("client A ended with an exception: oops, after GET k: "),
                    HasSubstr("catch it inside the program")));
  EXPECT_THAT(told(throws_a_number),
              StartsWith("client A ended with an exception: something that is no std::exception, "
                         "when it starts: "));
  EXPECT_THAT(told(spawns_one_that_throws),
              StartsWith("client A has a task 'helper' that ended with an exception: oops, "));
  EXPECT_THAT(told(remembers_by_throwing),
              StartsWith("client A remembers by a function that ended with an exception: "
                         "forgotten, when it starts: "));
  EXPECT_THAT(told([](Client&) -> Task<void> { throw std::runtime_error("at once"); }),
              StartsWith("client A ended with an exception: at once, when it starts: "));
  EXPECT_THAT(told([](Client&) -> Task<void> { throw std::runtime_error("two\nlines\x01"); }),
              HasSubstr("exception: two\\x0alines\\x01, when"));
  EXPECT_THAT(told(Program()), StartsWith("client A has no program: "));
  EXPECT_EQ(explore(with(catches)).outcome, Outcome::proved);
}

bool throws_if_something_is_there(const Snapshot& world) {
  if (!world.keys.empty()) throw std::runtime_error("no such key");
  return true;
}
Task<void> puts_a_key(Client& me) {
  const std::string value = "1";
  static_cast<void>(co_await me.store().set(Key("k"), value));
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Mistakes, APredicateThatThrows) {
  Scenario scenario = with(puts_a_key);
  scenario.require(always("sound", throws_if_something_is_there));
  const std::string wanted =
      "the predicate of 'sound' ended with an exception: no such key: let it answer true or false";
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, StartsWith(wanted));
  const RandomVerdict by_chance = search_at_random(scenario, RandomSearch());
  EXPECT_EQ(by_chance.verdict.outcome, Outcome::invalid) << describe(by_chance.verdict);
  EXPECT_THAT(by_chance.verdict.reason, StartsWith(wanted));
}

// Two that take each other's tokens, which a search renames. Later runs than `left` begin none.
Task<void> takes_until(Client& me, int* left) {
  if ((*left)-- <= 0) throw std::runtime_error("no more");
  const OwnerToken mine = me.tokens().fresh();
  static_cast<void>(co_await me.store().set_if_absent(Key("k"), mine.text()));
  const Result<std::optional<std::string>> holder = co_await me.store().get(Key("k"));
  if (!holder || !*holder) co_return;
  static_cast<void>(co_await me.store().set(Key("noted"), **holder));
  static_cast<void>(co_await me.store().get(Key("noted")));
  me.enter("lock");
  co_await me.leave("lock");
  me.reach("an end");
}

// Whatever the search was doing in that run: learning a step, renaming it, repeating it or telling
// the run that it has found.
TEST(Mistakes, AProgramThatEndsInALaterRunThanTheFirst) {
  const std::vector<Property> asked{no_deadlock(), never("an end"), mutual_exclusion("lock")};
  for (const Property& property : asked) {
    for (int runs = 1; runs < 300; ++runs) {
      int left = runs;
      Scenario scenario("ends");
      scenario.clients(3, [&left](Client& me) { return takes_until(me, &left); });
      const Verdict verdict = explore(scenario.require(property));
      if (left > 0) break;
      EXPECT_NE(verdict.outcome, Outcome::proved) << runs << " runs: " << describe(verdict);
    }
  }
}

TEST(Mistakes, DoNotEndASimulation) {
  Simulation simulation(with(only_leaves));
  while (!simulation.choices().empty()) {
    if (!simulation.take(simulation.choices().front().code)) break;
  }
  SUCCEED();
}

}  // namespace
}  // namespace interlock::sim
