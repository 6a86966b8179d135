#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/simulation.hpp"
#include "recorded_runs.hpp"

namespace interlock::sim {
namespace {

using testing::getset_race;
using ::testing::HasSubstr;
using testing::random_run;
using testing::setnx_race;

Remarks setnx_remarks() {
  Remarks remarks;
  remarks.variant = "del+setnx";
  remarks.fix = "make 'see it expired' and 'replace it' one command: GETSET";
  remarks.next = "interlock play setnx-race --variant getset";
  remarks.replay = "interlock replay setnx-race:112211223";
  return remarks;
}

TEST(DrawText, ShowsTheClassicRaceAsTheDocumentationPromises) {
  EXPECT_EQ("\n" + draw_text(setnx_race(), nullptr, setnx_remarks()), R"(
setnx-race · variant del+setnx · 9 steps · VIOLATION
  #    t  C0           C1           C2           C3           lock.foo
──────────────────────────────────────────────────────────────────────────────
  0  100  ✗ crashed    │            │            │            50       expired
  1  100  ╎            │ SETNX→0    │            │            50
  2  100  ╎            │ GET→50     │            │            50
  3  100  ╎            │            │ SETNX→0    │            50
  4  100  ╎            │            │ GET→50     │            50
  5  101  ╎            │ DEL→1      │            │            (none)
  6  101  ╎            ┃ SETNX→1    │            │            112      C1 holds
  7  102  ╎            ┃            │ DEL→1      │            (none)   C1's key!
▶ 8  102  ╎            ┃            ┃ SETNX→1    │            113      2 HOLDERS
  9  103  ╎            ┃            ┃            │ SETNX→0    113      looks ok
──────────────────────────────────────────────────────────────────────────────
✗ step 8: C1 and C2 both hold lock.foo            invariant: mutual exclusion
  why     C2 acted on its GET of step 4; by step 7 the key was C1's
  fix     make 'see it expired' and 'replace it' one command: GETSET
  next    interlock play setnx-race --variant getset
  replay  interlock replay setnx-race:112211223
)");
}

TEST(DrawText, ShowsTheSameWithoutUnicode) {
  TextStyle style;
  style.ascii = true;
  const std::string text = draw_text(setnx_race(), nullptr, setnx_remarks(), style);
  EXPECT_EQ("\n" + text, R"(
setnx-race - variant del+setnx - 9 steps - VIOLATION
  #    t  C0           C1           C2           C3           lock.foo
------------------------------------------------------------------------------
  0  100  X crashed    |            |            |            50       expired
  1  100  :            | SETNX->0   |            |            50
  2  100  :            | GET->50    |            |            50
  3  100  :            |            | SETNX->0   |            50
  4  100  :            |            | GET->50    |            50
  5  101  :            | DEL->1     |            |            (none)
  6  101  :            # SETNX->1   |            |            112      C1 holds
  7  102  :            #            | DEL->1     |            (none)   C1's key!
> 8  102  :            #            # SETNX->1   |            113      2 HOLDERS
  9  103  :            #            #            | SETNX->0   113      looks ok
------------------------------------------------------------------------------
X step 8: C1 and C2 both hold lock.foo            invariant: mutual exclusion
  why     C2 acted on its GET of step 4; by step 7 the key was C1's
  fix     make 'see it expired' and 'replace it' one command: GETSET
  next    interlock play setnx-race --variant getset
  replay  interlock replay setnx-race:112211223
)");
}

TEST(DrawText, ShowsWhoWinsAndWhoLosesWithThreeLanes) {
  Remarks remarks;
  remarks.variant = "getset";
  EXPECT_EQ("\n" + draw_text(getset_race(), nullptr, remarks), R"(
setnx-race · variant getset · 6 steps · unfinished
  #    t  C0               C3               C4               lock.foo
──────────────────────────────────────────────────────────────────────────────
  0  100  ✗ crashed        │                │                50       expired
  1  100  ╎                │ SETNX→0        │                50
  2  100  ╎                │ GET→50         │                50
  3  100  ╎                │                │ SETNX→0        50
  4  100  ╎                │                │ GET→50         50
  5  101  ╎                ┃ GETSET→50      │                112      C3 holds
  6  102  ╎                ┃                │ GETSET→112     113      C4 lost
──────────────────────────────────────────────────────────────────────────────
)");
}

TEST(DrawText, SaysWhetherSomebodyCanStillGoOn) {
  const auto drawn = [](std::size_t steps) {
    return draw_text(run_of_choices(
        catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 1), {}, steps));
  };
  EXPECT_THAT(drawn(2), HasSubstr(" · 2 steps · unfinished"));
  EXPECT_THAT(drawn(1000), HasSubstr(" steps · ok"));
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(DrawText, KeepsEachReplyInFewColumns) {
  const std::string usual = draw_text(setnx_race());
  TextStyle style;
  for (const std::size_t width : {46U, 50U, 60U, 70U}) {
    style.width = width;
    const std::string text = draw_text(setnx_race(), nullptr, {}, style);
    for (const char* reply : {"→0", "→1", "→50"}) {
      EXPECT_EQ(occurrences(text, reply), occurrences(usual, reply)) << text;
    }
  }
}

TEST(DrawText, LeavesNothingOutInManyColumns) {
  TextStyle style;
  for (const std::size_t width : {120U, 200U}) {
    style.width = width;
    const std::string text = draw_text(setnx_race(), nullptr, {}, style);
    EXPECT_THAT(text, HasSubstr("SETNX 112→1"));
    EXPECT_THAT(text, HasSubstr("SETNX 113→1"));
    EXPECT_EQ(occurrences(text, "…"), 0U) << text;
  }
}

Task<void> runs_a_long_command(Client& me) {
  const std::string value = "a-value-that-is-longer-than-its-column";
  static_cast<void>(co_await me.store().set(Key("customers/4711"), value));
  static_cast<void>(co_await me.store().set(Key("customers/4712"), value));
}

TEST(DrawText, ShowsTheWholeStoreIfThereIsRoom) {
  Scenario scenario("long");
  scenario.clients(2, runs_a_long_command).require(never("nothing"));
  Simulation simulation(scenario);
  while (!simulation.choices().empty()) {
    ASSERT_TRUE(simulation.take(simulation.choices().front().code));
  }
  TextStyle style;
  EXPECT_GT(occurrences(draw_text(simulation.run(), nullptr, {}, style), "…"), 0U);
  style.width = 200;
  const std::string text = draw_text(simulation.run(), nullptr, {}, style);
  EXPECT_THAT(text, HasSubstr("SET customers/4711 A#1→OK"));
  EXPECT_EQ(occurrences(text, "…"), 0U) << text;
}

Task<void> writes_with(Client& me, FencingToken token) {
  static_cast<void>(co_await me.write("disk", token));
}

TEST(DrawText, ShowsTheLastDigitsOfALongFencingToken) {
  const auto drawn = [](std::uint64_t token, bool ascii) {
    Scenario scenario("writes");
    scenario.client([token](Client& me) { return writes_with(me, FencingToken(token)); })
        .require(never("nothing"));
    TextStyle style;
    style.ascii = ascii;
    return draw_text(run_of_choices(scenario, {}), nullptr, {}, style);
  };
  EXPECT_THAT(drawn(42, false), HasSubstr("write #42→ok"));
  EXPECT_THAT(drawn(std::uint64_t{1} << 63, false), HasSubstr("write #…036854775808→ok"));
  EXPECT_THAT(drawn(std::uint64_t{1} << 63, true), HasSubstr("write #~36854775808->ok"));
}

TEST(DrawText, KeepsCommandsWholeOnOneLine) {
  Remarks remarks;
  remarks.next = "interlock explore " + std::string(300, 'n');
  remarks.replay = "interlock replay " + std::string(300, 'r') + " " + std::string(100, 's');
  TextStyle style;
  for (const bool ascii : {false, true}) {
    style.ascii = ascii;
    const std::string text = draw_text(setnx_race(), nullptr, remarks, style);
    EXPECT_NE(text.find("\n  next    " + remarks.next + "\n"), text.npos) << text;
    EXPECT_NE(text.find("\n  replay  " + remarks.replay + "\n"), text.npos) << text;
  }
  EXPECT_NE(draw_svg(setnx_race(), nullptr, remarks).find(">" + remarks.replay + "<"),
            std::string::npos);
  EXPECT_NE(draw_html(setnx_race(), nullptr, remarks).find(">" + remarks.replay + "<"),
            std::string::npos);
}

// Columns of a terminal; the texts of random_run() hold nothing wider than their listed widths.
std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if ((byte & 0xC0U) == 0x80U) continue;
    count += line.compare(at, 3, "鍵") == 0 ? 2 : 1;
  }
  return count;
}

std::string longest_line(const std::string& text) {
  std::string longest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (columns(line) > columns(longest)) longest = line;
    at = end + 1;
  }
  return longest;
}

Run any_run() {
  return random_run([](std::size_t bound) { return *rc::gen::inRange<std::size_t>(0, bound); });
}

Verdict any_verdict() {
  Verdict verdict;
  verdict.outcome = static_cast<Outcome>(*rc::gen::inRange(0, 4));
  verdict.bounds = *rc::gen::element<std::string>("2 clients, 3 instants", std::string(100, 'y'));
  verdict.reason = verdict.bounds;
  return verdict;
}

RC_GTEST_PROP(DrawText, NoLineButACommandIsEverLongerThanItsWidth, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(40, 220);
  const sim::Run run = any_run();
  const Verdict verdict = any_verdict();
  Remarks remarks = setnx_remarks();
  remarks.replay = *rc::gen::element<std::string>("interlock replay x", std::string(150, 'r'));
  const auto commands = {"  replay  " + remarks.replay + "\n", "  next    " + remarks.next + "\n"};
  for (const bool ascii : {false, true}) {
    TextStyle style;
    style.ascii = ascii;
    style.width = width;
    for (const Verdict* given : {&verdict, static_cast<const Verdict*>(nullptr)}) {
      std::string text = draw_text(run, given, remarks, style);
      for (const std::string& command : commands) {
        const std::size_t at = text.find(command);
        RC_ASSERT(at != std::string::npos);
        text.erase(at, command.size());
      }
      RC_ASSERT(columns(longest_line(text)) <= width);
    }
  }
}

RC_GTEST_PROP(DrawText, AsciiIsAsciiAndNothingSteersTheTerminal, ()) {
  const sim::Run run = any_run();
  TextStyle style;
  style.ascii = true;
  for (const char byte : draw_text(run, nullptr, {}, style)) {
    RC_ASSERT(byte == '\n' || (byte >= ' ' && byte < 0x7F));
  }
  style.ascii = false;
  for (const char byte : draw_text(run, nullptr, {}, style)) {
    RC_ASSERT(byte == '\n' || static_cast<unsigned char>(byte) >= ' ');
  }
}

TEST(DrawText, ColourAddsAndCarriesNothing) {
  TextStyle style;
  style.colour = true;
  std::string text = draw_text(setnx_race(), nullptr, setnx_remarks(), style);
  EXPECT_NE(text.find("\x1b[31m"), std::string::npos);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  EXPECT_EQ(text, draw_text(setnx_race(), nullptr, setnx_remarks()));
}

TEST(DrawText, FoldsQuietStretchesOfLongRuns) {
  sim::Run run = getset_race();
  const RunStep quiet = run.steps[1];
  run.steps.insert(run.steps.begin() + 2, 212, quiet);
  const std::string text = draw_text(run);
  EXPECT_NE(text.find("⋮ 21"), std::string::npos) << text;
  EXPECT_NE(text.find("steps, no change of holder"), std::string::npos) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20) << text;
  EXPECT_NE(text.find("C3 holds"), std::string::npos) << text;
}

TEST(DrawText, FoldsClientsWithoutAStepBeyondSixLanes) {
  sim::Run run = setnx_race();
  for (const char* name : {"C4", "C5", "C6", "C7"}) {
    run.clients.emplace_back(name);
    ClientView view;
    view.name = name;
    view.status = ClientView::Status::running;
    run.before.clients.push_back(view);
    for (RunStep& step : run.steps) step.after.clients.push_back(view);
  }
  const std::string text = draw_text(run);
  EXPECT_NE(text.find("… +5"), std::string::npos) << text;
  EXPECT_NE(text.find("▶ 8"), std::string::npos) << text;
  EXPECT_NE(text.find("C3"), std::string::npos) << text;
}

Task<void> takes_two_locks(Client& me) {
  const std::string value = "1";
  for (const char* name : {"outer", "inner"}) {
    static_cast<void>(co_await me.store().set(Key(name), value));
    me.enter(name);
  }
  co_await me.leave("inner");
  co_await me.leave("outer");
}

// Not the first that anybody took.
TEST(DrawText, ShowsTheLockThatIsBroken) {
  Scenario scenario("two locks");
  scenario.clients(2, takes_two_locks).require(mutual_exclusion("inner"));
  const std::string text = draw_text(explore(scenario).run, nullptr, Remarks());
  EXPECT_NE(text.find("A and B both hold inner"), std::string::npos) << text;
}

Task<void> counts_itself_in(Client& me) {
  static_cast<void>(co_await me.store().increment(Key("pool")));
  static_cast<void>(co_await me.store().get(Key("pool")));
  me.enter("pool");
  co_await me.leave("pool");
}

// A client that raises a count takes no key away from those that raised it before.
TEST(DrawText, SaysOfNoCountWhoseKeyItIs) {
  Scenario scenario("count");
  scenario.clients(2, counts_itself_in).require(mutual_exclusion("pool"));
  const std::string text = draw_text(explore(scenario).run, nullptr, Remarks());
  EXPECT_NE(text.find("A and B both hold pool"), std::string::npos) << text;
  EXPECT_EQ(text.find("took away"), std::string::npos) << text;
}

TEST(DrawText, GivesOwnerTokensNames) {
  sim::Run run = getset_race();
  for (RunStep& step : run.steps) {
    if (step.operation->kind == OperationKind::exchange) {
      const std::string old = step.operation->value;
      step.operation->value = "il1:Zm9vYmFyYmF6cXV4" + old;
      step.after.keys[0].value = step.operation->value;
    }
  }
  const std::string text = draw_text(run);
  EXPECT_NE(text.find("C3#1"), std::string::npos) << text;
  EXPECT_NE(text.find("C4#1"), std::string::npos) << text;
  EXPECT_EQ(text.find("il1:"), std::string::npos) << text;
}

TEST(DrawText, SaysWhatWasProved) {
  const Verdict verdict =
      explore(catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 1));
  const std::string text = draw_text(verdict.run, &verdict);
  EXPECT_EQ(text.find("stamp-lock · ok\n✓ no run breaks it: 2 identical clients"), 0U) << text;
}

}  // namespace
}  // namespace interlock::sim
