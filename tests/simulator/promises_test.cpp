// A search merges states because of promises: that a program's past does not matter at a loop head,
// that identical clients do the same, that only differences of times count, that a program is
// deterministic. It must notice a program that breaks one, however rarely that shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Key lock("lock");

Scenario two(Program program) {
  Scenario scenario("promises");
  scenario.clients(2, std::move(program)).require(mutual_exclusion("lock"));
  return scenario;
}

// --- merged pasts --------------------------------------------------------------------------------

enum class Promise : std::uint8_t { none, loop_head, remembers };

// A client that runs out of patience: after so many refusals it takes the lock by force.
class Patience {
 public:
  int limit = 1;
  Promise promise = Promise::loop_head;
  bool tells = false;
  bool counts_every_other = false;
};

Task<void> waits_with(Client& me, Patience patience) {
  const OwnerToken token = me.tokens().fresh();
  int refused = 0;
  const bool tells = patience.tells;
  if (patience.promise == Promise::remembers) {
    me.remembers([&refused, tells] { return std::vector<std::int64_t>{tells ? refused : 0}; });
  }
  for (int round = 0;; ++round) {
    if (patience.promise == Promise::loop_head) co_await me.loop_head(tells ? refused : 0);
    const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
    if (taken && *taken) break;
    if (patience.counts_every_other) {
      const Result<std::optional<std::string>> holder = co_await me.store().get(lock);
      if (holder && !*holder) continue;
    }
    if (++refused == patience.limit) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().release(lock, token));
}

class Refusals : public ::testing::TestWithParam<Promise> {};

TEST_P(Refusals, ThatAreCountedButNotDeclaredAreNoticed) {
  for (int limit = 2; limit <= 256; limit += limit < 70 ? 1 : 31) {
    for (const bool every_other : {false, true}) {
      Patience patience;
      patience.limit = limit;
      patience.promise = GetParam();
      patience.counts_every_other = every_other;
      const Verdict verdict = explore(two([=](Client& me) { return waits_with(me, patience); }));
      ASSERT_EQ(verdict.outcome, Outcome::invalid) << limit << describe(verdict);
      EXPECT_THAT(verdict.reason, AllOf(HasSubstr("client A: state not captured at "),
                                        HasSubstr("add the variable")));
    }
  }
}

TEST_P(Refusals, ThatAreCountedAndDeclaredAreFine) {
  Patience patience;
  patience.limit = 10;
  patience.promise = GetParam();
  patience.tells = true;
  const Verdict verdict = explore(two([=](Client& me) { return waits_with(me, patience); }));
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

TEST_P(Refusals, ThatDecideNothingNeedNotBeDeclared) {
  Patience patience;
  patience.limit = std::numeric_limits<int>::max();
  patience.promise = GetParam();
  const Verdict verdict = explore(two([=](Client& me) { return waits_with(me, patience); }));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  const std::string promise = GetParam() == Promise::loop_head ? "loop_head" : "remembers";
  EXPECT_THAT(verdict.trusts,
              ElementsAre(promise + " holds all that rounds of A, B need (256 rounds compared)"));
  EXPECT_THAT(describe(verdict), HasSubstr("trusts: " + promise + " holds all"));
}

INSTANTIATE_TEST_SUITE_P(Promises,
                         Refusals,
                         ::testing::Values(Promise::loop_head, Promise::remembers));

// Runs out of patience when it has read the key as often as it has tried to take it.
Task<void> counts_both_ways(Client& me, int limit) {
  const OwnerToken token = me.tokens().fresh();
  int free = 0;
  int held = 0;
  for (;;) {
    co_await me.loop_head();
    const Result<std::optional<std::string>> holder = co_await me.store().get(lock);
    ++(holder && *holder ? held : free);
    if (free >= limit && held >= limit) break;
    if (!holder || *holder) continue;
    const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
    if (taken && *taken) break;
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().release(lock, token));
}

TEST(Promises, RoundsThatMustAlternateAreTaken) {
  for (const int limit : {2, 5, 12, 20}) {
    const Verdict verdict = explore(two([=](Client& me) { return counts_both_ways(me, limit); }));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << limit << describe(verdict);
  }
}

// What it saw before the loop decides what it does long after the loop.
Task<void> acts_on_what_it_saw(Client& me, int later) {
  const Result<std::optional<std::string>> seen = co_await me.store().get(lock);
  const bool was_held = seen && *seen;
  co_await me.loop_head();
  for (int left = later; left > 0; --left) {
    static_cast<void>(co_await me.store().increment(Key("n" + std::to_string(left))));
  }
  if (was_held) me.reach("it was held");
  static_cast<void>(co_await me.store().get(lock));
}
Task<void> holds(Client& me) {
  static_cast<void>(co_await me.store().set(lock, "1"));
}

TEST(Promises, AValueFromBeforeALoopHeadIsNoticedIfItMattersLongAfterIt) {
  for (const int later : {0, 1, 5, 20, 100, 400}) {
    Scenario scenario("later");
    scenario.client([=](Client& me) { return acts_on_what_it_saw(me, later); })
        .client(holds)
        .require(never("nothing"))
        .sometimes("it was held");
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << later << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("state not captured at loop_head"));
  }
}

// Gives up waiting at a time that it does not declare.
Task<void> waits_until(Client& me, Duration patience, bool tells) {
  const OwnerToken token = me.tokens().fresh();
  const TimePoint end = me.time().now() + patience;
  for (;;) {
    co_await me.loop_head(tells ? end.time_since_epoch().count() : 0);
    const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
    if (taken && *taken) break;
    const TimePoint now = me.time().now();
    if (now >= end) break;
    co_await me.time().sleep_until(now + seconds{1});
  }
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().release(lock, token));
}

TEST(Promises, ATimeThatIsNotDeclaredIsNoticed) {
  for (const int patience : {1, 3, 6}) {
    const auto searched = [&](bool tells) {
      Scenario scenario =
          two([=](Client& me) { return waits_until(me, seconds{patience}, tells); });
      return explore(scenario.instants(8));
    };
    EXPECT_EQ(searched(false).outcome, Outcome::invalid) << patience;
    EXPECT_EQ(searched(true).outcome, Outcome::violated) << patience;
  }
}

// --- clients that are said to be identical -------------------------------------------------------

enum class Uses : std::uint8_t {
  greater,       // the greater token wins
  letter,        // only the client's letter is stored
  hash,          // a number made of the token is stored
  reversed,      // the token backwards is stored
  parity,        // some of them ask first, others do not
  as_it_should,  // the token is stored as it is
};

Task<void> goes_by_its_token(Client& me, Uses uses) {
  const OwnerToken token = me.tokens().fresh();
  const std::string text = token.text();
  const auto mark = static_cast<std::ptrdiff_t>(OwnerToken::mark.size());
  std::string mine = text;
  if (uses == Uses::letter) mine = text.substr(OwnerToken::mark.size(), 1);
  if (uses == Uses::hash) mine = std::to_string(std::hash<std::string>{}(text) % 1000);
  if (uses == Uses::reversed) mine = std::string(text.rbegin(), text.rend());
  if (uses == Uses::parity && *(text.begin() + mark) % 2 == 0) {
    static_cast<void>(co_await me.store().get(lock));
  }
  const Result<std::optional<std::string>> before = co_await me.store().exchange(lock, mine);
  if (!before) co_return;
  const bool wins = uses == Uses::greater ? !*before || **before < mine : !*before;
  if (!wins) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

Verdict together(Uses uses, std::size_t clients = 2) {
  Scenario scenario("together");
  scenario.clients(clients, [uses](Client& me) { return goes_by_its_token(me, uses); })
      .require(mutual_exclusion("lock"));
  return explore(scenario);
}
Verdict told_apart(Uses uses) {
  Scenario scenario("apart");
  scenario.clients(2, [uses](Client& me) { return goes_by_its_token(me, uses); })
      .symmetry(false)
      .require(mutual_exclusion("lock"));
  return explore(scenario);
}
Verdict one_by_one(Uses uses) {
  Scenario scenario("one by one");
  scenario.client([uses](Client& me) { return goes_by_its_token(me, uses); })
      .client([uses](Client& me) { return goes_by_its_token(me, uses); })
      .require(mutual_exclusion("lock"));
  return explore(scenario);
}

class Tokens : public ::testing::TestWithParam<Uses> {};

TEST_P(Tokens, TellIdenticalClientsApart) {
  for (const std::size_t clients : {2U, 3U}) {
    const Verdict verdict = together(GetParam(), clients);
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, AnyOf(HasSubstr("is not identical to client A"),
                                      HasSubstr("tells the others apart"),
                                      HasSubstr("not identical to the others")));
    EXPECT_THAT(verdict.reason, HasSubstr("for equality only"));
  }
}

TEST_P(Tokens, AreEachClientsOwnWithoutSymmetry) {
  const Verdict apart = told_apart(GetParam());
  const Verdict single = one_by_one(GetParam());
  EXPECT_EQ(apart.outcome, single.outcome) << describe(apart) << describe(single);
  EXPECT_EQ(apart.states, single.states);
  EXPECT_EQ(apart.run.steps.size(), single.run.steps.size());
}

INSTANTIATE_TEST_SUITE_P(
    Promises,
    Tokens,
    ::testing::Values(Uses::greater, Uses::letter, Uses::hash, Uses::reversed, Uses::parity));

TEST(Promises, ComparingTokensByOrderIsAViolationWhereClientsAreToldApart) {
  EXPECT_EQ(told_apart(Uses::greater).outcome, Outcome::violated);
}

TEST(Promises, ClientsThatCompareForEqualityAloneAreIdenticalAndNothingIsTrusted) {
  for (const std::size_t clients : {2U, 3U, 4U}) {
    const Verdict verdict = together(Uses::as_it_should, clients);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
    EXPECT_THAT(verdict.trusts, IsEmpty()) << clients;
  }
  EXPECT_EQ(told_apart(Uses::as_it_should).outcome, Outcome::proved);
}

// Lets the smaller one of two others go first; its own token does not matter for that.
Task<void> ranks_others(Client& me) {
  const OwnerToken token = me.tokens().fresh();
  const Key first("first");
  const Result<std::optional<std::string>> one = co_await me.store().exchange(lock, token.text());
  if (!one || !*one || **one == token.text()) co_return;
  const Result<std::optional<std::string>> other = co_await me.store().exchange(first, **one);
  if (!other || !*other || **other == token.text() || **other == **one) co_return;
  if (**other < **one) {
    me.enter("lock");
    co_await me.leave("lock");
  }
}

TEST(Promises, AClientThatRanksTheOthersIsNotIdentical) {
  Scenario scenario("ranks");
  scenario.clients(3, ranks_others).require(never("nothing"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
}

// A key of its own, named after the client's token.
Task<void> has_a_key_of_its_own(Client& me) {
  const OwnerToken token = me.tokens().fresh();
  const Key mine("flag:" + token.text());
  const Result<bool> raised = co_await me.store().set_if_absent(mine, "1");
  if (raised && !*raised) me.reach("somebody else has my key");
  const Channel channel("ear:" + token.text());
  static_cast<void>(co_await me.store().publish(channel, "x"));
  static_cast<void>(co_await me.store().erase(mine));
}

TEST(Promises, KeysThatHoldATokenAreTheirOwners) {
  for (const bool symmetry : {true, false}) {
    Scenario scenario("keys");
    scenario.clients(3, has_a_key_of_its_own)
        .symmetry(symmetry)
        .require(never("somebody else has my key"));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  }
}

Task<void> enters_by_name(Client& me, bool reaches) {
  const OwnerToken token = me.tokens().fresh();
  static_cast<void>(co_await me.store().get(lock));
  if (reaches) me.reach("it was " + token.text());
  me.enter(reaches ? "lock" : "lock of " + token.text());
}

TEST(Promises, NamesOfSectionsAndGoalsHoldNoTokens) {
  for (const bool reaches : {true, false}) {
    const Verdict verdict = explore(two([=](Client& me) { return enters_by_name(me, reaches); }));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    const char* const said =
        reaches ? "which the scenario does not name" : "is the name of a section";
    EXPECT_THAT(verdict.reason, HasSubstr(said));
  }
}

// --- time without end ----------------------------------------------------------------------------

Task<void> asks_the_clock(Client& me, std::function<bool(TimePoint)> bad) {
  static_cast<void>(co_await me.store().get(lock));
  if (bad(me.time().now())) me.reach("bad");
}

Verdict clock_of(std::function<bool(TimePoint)> bad, bool endless, Duration apart = seconds{1}) {
  Scenario scenario("clock");
  scenario.client([bad](Client& me) { return asks_the_clock(me, bad); })
      .instants(endless ? 2 : 14, apart)
      .require(never("bad"));
  if (endless) scenario.time_without_end();
  return explore(scenario);
}

Task<void> believes_and_goes_round(Client& me) {
  int at = 0;
  me.remembers([&at] { return std::vector<std::int64_t>{at}; });
  me.enter("lock", FencingToken(), me.time().now() + milliseconds{500});
  at = 1;
  co_await me.loop_head(at);
  static_cast<void>(co_await me.store().erase(lock));
}

// A repeated run goes through the loop head in one step, in which it has read its clock.
TEST(Promises, AClockThatIsReadBeforeALoopHeadIsNoDifference) {
  Scenario scenario("clock before a loop head");
  scenario.client([](Client& me) { return believes_and_goes_round(me); }).require(no_deadlock());
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << verdict.reason;
}

TEST(Promises, WithoutAnEndTheTimeItselfIsNeitherProofNorViolation) {
  const auto early = [](TimePoint now) { return now < TimePoint(seconds{10}); };
  const auto late = [](TimePoint now) { return now >= TimePoint(seconds{10}); };
  const auto far = [](TimePoint now) { return now >= TimePoint(std::chrono::hours{24 * 365}); };
  const auto odd = [](TimePoint now) { return now.time_since_epoch() / seconds{1} % 2 == 1; };
  EXPECT_EQ(clock_of(early, false).outcome, Outcome::violated);
  EXPECT_EQ(clock_of(odd, false).outcome, Outcome::violated);
  const std::vector<std::function<bool(TimePoint)>> all{early, late, far, odd};
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Verdict verdict = clock_of(all[at], true);
    EXPECT_EQ(verdict.outcome, Outcome::incomplete) << at << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("time has no end, and client A needs more of its clock"));
  }
}

// Two readings rounded down: their difference depends on where in a second the first one is.
Task<void> rounds_its_clock(Client& me, bool rounds) {
  const auto read = [&me, rounds] {
    const TimePoint now = me.time().now();
    return rounds ? TimePoint(std::chrono::floor<seconds>(now.time_since_epoch())) : now;
  };
  const TimePoint before = read();
  static_cast<void>(co_await me.store().get(lock));
  if (read() - before >= seconds{1}) me.reach("long");
  me.reach("done");
}

Verdict rounding(bool rounds, std::optional<Duration> longest) {
  Scenario scenario("rounding");
  scenario.client([rounds](Client& me) { return rounds_its_clock(me, rounds); })
      .instants(2, milliseconds{400})
      .time_without_end()
      .require(never("nothing"))
      .sometimes("long")
      .sometimes("done");
  if (longest) scenario.time_without_end(*longest);
  return explore(scenario);
}

TEST(Promises, WithoutAnEndRoundedTimesAreNoDifferences) {
  const Verdict rounded = rounding(true, seconds{5});
  EXPECT_EQ(rounded.outcome, Outcome::incomplete) << describe(rounded);
  const Verdict plain = rounding(false, seconds{5});
  EXPECT_EQ(plain.outcome, Outcome::proved) << describe(plain);
  EXPECT_THAT(plain.trusts, Contains("clock differences of A"));
}

// Nothing lasts a second here but what the program compares, which no search sees by itself.
TEST(Promises, WithoutAnEndALengthThatIsOnlyComparedMustBeDeclared) {
  const Verdict verdict = rounding(false, std::nullopt);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("give Scenario::time_without_end() the longest"));
}

// The search sees everything that a clock decides, and not only waits.
enum class Decides : std::uint8_t { section, choice, end, value };
Task<void> decides_by_time(Client& me, Decides decides) {
  const TimePoint before = me.time().now();
  static_cast<void>(co_await me.store().get(lock));
  const bool long_ago = me.time().now() - before > seconds{8};
  if (decides == Decides::section && long_ago) me.enter("lock");
  if (decides == Decides::choice && me.choose(long_ago ? 3 : 2) == 2) me.enter("lock");
  if (decides == Decides::end && long_ago) co_return;
  const std::string value = decides == Decides::value && long_ago ? "1" : "0";
  static_cast<void>(co_await me.store().set(lock, value));
}

TEST(Promises, WithoutAnEndDifferencesBeyondTheLongestAreAlike) {
  for (const Decides decides : {Decides::section, Decides::choice, Decides::end, Decides::value}) {
    Scenario scenario("long ago");
    scenario.client([decides](Client& me) { return decides_by_time(me, decides); })
        .instants(2)
        .time_without_end(seconds{3})
        .require(never("nothing"));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::incomplete)
        << static_cast<int>(decides) << describe(verdict);
  }
}

// --- the same again ------------------------------------------------------------------------------

enum class Source : std::uint8_t { generator, counter, shared };

Task<void> is_fickle(Client& me, Source source, std::shared_ptr<int> shared) {
  static std::mt19937 generator(12345);
  static int count = 0;
  const OwnerToken token = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
  const bool mine = taken && *taken;
  bool enters = mine;
  if (source == Source::generator && generator() % 7 == 0) enters = true;
  if (source == Source::counter && ++count % 50 == 0) enters = true;
  if (source == Source::shared && std::exchange(*shared, mine ? 1 : 0) == 1) enters = true;
  if (!enters) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(Promises, AProgramThatIsNotDeterministicIsNoticedHoweverRarelyItShows) {
  for (const Source source : {Source::generator, Source::counter, Source::shared}) {
    const auto shared = std::make_shared<int>(0);
    const Verdict verdict = explore(two([=](Client& me) { return is_fickle(me, source, shared); }));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << static_cast<int>(source) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("not deterministic"));
  }
}

TEST(Promises, OfRunsByChanceAreCheckedToo) {
  Patience patience;
  patience.limit = 40;
  RandomSearch how;
  how.runs = 50;
  const RandomVerdict found =
      search_at_random(two([=](Client& me) { return waits_with(me, patience); }), how);
  EXPECT_EQ(found.verdict.outcome, Outcome::invalid) << describe(found.verdict);
}

}  // namespace
}  // namespace interlock::sim
