#include "interlock/sim/game.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Scenario race() {
  return stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 2);
}

Scenario with_faults() {
  catalogue::LeaseClientOptions options;
  options.renews = true;
  Scenario scenario = catalogue::lease_lock_scenario(2, options, 4);
  scenario.faults(FaultBudget::any(2));
  return scenario;
}

// Why the game refuses this word.
std::string refused(Game& game, std::string_view word) {
  const Result<RunStep> taken = game.play(word);
  return taken || taken.error().code() != Errc::invalid_argument ? "it is not refused"
                                                                 : game.why_not(word);
}

std::vector<std::string> keys(const Game& game) {
  std::vector<std::string> keys;
  for (const Move& move : game.moves()) keys.push_back(move.key);
  return keys;
}

void play_all(Game& game, std::string_view words) {
  while (!words.empty()) {
    const std::string_view key = game.first_key(words);
    ASSERT_FALSE(key.empty()) << words;
    ASSERT_TRUE(game.play(key));
    words.remove_prefix(key.size());
  }
}

// Some steps at random; none of them wins.
void wander(Game& game, std::size_t most) {
  const auto picks =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 1000));
  for (std::size_t at = 0; at < picks.size() && at < most && !game.moves().empty(); ++at) {
    const std::string key = game.moves()[picks[at] % game.moves().size()].key;
    RC_ASSERT(game.play(key));
    if (game.standing() == Game::Standing::won) game.undo();
  }
}

TEST(Game, SaysWhatIsToBeDone) {
  EXPECT_THAT(Game(race(), Verdict()).goals(),
              ElementsAre("make two clients believe at one time that they hold lock.foo"));
}

TEST(Game, AGoalMayHaveWordsOfItsOwn) {
  EXPECT_EQ(goal_text(never("is late")), "let this happen: is late");
  EXPECT_EQ(goal_text(never("is late", "let a client be late")), "let a client be late");
  const auto holds = [](const Snapshot&) { return true; };
  EXPECT_EQ(goal_text(always("all is well", holds)), "break 'all is well'");
  EXPECT_EQ(goal_text(always("all is well", holds, "spoil it")), "spoil it");
}

// The words of a lesson's goal are about what a player does, and not about a property's name.
TEST(Game, NoLessonHasAGoalInTheWordsOfAProgram) {
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    if (entry.expected.outcome != Outcome::violated) continue;
    const Result<Scenario> scenario = catalogue::build(entry.name, {});
    ASSERT_TRUE(scenario);
    for (const Property& property : scenario->properties()) {
      if (property.name != entry.expected.property) continue;
      EXPECT_FALSE(goal_text(property).starts_with("break '")) << entry.name;
      EXPECT_FALSE(goal_text(property).starts_with("let this happen")) << entry.name;
    }
  }
}

TEST(Game, SaysWhichBranchAClientTakesAtItsStart) {
  const Result<Scenario> scenario = catalogue::build("queue-lock", {});
  ASSERT_TRUE(scenario);
  const Game game(*scenario, Verdict());
  std::set<std::string> texts;
  for (const Move& move : game.moves()) {
    EXPECT_TRUE(texts.insert(move.mover + ": " + move.text).second)
        << move.key << ": " << move.text;
  }
}

TEST(Game, TellsWhatEverybodyIsAboutToDoButNotWhatComesOfIt) {
  Game game(race(), Verdict());
  EXPECT_THAT(keys(game), ElementsAre("1", "1@", "2", "2@", "t"));
  EXPECT_EQ(game.moves()[0].mover, "A");
  EXPECT_EQ(game.moves()[0].text, "SETNX lock.foo 103");
  EXPECT_EQ(game.moves()[1].text, "reads its clock, and asks for nothing yet");
  EXPECT_EQ(game.moves()[4].mover, "world");
  EXPECT_EQ(game.moves()[4].text, "1000 ms pass");
  EXPECT_THAT(game.store(), ElementsAre("lock.foo = 50"));
}

TEST(Game, IsWonAtPar) {
  Game game(race(), explore(race()));
  ASSERT_EQ(game.best().outcome, Outcome::violated);
  EXPECT_EQ(game.best().run.steps.size(), 8U);
  play_all(game, "1122112");
  EXPECT_EQ(game.standing(), Game::Standing::open);
  play_all(game, "2");
  EXPECT_EQ(game.standing(), Game::Standing::won);
  EXPECT_THAT(game.moves(), IsEmpty());
  EXPECT_EQ(game.run().steps.back().violates, "mutual exclusion of lock.foo");
  EXPECT_THAT(refused(game, "1"), HasSubstr("broken already"));
}

TEST(Game, TakesClientsByNameToo) {
  Game game(race(), Verdict());
  ASSERT_TRUE(game.play("a"));
  ASSERT_TRUE(game.play("B"));
  EXPECT_EQ(print_short(game.run()), "del-setnx-lock:12");
}

TEST(Game, SaysWhyAMoveIsNotPossible) {
  Game game(race(), Verdict());
  EXPECT_THAT(refused(game, "x1"), HasSubstr("no fault is allowed"));
  EXPECT_THAT(refused(game, "nonsense"), HasSubstr("none of the moves"));
  play_all(game, "t");
  EXPECT_THAT(refused(game, "t"), HasSubstr("2 instants"));
  play_all(game, "1111");
  EXPECT_THAT(game.still(), IsEmpty());
  play_all(game, "1");
  EXPECT_THAT(refused(game, "C"), HasSubstr("none of the moves"));
  EXPECT_EQ(game.run().steps.size(), 6U);
}

TEST(Game, SaysWhyAClientCannotMove) {
  Game waiting(catalogue::lease_lock_scenario(2, catalogue::LeaseClientOptions(), 5), Verdict());
  play_all(waiting, "1");
  while (waiting.still().empty()) ASSERT_TRUE(waiting.play("2"));
  EXPECT_THAT(refused(waiting, waiting.still().front()), HasSubstr("time must pass"));

  Scenario scenario = race();
  scenario.faults(FaultBudget().allow(Fault::crash));
  Game crashed(scenario, Verdict());
  play_all(crashed, "2x2");
  EXPECT_THAT(crashed.still(), ElementsAre("B"));
  EXPECT_THAT(refused(crashed, "x1"), HasSubstr("no fault is left: crash was allowed"));
  EXPECT_EQ(refused(crashed, "2"), "B has crashed and will never move again");

  Game done(race(), Verdict());
  play_all(done, "2222222");
  EXPECT_THAT(refused(done, "2"), HasSubstr("B is done"));
}

// What a game answers to `why`: mover, step, and the keys of its moves or the reason.
std::vector<std::string> answers(Game& game, std::string_view word) {
  const Result<std::vector<MoveAnswer>> found = game.why(word);
  if (!found) return {found.error().detail()};
  std::vector<std::string> lines;
  for (const MoveAnswer& answer : *found) {
    std::string line = answer.mover + " " + answer.what + ":";
    for (const std::string& key : answer.keys) line += " " + key;
    lines.push_back(line + (answer.why.empty() ? "" : " " + answer.why));
  }
  return lines;
}

TEST(Game, AnswersWhyAStepIsNotPossible) {
  Scenario scenario = race();
  scenario.faults(FaultBudget().allow(Fault::crash));
  Game game(scenario, Verdict());
  play_all(game, "1");
  EXPECT_THAT(answers(game, "x1"), ElementsAre("A crash: x1"));
  EXPECT_THAT(answers(game, "x2"), ElementsAre("B crash: B has not started"));
  EXPECT_THAT(answers(game, "crash"), ElementsAre("A crash: x1", "B crash: B has not started"));
  EXPECT_EQ(answers(game, "x"), answers(game, "crash"));
  EXPECT_THAT(answers(game, "t"),
              ElementsAre("world time: t",
                          "world pause: clients may be slow at any moment here: time passes "
                          "without a fault"));
  EXPECT_THAT(answers(game, "C1"),
              ElementsAre("server clock-jump: not among the faults of this scenario, which are "
                          "crash"));
  EXPECT_EQ(answers(game, "b").front(), "B : 2 2@");
  for (const char* key : {"2@", "B/renewal"}) EXPECT_EQ(answers(game, key), answers(game, "B"));
  EXPECT_GT(answers(game, "").size(), answers(game, "B").size());
  for (const char* nonsense : {"77", "x9", "dance", "Z", "0", "1122"}) {
    EXPECT_THAT(answers(game, nonsense), ElementsAre("it is none of the moves")) << nonsense;
  }
}

TEST(Game, AnswersNothingAboutABrokenLock) {
  Game game(race(), Verdict());
  play_all(game, "11221122");
  EXPECT_THAT(answers(game, "1"), ElementsAre(HasSubstr("broken already")));
}

TEST(Game, EndsWhenNobodyCanMove) {
  Game game(stamp_lock_scenario(TakeOver::getset, 2, 1, 1), Verdict());
  EXPECT_EQ(game.advice().outcome, Outcome::proved);
  while (!game.moves().empty()) ASSERT_TRUE(game.play(game.moves().front().key));
  EXPECT_EQ(game.standing(), Game::Standing::over);
  EXPECT_THAT(refused(game, "t"), HasSubstr("everybody is done"));
}

TEST(Game, CannotGoBackBeforeTheBeginning) {
  Game game(race(), Verdict());
  EXPECT_FALSE(game.undo());
  play_all(game, "11");
  EXPECT_TRUE(game.undo());
  EXPECT_TRUE(game.undo());
  EXPECT_FALSE(game.undo());
  play_all(game, "12");
  game.restart();
  EXPECT_TRUE(game.run().empty());
  EXPECT_THAT(keys(game), ElementsAre("1", "1@", "2", "2@", "t"));
}

TEST(Game, DrawsWhatHasHappenedSoFar) {
  Game game(race(), Verdict());
  TextStyle style;
  style.unfinished = true;
  EXPECT_THAT(draw_text(game.run(), nullptr, {}, style), HasSubstr("  0  100"));
  play_all(game, "11");
  const std::string drawn = draw_text(game.run(), nullptr, {}, style);
  EXPECT_THAT(drawn, HasSubstr("  2  100"));
  EXPECT_THAT(drawn, ::testing::Not(HasSubstr(" ok")));
}

Task<void> spin_for_ever(Client& me) {
  const Key key("lock");
  for (;;) {
    me.wants("lock");
    for (;;) {
      co_await me.loop_head();
      const Result<bool> taken = co_await me.store().set_if_absent(key, "1");
      if (taken && *taken) break;
    }
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await me.store().erase(key));
  }
}

TEST(Game, IsWonByARunThatGoesRoundForEver) {
  Scenario scenario("starvation");
  scenario.clients(3, [](Client& me) { return spin_for_ever(me); });
  scenario.require(every_waiter_acquires("lock"));
  Game game(scenario, explore(scenario));
  ASSERT_EQ(game.best().outcome, Outcome::violated);
  EXPECT_THAT(game.goals().front(), HasSubstr("wait for lock for ever"));
  // A takes and gives back, which is fair to nobody: B and C could have moved all along.
  play_all(game, "231112");
  EXPECT_EQ(game.standing(), Game::Standing::open);
  game.restart();
  for (std::size_t left = game.advice().steps; left > 0; --left) {
    ASSERT_EQ(game.standing(), Game::Standing::open);
    ASSERT_TRUE(game.play(game.advice().next->key));
  }
  EXPECT_EQ(game.standing(), Game::Standing::won);
  EXPECT_TRUE(game.run().loop.has_value());
  EXPECT_TRUE(game.undo());
  EXPECT_EQ(game.standing(), Game::Standing::open);
}

// Hints alone lead a player through every lesson, and no lesson has a move without words.
TEST(Game, EveryScenarioOfTheCatalogueCanBeWonAtPar) {
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    if (entry.slow || entry.expected.outcome != Outcome::violated) continue;
    SCOPED_TRACE(std::string(entry.name));
    const Result<Scenario> scenario = catalogue::build(entry.name, {});
    ASSERT_TRUE(scenario);
    Game game(*scenario, explore(*scenario));
    const std::size_t par = game.best().run.steps.size();
    while (game.standing() == Game::Standing::open && game.run().steps.size() < par) {
      for (const Move& move : game.moves()) EXPECT_FALSE(move.text.empty()) << move.key;
      const Advice advice = game.advice();
      ASSERT_TRUE(advice.next.has_value()) << advice.reason;
      EXPECT_EQ(advice.steps, par - game.run().steps.size());
      ASSERT_TRUE(game.play(advice.next->key));
    }
    EXPECT_EQ(game.standing(), Game::Standing::won) << draw_text(game.run());
    EXPECT_EQ(game.run().faults(), game.best().run.faults());
    for (const std::string& goal : game.goals()) EXPECT_FALSE(goal.empty());
  }
}

// A search from the last state alone would begin another loop.
TEST(Game, AStepThatClosesALoopIsAdvised) {
  int lessons = 0;
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    if (entry.slow || entry.expected.outcome != Outcome::violated) continue;
    const Result<Scenario> scenario = catalogue::build(entry.name, {});
    ASSERT_TRUE(scenario);
    if (!scenario->requires_liveness()) continue;
    SCOPED_TRACE(std::string(entry.name));
    const sim::Run shortest = explore(*scenario).run;
    if (!shortest.loop || *shortest.loop >= shortest.steps.size()) continue;
    ++lessons;
    Game game(*scenario, Verdict());
    for (std::size_t step = 0; step + 1 < shortest.steps.size(); ++step) {
      ASSERT_TRUE(game.play(print_short(shortest.steps[step])));
    }
    const Advice advice = game.advice();
    EXPECT_EQ(advice.steps, 1u);
    ASSERT_TRUE(advice.next.has_value());
    ASSERT_TRUE(game.play(advice.next->key));
    EXPECT_EQ(game.standing(), Game::Standing::won);
  }
  EXPECT_GT(lessons, 3);
}

// In the middle of a run identical clients stand in different places, so it matters which of them
// would wait: here the one that has drawn the second number.
TEST(Game, AnyOfIdenticalClientsMayBeTheOneThatWaits) {
  const Result<Scenario> scenario = catalogue::build("dead-waiter-at-head", {});
  ASSERT_TRUE(scenario);
  const std::vector<std::pair<std::string, std::string>> mirrored{
      {"1", "2"}, {"12", "21"}, {"122", "211"}, {"1x1", "2x2"}, {"1221", "2112"}};
  for (const auto& [second_waits, first_waits] : mirrored) {
    for (const std::string& steps : {second_waits, first_waits}) {
      SCOPED_TRACE(steps);
      Game game(*scenario, Verdict());
      ASSERT_NO_FATAL_FAILURE(play_all(game, steps));
      std::size_t left = game.advice().steps;
      EXPECT_GT(left, 0u);
      for (; left > 0; --left) ASSERT_TRUE(game.play(game.advice().next->key));
      EXPECT_EQ(game.standing(), Game::Standing::won);
    }
  }
}

Task<void> enters_if_first(Client& me) {
  const Result<bool> first = co_await me.store().set_if_absent(Key("lock"), "1");
  if (!first || !*first) co_return;
  static_cast<void>(co_await me.store().get(Key("lock")));
  me.enter("lock");
  co_await me.leave("lock");
}

// A predicate may name one of identical clients, which then cannot be taken for the others.
TEST(Game, APredicateIsNotAskedAboutClientsThatCannotChangePlacesAnyMore) {
  Scenario scenario("first");
  scenario.clients(2, enters_if_first).require(always("A never enters", [](const Snapshot& world) {
    return world.clients[0].inside.empty();
  }));
  Game second(scenario, Verdict());
  ASSERT_NO_FATAL_FAILURE(play_all(second, "2"));
  EXPECT_FALSE(second.advice().next.has_value());
  Game first(scenario, Verdict());
  EXPECT_TRUE(first.advice().next.has_value());
}

TEST(Game, SaysWhichOfSeveralServersIsMeant) {
  const auto texts = [](std::string_view name) {
    const Result<Scenario> scenario = catalogue::build(name, {});
    std::vector<std::string> each;
    const Game game(*scenario, Verdict());
    for (const Move& move : game.moves()) each.push_back(move.text);
    return each;
  };
  EXPECT_THAT(texts("redlock-split"),
              ElementsAre("SETNX lock.foo A#1 on server 1", "SETNX lock.foo B#1 on server 2",
                          "SETNX lock.foo C#1 on server 3"));
  EXPECT_THAT(
      texts("redlock-server-clock-jump"),
      ::testing::IsSupersetOf({"server 1's clock is set forward", "server 2's clock is set forward",
                               "server 3's clock is set forward"}));
}

std::uint32_t line_of_leave = 0;

Task<void> gets_and_leaves(Client& me) {
  const Result<std::optional<std::string>> got = co_await me.store().get(Key("lock"));
  if (!got) co_return;
  me.enter("lock");
  line_of_leave = __LINE__ + 1;
  co_await me.leave("lock");
  co_await me.time().sleep_until(TimePoint::max());
}

TEST(Game, SaysAtWhichLineAClientWaits) {
  Scenario scenario("lines");
  scenario.clients(2, gets_and_leaves).faults(FaultBudget().allow(Fault::crash)).allow_deadlock();
  Game game(scenario, Verdict());
  ASSERT_EQ(game.lines()[1].size(), 1u);
  const std::uint32_t first = game.lines()[1][0].number;
  ASSERT_TRUE(game.play("1"));
  EXPECT_EQ(first, line_of_leave - 4);
  ASSERT_EQ(game.lines()[0].size(), 1u);
  EXPECT_THAT(game.lines()[0][0].file, testing::EndsWith("game_test.cpp"));
  EXPECT_EQ(game.lines()[0][0].number, line_of_leave);
  EXPECT_EQ(game.lines()[1][0].number, first);
  ASSERT_TRUE(game.play("1"));
  EXPECT_EQ(game.lines()[0][0].number, line_of_leave + 1);
  ASSERT_TRUE(game.undo());
  EXPECT_EQ(game.lines()[0][0].number, line_of_leave);
  ASSERT_TRUE(game.play("x1"));
  EXPECT_THAT(game.lines()[0], IsEmpty());
}

RC_GTEST_PROP(GameProperties, NoTwoMovesAreCalledAlike, ()) {
  Game game(with_faults(), Verdict());
  wander(game, 12);
  const std::vector<std::string> all = keys(game);
  RC_ASSERT(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  for (const std::string& key : all) RC_ASSERT(game.first_key(key) == key);
}

RC_GTEST_PROP(GameProperties, TheMovesAreTheAddressOfTheRun, ()) {
  Game game(with_faults(), Verdict());
  wander(game, 20);
  const auto address = parse_short(print_short(game.run()));
  RC_ASSERT(address);
  const auto again = replay(game.scenario(), *address);
  RC_ASSERT(again);
  RC_ASSERT(describe(*again) == describe(game.run()));
}

RC_GTEST_PROP(GameProperties, TakingAStepBackLeavesNoTrace, ()) {
  Game game(with_faults(), Verdict());
  wander(game, 12);
  RC_PRE(!game.moves().empty());
  const std::string before = draw_html(game.run());
  const std::vector<std::string> moves = keys(game);
  const std::size_t pick = *rc::gen::inRange<std::size_t>(0, moves.size());
  RC_ASSERT(game.play(moves[pick]));
  RC_ASSERT(game.undo());
  RC_ASSERT(draw_html(game.run()) == before);
  RC_ASSERT(keys(game) == moves);
}

// Also when a player asks, goes another way, and asks again.
TEST(Game, AdviceFollowsWhoDoesNotFollowIt) {
  Game game(stamp_lock_scenario(TakeOver::del_setnx, 3, 2, 2), Verdict());
  for (int detour = 0; detour < 3; ++detour) {
    const Advice advice = game.advice();
    ASSERT_TRUE(advice.next.has_value());
    const auto other = std::find_if(game.moves().begin(), game.moves().end(),
                                    [&](const Move& one) { return one.key != advice.next->key; });
    ASSERT_NE(other, game.moves().end());
    ASSERT_TRUE(game.play(std::string(other->key)));
  }
  for (std::size_t left = game.advice().steps; left > 0; --left) {
    ASSERT_EQ(game.standing(), Game::Standing::open);
    const Advice advice = game.advice();
    ASSERT_TRUE(advice.next.has_value());
    EXPECT_EQ(advice.steps, left);
    ASSERT_TRUE(game.play(advice.next->key));
  }
  EXPECT_EQ(game.standing(), Game::Standing::won);
}

// From wherever one stands: advice that is followed wins in as many steps as it said, and where
// there is none, whatever one does wins nothing.
RC_GTEST_PROP(GameProperties, AdviceIsTrue, ()) {
  Scenario scenario = stamp_lock_scenario(TakeOver::del_setnx, 3, 2, 2);
  scenario.faults(FaultBudget().allow(Fault::crash).allow(Fault::lost_reply));
  Game game(scenario, Verdict());
  wander(game, 10);
  RC_PRE(!game.moves().empty());
  Advice advice = game.advice();
  if (advice.outcome == Outcome::proved) {
    wander(game, 30);
    RC_ASSERT(game.standing() != Game::Standing::won);
    RC_ASSERT(game.moves().empty() || game.advice().outcome == Outcome::proved);
    return;
  }
  RC_ASSERT(advice.outcome == Outcome::violated);
  for (std::size_t left = advice.steps; left > 0; --left) {
    RC_ASSERT(game.standing() == Game::Standing::open);
    advice = game.advice();
    RC_ASSERT(advice.steps == left);
    RC_ASSERT(advice.next.has_value());
    RC_ASSERT(game.play(advice.next->key));
  }
  RC_ASSERT(game.standing() == Game::Standing::won);
}

}  // namespace
}  // namespace interlock::sim
