// Moments that are steps of their own because somebody can tell them from those before and after: a
// predicate looks between the end of a section and what its client does next; and others can tell
// that a subscription has ended before its client is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/game.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/violation.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Key job("job");

bool has(const std::vector<std::string>& locks, const std::string& lock) {
  return std::find(locks.begin(), locks.end(), lock) != locks.end();
}
bool is_inside(const Snapshot& world, std::size_t client, const std::string& lock) {
  return has(world.clients[client].inside, lock);
}
bool is_running(const Snapshot& world, std::size_t client) {
  return world.clients[client].status == ClientView::Status::running;
}

// Takes the move of that key, and tells what it is.
std::string play(Game& game, const std::string& key) {
  const std::vector<Move> moves = game.moves();
  const auto at = std::find_if(moves.begin(), moves.end(),
                               [&key](const Move& move) { return move.key == key; });
  if (at == moves.end()) return "no move is called " + key;
  const std::string text = at->mover + " " + at->text;
  const Result<RunStep> taken = game.play(key);
  return taken ? text : taken.error().detail();
}

void expect_replayed(const Scenario& scenario, const sim::Run& run) {
  const Result<Schedule> schedule = parse_schedule(print(make_schedule(run)));
  ASSERT_TRUE(schedule) << schedule.error().detail();
  const Result<sim::Run> again = replay(scenario, *schedule);
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(run));
  const Result<ShortSchedule> brief = parse_short(print_short(run));
  ASSERT_TRUE(brief) << brief.error().detail();
  const Result<sim::Run> once_more = replay(scenario, *brief);
  ASSERT_TRUE(once_more) << once_more.error().detail();
  EXPECT_EQ(describe(*once_more), describe(run));
}

// --- the end of a section ------------------------------------------------------------------------

Task<void> goes_to_the_next_room(Client& me) {
  me.enter("first");
  co_await me.leave("first");
  me.enter("second");
  co_await me.leave("second");
}
bool is_in_a_room(const Snapshot& world) {
  return !is_running(world, 0) || is_inside(world, 0, "first") || is_inside(world, 0, "second");
}

Task<void> wants_it_again(Client& me) {
  me.enter("lock");
  co_await me.leave("lock");
  me.wants("lock");
  static_cast<void>(co_await me.store().get(job));
}
bool is_inside_or_waits(const Snapshot& world) {
  return !is_running(world, 0) || is_inside(world, 0, "lock") ||
         has(world.clients[0].wants, "lock");
}

Task<void> leaves_and_ends(Client& me) {
  me.enter("lock");
  co_await me.leave("lock");
}
bool is_inside_until_it_ends(const Snapshot& world) {
  return !is_running(world, 0) || is_inside(world, 0, "lock");
}

Task<void> leaves_and_asks(Client& me) {
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().get(job));
}
bool asks_as_soon_as_it_has_left(const Snapshot& world) {
  return !is_running(world, 0) || is_inside(world, 0, "lock") || world.clients[0].next == "GET job";
}

Scenario leaving(Program program, Property::Predicate holds) {
  Scenario scenario("leaving");
  scenario.client(std::move(program)).require(always("it holds", std::move(holds)));
  return scenario;
}

TEST(Moments, AfterALeaveAndBeforeWhatFollowsAreSeen) {
  for (const Scenario& scenario :
       {leaving(goes_to_the_next_room, is_in_a_room), leaving(wants_it_again, is_inside_or_waits),
        leaving(leaves_and_ends, is_inside_until_it_ends),
        leaving(leaves_and_asks, asks_as_soon_as_it_has_left)}) {
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    EXPECT_EQ(verdict.run.steps.size(), 2U) << describe(verdict.run);
    EXPECT_EQ(search_at_random(scenario, RandomSearch()).verdict.outcome, Outcome::violated);
  }
}

// Nobody learns of a leave, so that another client may enter between it and the end.
Task<void> guards_the_job(Client& me) {
  me.enter("guard");
  static_cast<void>(co_await me.store().set(job, "begun"));
  co_await me.leave("guard");
}
Task<void> works_if_the_job_has_begun(Client& me) {
  const Result<std::optional<std::string>> begun = co_await me.store().get(job);
  if (!begun || !*begun) co_return;
  me.enter("work");
  co_await me.leave("work");
}
bool work_is_guarded(const Snapshot& world) {
  return !is_inside(world, 1, "work") || is_inside(world, 0, "guard") || !is_running(world, 0);
}
Scenario guarding() {
  Scenario scenario("guarding");
  scenario.client(guards_the_job).client(works_if_the_job_has_begun);
  return scenario.require(always("work is guarded", work_is_guarded));
}

TEST(Moments, AfterALeaveAreThereForOthersToo) {
  const Verdict verdict = explore(guarding());
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
}

bool anything(const Snapshot&) {
  return true;
}
Scenario looked_at(Program program) {
  Scenario scenario("looked at");
  scenario.client(std::move(program)).allow_deadlock();
  scenario.faults(FaultBudget().allow(Fault::restart));
  return scenario.require(always("anything", anything));
}

TEST(Moments, AfterALeaveArePlayedAndTold) {
  Game game(looked_at(guards_the_job), Verdict());
  EXPECT_EQ(play(game, "1"), "A SET job begun");
  EXPECT_EQ(play(game, "1-"), "A leaves guard, and goes on later");
  EXPECT_EQ(play(game, "1"), "A goes on after it has left guard");
  EXPECT_EQ(game.standing(), Game::Standing::over);
  EXPECT_EQ(describe(game.run()),
            "1  0 ms  A  SET job begun -> \"OK\"  # A enters guard\n"
            "2  0 ms  A  leave guard (goes on later)\n"
            "3  0 ms  A  goes on after leave guard\n");
  EXPECT_THAT(draw_text(game.run()),
              AllOf(HasSubstr("  2    0  │ leaves                  begun\n"),
                    HasSubstr("  3    0    goes on                 begun\n")));
  EXPECT_THAT(draw_mermaid(game.run()), HasSubstr("C0->>C0: 3 goes on\n"));
}

TEST(Moments, AfterALeaveAreWrittenDownAndReplayed) {
  const Verdict verdict = explore(guarding());
  EXPECT_THAT(print(make_schedule(verdict.run)), HasSubstr("A sends leave guard\n"));
  expect_replayed(guarding(), verdict.run);
  const RandomVerdict by_chance = search_at_random(guarding(), RandomSearch());
  const sim::Run shorter = shorten(guarding(), by_chance.verdict.run);
  EXPECT_EQ(violated_property(shorter), verdict.property) << describe(shorter);
  EXPECT_THAT(describe(shorter), HasSubstr("leave guard (goes on later)"));
  expect_replayed(guarding(), shorter);
}

TEST(Moments, AfterALeaveAreOneStepWithWhatFollowsForEveryOtherProperty) {
  Scenario scenario("leaving");
  scenario.client(leaves_and_ends).require(mutual_exclusion("lock"));
  // Before the start, inside, and at the end.
  EXPECT_EQ(explore(scenario).states, 3U);
  scenario.require(always("anything", anything));
  EXPECT_EQ(explore(scenario).states, 4U);
}

Task<void> sleeps_and_is_refused(Client& me) {
  const TimePoint until = me.time().now() + seconds{1};
  co_await me.time().sleep_until(until);
  static_cast<void>(co_await me.store().await_message(0, until));
}

TEST(Moments, AfterASleepOrARefusedWaitAreOneStepWithWhatFollows) {
  Scenario scenario("waiting");
  scenario.client(sleeps_and_is_refused).instants(3).require(no_deadlock());
  const Verdict alone = explore(scenario);
  const Verdict seen = explore(scenario.require(always("anything", anything)));
  EXPECT_EQ(seen.states, alone.states) << describe(seen) << describe(alone);
  EXPECT_EQ(seen.transitions, alone.transitions);
}

// --- the end of a subscription -------------------------------------------------------------------

const Channel channel("c");
constexpr const char* seen = "seen";

Task<void> waits_for_an_answer(Client& me) {
  me.wants("answer");
  const Result<SubscriptionId> ear = co_await me.store().subscribe(channel);
  if (!ear) co_return;
  static_cast<void>(co_await me.store().set(job, "listening"));
  static_cast<void>(co_await me.store().await_message(*ear, TimePoint::max()));
  me.gives_up("answer");
  static_cast<void>(co_await me.store().get(job));
}
// Whether it is there, and nobody listens any more.
Task<bool> nobody_listens(Client& me) {
  const Result<std::optional<std::string>> begun = co_await me.store().get(job);
  if (!begun || !*begun) co_return false;
  const Result<std::int64_t> heard = co_await me.store().publish(channel, "m");
  co_return heard&&* heard == 0;
}
Task<void> works_unheard(Client& me) {
  const bool unheard = co_await nobody_listens(me);
  if (!unheard) co_return;
  me.enter("work");
  co_await me.leave("work");
}
bool works_for_nobody(const Snapshot& world) {
  return !is_inside(world, 1, "work") || world.clients[0].wants.empty();
}
Scenario listening(Program listener, Program publisher) {
  Scenario scenario("listening");
  scenario.client(std::move(listener)).client(std::move(publisher)).allow_deadlock();
  return scenario.faults(FaultBudget().allow(Fault::restart));
}

TEST(Moments, AfterTheEndOfASubscriptionAndBeforeItsClientIsToldAreSeen) {
  const Scenario scenario = listening(waits_for_an_answer, works_unheard)
                                .require(always("works for nobody", works_for_nobody));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

Task<void> asks_who_listens(Client& me, const bool* is_told) {
  const Result<std::int64_t> heard = co_await me.store().publish(channel, "m");
  me.reach(seen, heard && *heard == 0 && !*is_told);
}
Task<void> listens_and_asks(Client& me) {
  bool is_told = false;
  const Result<SubscriptionId> ear = co_await me.store().subscribe(channel);
  if (!ear) co_return;
  me.spawn("asks", asks_who_listens(me, &is_told));
  static_cast<void>(co_await me.store().await_message(*ear, TimePoint::max()));
  is_told = true;
  co_await me.joined();
}

TEST(Moments, AfterTheEndOfASubscriptionArePlayedAndTold) {
  Game game(looked_at(waits_for_an_answer), Verdict());
  EXPECT_EQ(play(game, "1"), "A SUBSCRIBE c");
  EXPECT_EQ(play(game, "1"), "A SET job listening");
  EXPECT_EQ(play(game, "r1"), "world the server restarts with its data");
  EXPECT_EQ(play(game, "1~-"), "A loses its subscription, and is told later");
  EXPECT_EQ(play(game, "1"), "A is told that its subscription has ended");
  EXPECT_THAT(describe(game.run()),
              HasSubstr("4  0 ms  A  wait for a message -> unavailable (goes on later)\n"
                        "5  0 ms  A  goes on after wait for a message -> unavailable\n"));
  EXPECT_THAT(draw_text(game.run()),
              AllOf(HasSubstr("  4    0  │ cut off                 listening\n"),
                    HasSubstr("  5    0  │ wakes→cut off           listening\n")));
  expect_replayed(looked_at(waits_for_an_answer), game.run());
}

TEST(Moments, AfterTheEndOfASubscriptionAreThereForAnotherTaskOfItsClient) {
  Scenario scenario("listens and asks");
  scenario.client(listens_and_asks).faults(FaultBudget().allow(Fault::restart)).allow_deadlock();
  const Verdict verdict = explore(scenario.require(never(seen)));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

const Key early("early");
constexpr TimePoint first{};

Task<void> listens_and_looks_at_the_clock(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(channel);
  if (!ear) co_return;
  static_cast<void>(co_await me.store().set(job, "listening"));
  static_cast<void>(co_await me.store().await_message(*ear, TimePoint::max()));
  const bool is_late = me.time().now() > first;
  const Result<std::optional<std::string>> noted = co_await me.store().get(early);
  me.reach(seen, is_late && noted && *noted);
}
Task<void> notes_early_that_nobody_listens(Client& me) {
  const bool unheard = co_await nobody_listens(me);
  if (!unheard) co_return;
  if (me.time().now() == first) static_cast<void>(co_await me.store().set(early, "noted"));
}

TEST(Moments, AfterTheEndOfASubscriptionMayLast) {
  Scenario scenario = listening(listens_and_looks_at_the_clock, notes_early_that_nobody_listens);
  const Verdict verdict = explore(scenario.instants(2).require(never(seen)));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

}  // namespace
}  // namespace interlock::sim
