// What a search takes for granted of scripts: that they do the same for identical clients, and at
// any time where time has no end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "interlock/sim/bitstate_search.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/store/script.hpp"

namespace interlock::sim {
namespace {

using std::chrono_literals::operator""ms;
using ::testing::Contains;
using ::testing::HasSubstr;

const Key lock("lock");
using Keys = std::vector<Key>;
using Texts = std::vector<std::string>;

Value number(std::int64_t value) {
  return Value(value);
}

// The greater token takes the lock, also from another.
Reply greater_takes(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto held = space.find(keys[0]);
  if (held && held->value >= texts[0]) return number(0);
  space.put(keys[0], Entry(texts[0]));
  return number(1);
}
const Script greater("greater", "return 0", greater_takes);

// As SET NX, and a message for all: compares nothing but whether the key is there.
Reply first_takes(Keyspace& space, const Keys& keys, const Texts& texts) {
  if (space.find(keys[0])) return number(0);
  space.put(keys[0], Entry(texts[0]));
  space.publish(Channel("taken"), texts[0]);
  return number(1);
}
const Script first("first", "return 0", first_takes);

// Leaves the greater of two tokens, and answers nothing of it.
Reply greater_is_left(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto held = space.find(keys[0]);
  space.put(keys[0], Entry(held ? std::max(held->value, texts[0]) : texts[0]));
  return number(0);
}
const Script leaving("leaving", "return 0", greater_is_left);

// Refuses the greater of two tokens by an error that names it, and changes nothing.
Reply greater_is_an_error(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto held = space.find(keys[0]);
  if (!held) return first_takes(space, keys, texts);
  return Error(Errc::rejected, "ERR " + std::max(held->value, texts[0]));
}
const Script refusing("refusing", "return 0", greater_is_an_error);

// Refuses with an error that names the holder.
Reply holder_is_an_error(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto held = space.find(keys[0]);
  if (!held) return first_takes(space, keys, texts);
  return Error(Errc::rejected, "ERR held by " + held->value);
}
const Script held_by("held_by", "return 0", holder_is_an_error);

// Answers which of two tokens is greater, and changes nothing by it.
Reply greater_is_answered(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto held = space.find(keys[0]);
  if (!held) return first_takes(space, keys, texts);
  return number(held->value > texts[0] ? 2 : 3);
}
const Script answering("answering", "return 0", greater_is_answered);

// Tells everybody the smaller of two tokens, and changes nothing by it.
Reply smaller_is_told(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto held = space.find(keys[0]);
  if (!held) return first_takes(space, keys, texts);
  space.publish(Channel("smaller"), std::min(held->value, texts[0]));
  return number(0);
}
const Script smaller("smaller", "return 0", smaller_is_told);

Task<void> visits(Client& me, const Script* script) {
  const OwnerToken owner = me.tokens().fresh();
  const Result<Value> taken = co_await me.store().run(*script, lock, owner.text());
  if (!taken || *taken != number(1)) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

Scenario visit(const Script& script, std::size_t clients = 2) {
  Scenario scenario("visit");
  scenario.clients(clients, [&script](Client& me) { return visits(me, &script); });
  return scenario.require(mutual_exclusion("lock"));
}

constexpr const char* told_apart = " does something else for one of two identical clients";

TEST(ScriptCheck, AScriptThatOrdersTokensTellsClientsApart) {
  for (const std::size_t clients : {2U, 3U}) {
    const Verdict verdict = explore(visit(greater, clients));
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("the script 'greater'" + std::string(told_apart)));
  }
  Scenario apart = visit(greater);
  apart.symmetry(false);
  EXPECT_EQ(explore(apart).outcome, Outcome::violated);
}

void expect_told_apart(const Script& script) {
  const Verdict verdict = explore(visit(script));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr(told_apart));
}

TEST(ScriptCheck, WhatIsLeftTellsClientsApart) {
  expect_told_apart(leaving);
}
TEST(ScriptCheck, AnAnswerTellsClientsApart) {
  expect_told_apart(answering);
}
TEST(ScriptCheck, AMessageTellsClientsApart) {
  expect_told_apart(smaller);
}

TEST(ScriptCheck, AnErrorTellsClientsApart) {
  expect_told_apart(refusing);
}

TEST(ScriptCheck, AScriptThatComparesForEqualityDoesNot) {
  EXPECT_EQ(explore(visit(first, 3)).outcome, Outcome::proved);
  EXPECT_EQ(explore(visit(held_by, 3)).outcome, Outcome::proved);
}

TEST(ScriptCheck, IsMadeByEverySearch) {
  BitstateSearch bits;
  bits.memory = 1 << 16;
  EXPECT_EQ(search_bitstate(visit(greater), bits).verdict.outcome, Outcome::invalid);
  RandomSearch random;
  random.runs = 100;
  EXPECT_EQ(search_at_random(visit(greater), random).verdict.outcome, Outcome::invalid);
}

// Counts its calls.
Reply every_second_fails(Keyspace& space, const Keys& keys, const Texts& texts) {
  static int calls = 0;
  return ++calls % 2 == 0 ? number(0) : first_takes(space, keys, texts);
}
const Script counting("counting", "return 0", every_second_fails);

TEST(ScriptCheck, AScriptThatRemembersIsNoScript) {
  const Verdict verdict = explore(visit(counting));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason,
              HasSubstr("the script 'counting' does something else when it is run again"));
}

// Remembers the first token, so that it does the same however often it is run again with it.
Reply first_token_fails(Keyspace& space, const Keys& keys, const Texts& texts) {
  static const std::string remembered = texts[0];
  static int calls = 0;
  if (texts[0] == remembered && ++calls % 5 != 0) return number(0);
  return first_takes(space, keys, texts);
}
const Script seldom("seldom", "return 0", first_token_fails);

TEST(ScriptCheck, AScriptThatRemembersIsNotSaidToTellClientsApart) {
  const Verdict verdict = explore(visit(seldom));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason,
              HasSubstr("the script 'seldom' does something else when it is run again"));
}

// The end of a lease stands in the value, by the server's clock.
Reply stamp_takes(Keyspace& space, const Keys& keys, const Texts& texts) {
  const auto now =
      std::chrono::floor<std::chrono::milliseconds>(space.now().time_since_epoch()).count();
  const auto held = space.find(keys[0]);
  if (held && std::stoll(held->value) > now) return number(0);
  space.put(keys[0], Entry(std::to_string(now + std::stoll(texts[0]))));
  return number(1);
}
const Script stamp("stamp", "return 0", stamp_takes);

// Answers nothing of the time.
Reply time_is_left(Keyspace& space, const Keys& keys, const Texts&) {
  space.put(keys[0], Entry(std::to_string(space.now().time_since_epoch().count())));
  return number(1);
}
const Script timing("timing", "return 0", time_is_left);

// Grants a lock that another holds once in a while.
std::int64_t unit = 1;     // seconds
std::int64_t once_in = 0;  // units
Reply takes_over_at_times(Keyspace& space, const Keys& keys, const Texts&) {
  const auto second =
      std::chrono::floor<std::chrono::seconds>(space.now().time_since_epoch()).count();
  if (space.find(keys[0]) && second / unit % once_in != once_in - 1) return number(0);
  space.put(keys[0], Entry("held"));
  return number(1);
}
const Script at_times("at_times", "return 0", takes_over_at_times);

// The key expires.
Reply lease_takes(Keyspace& space, const Keys& keys, const Texts& texts) {
  if (space.find(keys[0])) return number(0);
  const auto now =
      std::chrono::floor<std::chrono::milliseconds>(space.now().time_since_epoch()).count();
  Entry entry("held");
  entry.expiry = std::chrono::milliseconds(now + std::stoll(texts[0]));
  space.put(keys[0], std::move(entry));
  return number(1);
}
const Script lease("lease", "return 0", lease_takes);

Task<void> believes(Client& me, const Script* script, Duration belief) {
  const TimePoint start = me.time().now();
  const std::string ttl = "1000";
  const Result<Value> taken = co_await me.store().run(*script, lock, ttl);
  if (!taken || *taken != number(1)) co_return;
  me.enter("lock", {}, start + belief);
  co_await me.leave("lock");
}

Scenario leases(const Script& script, Duration belief) {
  Scenario scenario("leases");
  scenario.clients(2, [&script, belief](Client& me) { return believes(me, &script, belief); });
  return scenario.instants(5).require(lease_exclusion("lock"));
}

void expect_to_need_an_end_of_time(Scenario scenario, const std::string& script) {
  const Verdict verdict = explore(scenario.time_without_end());
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr(script + "' does something else at another time"));
}

TEST(ScriptCheck, AScriptThatKeepsTimesNeedsAnEndOfTime) {
  EXPECT_EQ(explore(leases(stamp, 2000ms)).outcome, Outcome::violated);
  expect_to_need_an_end_of_time(leases(stamp, 2000ms), "stamp");
}
TEST(ScriptCheck, ATimeThatIsLeftNeedsAnEndOfTime) {
  expect_to_need_an_end_of_time(leases(timing, 1000ms), "timing");
}

TEST(ScriptCheck, AScriptThatCountsInstantsNeedsAnEndOfTime) {
  unit = 1;
  for (const std::int64_t instants : {2, 7, 11, 60, 997}) {
    once_in = instants;
    SCOPED_TRACE(instants);
    expect_to_need_an_end_of_time(leases(at_times, 1000ms), "at_times");
  }
}
TEST(ScriptCheck, TheHourOfTheDayNeedsAnEndOfTime) {
  unit = 3600;
  once_in = 24;
  expect_to_need_an_end_of_time(leases(at_times, 1000ms), "at_times");
}
TEST(ScriptCheck, ADayNeedsAnEndOfTime) {
  unit = 24 * 3600;
  for (const std::int64_t days : {7, 31, 365}) {
    once_in = days;
    SCOPED_TRACE(days);
    expect_to_need_an_end_of_time(leases(at_times, 1000ms), "at_times");
  }
}

TEST(ScriptCheck, AKeyThatExpiresNeedsNone) {
  Scenario sound = leases(lease, 1000ms);
  sound.time_without_end();
  const Verdict proved = explore(sound);
  EXPECT_EQ(proved.outcome, Outcome::proved) << describe(proved);
  EXPECT_THAT(proved.trusts,
              Contains("the script 'lease' does the same at any time (a sample compared)"));
  // It is there for the whole millisecond in which it ends, and so at the next instant.
  Scenario broken = leases(lease, 3000ms);
  EXPECT_EQ(explore(broken).outcome, Outcome::violated) << describe(explore(broken));
  broken.time_without_end();
  EXPECT_EQ(explore(broken).outcome, Outcome::violated) << describe(explore(broken));
}

}  // namespace
}  // namespace interlock::sim
