// Identical clients are taken as one another: whatever names a client, or belongs to one, must go
// along when two of them change places. Each of these programs would notice what stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/store/keyspace.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

const Key key("k");
const Key noted_key("noted");

void expect_proved(Scenario scenario) {
  for (const bool symmetry : {true, false}) {
    const Verdict verdict = explore(scenario.symmetry(symmetry));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

// Only one of them ever writes the key. A client that reads its clock when an answer comes may be
// answered later.
Task<void> takes_and_looks_twice(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Result<bool> won = co_await me.store().set_if_absent(key, mine.text());
  const Result<std::optional<std::string>> first = co_await me.store().get(key);
  static_cast<void>(me.time().now());
  const Result<std::optional<std::string>> second = co_await me.store().get(key);
  if (!won || !first || !second) co_return;
  me.reach("a winner who reads another's token", *won != (*first == mine.text()));
  me.reach("a token that changes", *first != *second);
}

TEST(IdenticalClients, KeepTheAnswersThatAreOnTheirWay) {
  Scenario scenario("holders");
  scenario.clients(3, takes_and_looks_twice)
      .require(never("a winner who reads another's token"))
      .require(never("a token that changes"))
      .instants(2);
  expect_proved(scenario);
}

// The note names the holder of the key, which never changes.
Task<void> notes_who_holds_it(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  static_cast<void>(co_await me.store().set_if_absent(key, mine.text()));
  const Result<std::optional<std::string>> holder = co_await me.store().get(key);
  if (!holder || !*holder) co_return;
  const std::string note = **holder;
  static_cast<void>(co_await me.store().set(noted_key, note));
  const Result<std::optional<std::string>> noted = co_await me.store().get(noted_key);
  const Result<std::optional<std::string>> again = co_await me.store().get(key);
  if (noted && *noted && again) me.reach("a note of another", *noted != *again);
}

TEST(IdenticalClients, KeepTheRequestsThatTheyHaveLeftBehind) {
  Scenario scenario("notes");
  scenario.clients(3, notes_who_holds_it)
      .faults(FaultBudget().allow(Fault::late_execution))
      .require(never("a note of another"));
  expect_proved(scenario);
}

Task<void> reads_its_clock_thrice(Client& me) {
  const TimePoint first = me.wall_clock().now();
  static_cast<void>(co_await me.store().increment(key));
  const TimePoint second = me.wall_clock().now();
  static_cast<void>(co_await me.store().increment(key));
  const TimePoint third = me.wall_clock().now();
  me.reach("a clock that was set back", second < first || third < second);
  me.reach("a clock that was set forward", first < third);
  static_cast<void>(co_await me.store().increment(key));
}

TEST(IdenticalClients, KeepTheirClocks) {
  Scenario scenario("clocks");
  scenario.clients(3, reads_its_clock_thrice)
      .faults(FaultBudget().allow(Fault::clock_jump))
      .sometimes("a clock that was set forward")
      .require(never("a clock that was set back"));
  expect_proved(scenario);
}

Task<void> draws_two_tokens(Client& me) {
  const OwnerToken first = me.tokens().fresh();
  const OwnerToken second = me.tokens().fresh();
  me.reach("the same token twice", first == second);
  static_cast<void>(co_await me.store().get(key));
}

TEST(IdenticalClients, NeverDrawATokenTwice) {
  Scenario scenario("tokens");
  scenario.clients(2, draws_two_tokens).require(never("the same token twice"));
  expect_proved(scenario);
}

// Takes a number, then another one.
Task<void> takes_two_numbers(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Result<std::int64_t> first = co_await me.store().increment(key);
  static_cast<void>(co_await me.store().set(noted_key, mine.text()));
  const Result<std::int64_t> last = co_await me.store().increment(key);
  if (first && last) me.reach("all the others between its two", *first == 1 && *last == 8);
}

// A run in which clients of the search stand for one another in more than pairs.
TEST(IdenticalClients, AreWhoTheyAreInTheRunThatIsTold) {
  Scenario scenario("rounds");
  scenario.clients(4, takes_two_numbers).require(never("all the others between its two"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  std::vector<int> taken(4);
  for (const RunStep& step : verdict.run.steps) {
    if (step.operation && step.operation->kind == OperationKind::increment) {
      ++taken[*step.client];
    }
  }
  EXPECT_EQ(taken, (std::vector<int>{2, 2, 2, 2})) << describe(verdict.run);
}

// Each key is named after its owner, and the one that is evicted is told by its name.
Task<void> makes_a_key_and_takes_two_numbers(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Key own("node:" + mine.text());
  const Result<std::int64_t> first = co_await me.store().increment(key);
  const std::string value = "v";
  static_cast<void>(co_await me.store().set(own, value));
  const Result<std::int64_t> last = co_await me.store().increment(key);
  const Result<std::optional<std::string>> seen = co_await me.store().get(own);
  const bool all = first && last && *first == 1 && *last == 6;
  me.reach("all the others between, and its key is gone", all && seen && !*seen);
}

TEST(IdenticalClients, LoseTheKeysThatAreTheirsInTheRunThatIsTold) {
  Scenario scenario("nodes");
  scenario.clients(3, makes_a_key_and_takes_two_numbers)
      .faults(FaultBudget().allow(Fault::eviction))
      .require(never("all the others between, and its key is gone"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
}

// The message comes after the first look at the key, and before the second.
Task<void> listens_to_a_release(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(release_channel(key));
  const Result<std::optional<std::string>> before = co_await me.store().get(key);
  const Result<std::int64_t> number = co_await me.store().increment(noted_key);
  const Result<std::optional<std::string>> after = co_await me.store().get(key);
  if (!ear || !before || !*before || !number || !after || *after) co_return;
  const TimePoint at_once = me.time().now();
  const Result<bool> heard = co_await me.store().await_message(*ear, at_once);
  me.reach("missed by the third", *number == 3 && heard && !*heard);
}
Task<void> releases(Client& me) {
  const OwnerToken held("held");
  static_cast<void>(co_await me.store().release(key, held));
}

TEST(IdenticalClients, MissTheMessagesThatAreTheirsInTheRunThatIsTold) {
  Scenario scenario("listeners");
  scenario.clients(3, listens_to_a_release)
      .client(releases)
      .initially(key, Entry("held"))
      .require(never("missed by the third"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::proved);
  scenario.faults(FaultBudget().allow(Fault::lost_message));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
}

// --- predicates, which may name one of them ------------------------------------------------------

const std::string some_value = "v";

std::string token_of(std::size_t client) {
  return "il1:" + std::string(1, static_cast<char>('A' + client)) + "1";
}

// Whatever a Snapshot says of a client is said of each of these at some time.
Task<void> shows_itself(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Key node("node:" + mine.text());
  const Result<bool> won = co_await me.store().set_if_absent(key, mine.text());
  static_cast<void>(co_await me.store().set(node, some_value));
  if (!won || !*won) co_return;
  me.enter("lock");
  const FencingToken fencing{1};
  static_cast<void>(co_await me.write("database", fencing));
  co_await me.leave("lock");
}
Scenario showing(const Property& property) {
  Scenario scenario("shows");
  return scenario.clients(3, shows_itself).resource_checks_fencing("database").require(property);
}

// Never is the client seen so.
Property unseen(std::size_t client, bool (*seen)(const Snapshot&, std::size_t)) {
  return always("unseen", [=](const Snapshot& world) { return !seen(world, client); });
}
bool is_first_to_end(const Snapshot& world, std::size_t client) {
  return world.clients[client].status == ClientView::Status::done &&
         std::count_if(world.clients.begin(), world.clients.end(), [](const ClientView& other) {
           return other.status == ClientView::Status::not_started;
         }) == 2;
}
bool is_inside(const Snapshot& world, std::size_t client) {
  return !world.clients[client].inside.empty();
}
bool is_inside_and_nothing_else_is_there(const Snapshot& world, std::size_t client) {
  return is_inside(world, client) && world.keys.size() == 2;
}
bool holds_the_key(const Snapshot& world, std::size_t client) {
  const KeyView* const held = world.find("k");
  return held != nullptr && held->value == token_of(client);
}
bool holds_the_key_at_the_end(const Snapshot& world, std::size_t client) {
  return holds_the_key(world, client) &&
         std::all_of(world.clients.begin(), world.clients.end(), [](const ClientView& other) {
           return other.status == ClientView::Status::done;
         });
}
bool has_a_key(const Snapshot& world, std::size_t client) {
  return world.find("node:" + token_of(client)) != nullptr && world.keys.size() == 3;
}
bool has_written(const Snapshot& world, std::size_t client) {
  return std::any_of(world.resources.begin(), world.resources.end(), [&](const auto& resource) {
    return resource.last_writer == world.clients[client].name;
  });
}
bool asks_for_the_key(const Snapshot& world, std::size_t client) {
  return world.clients[client].next == "SETNX k " + token_of(client) && world.find("k") != nullptr;
}

TEST(IdenticalClients, AreEachLookedAtByAPredicateThatNamesOne) {
  for (const auto seen :
       {is_first_to_end, is_inside, is_inside_and_nothing_else_is_there, holds_the_key,
        holds_the_key_at_the_end, has_a_key, has_written, asks_for_the_key}) {
    for (const std::size_t client : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      const Scenario scenario = showing(unseen(client, seen));
      const Verdict verdict = explore(scenario);
      Scenario told_apart = scenario;
      const Verdict apart = explore(told_apart.symmetry(false));
      ASSERT_EQ(apart.outcome, Outcome::violated) << describe(apart);
      ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
      EXPECT_EQ(verdict.run.steps.size(), apart.run.steps.size()) << describe(verdict.run);
      EXPECT_TRUE(seen(verdict.run.steps.back().after, client)) << describe(verdict.run);
      EXPECT_EQ(verdict.run.steps.back().violates, "unseen") << describe(verdict.run);
    }
  }
}

// What a Snapshot shows stays true when clients change places: names, the order of keys, each
// client's own token.
bool is_well_told(const Snapshot& world) {
  for (std::size_t client = 0; client < world.clients.size(); ++client) {
    const ClientView& view = world.clients[client];
    const bool sets = view.next.find("il1:") != std::string::npos;
    if (view.name != std::string(1, static_cast<char>('A' + client))) return false;
    if (sets && view.next.find(token_of(client)) == std::string::npos) return false;
    if (!view.inside.empty() && !holds_the_key(world, client)) return false;
    if (has_written(world, client) && !holds_the_key(world, client)) return false;
  }
  return std::is_sorted(
      world.keys.begin(), world.keys.end(),
      [](const KeyView& one, const KeyView& other) { return one.key < other.key; });
}

TEST(IdenticalClients, AreMergedWhereEachArrangementIsLookedAt) {
  const Verdict merged = explore(showing(always("well told", is_well_told)));
  EXPECT_EQ(merged.outcome, Outcome::proved) << describe(merged) << describe(merged.run);
  const Verdict apart = explore(showing(always("well told", is_well_told)).symmetry(false));
  EXPECT_EQ(apart.outcome, Outcome::proved) << describe(apart);
  EXPECT_LT(4 * merged.states, apart.states);
}

TEST(IdenticalClients, ShowEveryArrangementOfAState) {
  std::set<std::string> orders;
  const auto note = [&orders](const Snapshot& world) {
    std::string order;
    for (const ClientView& client : world.clients) {
      order += client.status == ClientView::Status::done ? "d" : client.next.empty() ? "n" : "r";
    }
    orders.insert(order);
    return true;
  };
  EXPECT_EQ(explore(showing(always("noted", note))).outcome, Outcome::proved);
  const std::set<std::string> merged = std::exchange(orders, {});
  EXPECT_EQ(explore(showing(always("noted", note)).symmetry(false)).outcome, Outcome::proved);
  EXPECT_EQ(merged, orders);
}

// The world begins otherwise for B than for A and C: no search may take it as one of them.
Task<void> enters_if_named(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Result<std::optional<std::string>> named = co_await me.store().get(key);
  if (!named || *named != mine.text()) co_return;
  me.enter("lock");
  co_await me.leave("lock");
}

TEST(IdenticalClients, AreToldApartForAPredicateIfAnInitialKeyNamesOne) {
  for (const std::size_t client : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    Scenario scenario("named");
    scenario.clients(3, enters_if_named)
        .initially(key, Entry(token_of(1)))
        .require(unseen(client, is_inside));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, client == 1 ? Outcome::violated : Outcome::proved)
        << describe(verdict) << describe(verdict.run);
  }
}

Reply add_to_list(Keyspace& keyspace,
                  const std::vector<Key>& keys,
                  const std::vector<std::string>& arguments) {
  const std::optional<Entry> entry = keyspace.find(keys[0]);
  std::vector<std::string> all = entry ? entry->lines() : std::vector<std::string>();
  all.push_back(arguments[0]);
  keyspace.put(keys[0], Entry::list(all, std::nullopt));
  return Value(std::int64_t{1});
}

// How many of the list are before it in the order of the alphabet.
Reply count_before(Keyspace& keyspace,
                   const std::vector<Key>& keys,
                   const std::vector<std::string>& arguments) {
  const std::optional<Entry> entry = keyspace.find(keys[0]);
  const std::vector<std::string> all = entry ? entry->lines() : std::vector<std::string>();
  return Value(std::int64_t{std::count_if(
      all.begin(), all.end(), [&](const auto& other) { return other < arguments[0]; })});
}

Task<void> asks_how_many_are_before_it(Client& me) {
  static const Script add("add_to_list", "return 1", add_to_list);
  static const Script count("count_before", "return 0", count_before);
  const OwnerToken mine = me.tokens().fresh();
  const KeyList keys(std::vector<Key>{key});
  const std::vector<std::string> arguments(1, mine.text());
  static_cast<void>(co_await me.store().get(noted_key));
  static_cast<void>(co_await me.store().run(add, keys, arguments));
  const Reply before = co_await me.store().run(count, keys, arguments);
  if (before && *before->number() == 0) {
    me.enter("k");
    co_await me.leave("k");
  }
  static_cast<void>(co_await me.store().erase(key));
}

// No permutation of tokens keeps their order.
TEST(IdenticalClients, AreNotMergedIfTheOrderOfTheirTokensDecides) {
  Scenario scenario("an order");
  scenario.clients(2, asks_how_many_are_before_it).require(owner_only("k"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict) << describe(verdict.run);
  EXPECT_THAT(verdict.reason,
              HasSubstr("the script 'count_before' does something else for one of two identical"));
  EXPECT_EQ(explore(scenario.symmetry(false)).outcome, Outcome::violated);
}

// --- clients beside them, which may name one, too ------------------------------------------------

// The loser says so, and then both read whom the note names.
Task<void> reads_the_note(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Result<bool> won = co_await me.store().set_if_absent(key, mine.text());
  if (!won) co_return;
  const Key lost("lost");
  if (!*won) static_cast<void>(co_await me.store().set(lost, some_value));
  const Result<std::optional<std::string>> noted = co_await me.store().get(noted_key);
  if (noted) me.reach("the winner is named", *won && *noted == mine.text());
  if (noted) me.reach("the loser is named", !*won && *noted == mine.text());
}
// Nobody has told it of A.
Task<void> names_a(Client& me) {
  const Result<std::optional<std::string>> lost = co_await me.store().get(Key("lost"));
  if (!lost || !*lost) co_return;
  const std::string a = "il1:A1";
  static_cast<void>(co_await me.store().set(noted_key, a));
}

TEST(IdenticalClients, AreNotMergedBesideAClientThatNamesOneByHeart) {
  for (const char* event : {"the winner is named", "the loser is named"}) {
    Scenario scenario("a note");
    scenario.clients(2, reads_the_note).client(names_a).require(never(event));
    scenario.sometimes("the winner is named").sometimes("the loser is named");
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("client C tells identical clients apart: "));
    EXPECT_EQ(explore(scenario.symmetry(false)).outcome, Outcome::violated);
  }
}

Task<void> says_who_has_it(Client& me) {
  const Result<std::optional<std::string>> holder = co_await me.store().get(key);
  if (holder && *holder) me.reach(**holder + " has it");
}

TEST(IdenticalClients, AreNotMergedBesideAClientThatReportsOneByName) {
  Scenario scenario("reports");
  scenario.clients(2, shows_itself).client(says_who_has_it);
  scenario.sometimes("il1:A1 has it").sometimes("il1:B1 has it").require(no_overwrite("k"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("client C tells identical clients apart: 'il1:"));
  EXPECT_EQ(explore(scenario.symmetry(false)).outcome, Outcome::proved);
}

}  // namespace
}  // namespace interlock::sim
