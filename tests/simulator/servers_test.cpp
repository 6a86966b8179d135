// Channels and connections belong to one server, and keys and channels may be named after an owner
// token.
#include <gtest/gtest.h>

#include <string>

#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using std::chrono::hours;

const Key key("k");

Task<void> listens(Client& me, std::size_t server, std::string says) {
  const Channel channel("c");
  const Result<SubscriptionId> made = co_await me.store(server).subscribe(channel);
  if (!made) co_return;
  const TimePoint until = me.time().now() + hours{1};
  const Result<bool> heard = co_await me.store(server).await_message(*made, until);
  if (heard && *heard) me.reach(says);
}

Task<void> publishes(Client& me, std::size_t server) {
  const Channel channel("c");
  const std::string message = "m";
  const Result<std::int64_t> heard = co_await me.store(server).publish(channel, message);
  if (heard && *heard > 0) me.reach("counted");
}

TEST(Servers, PublishOnlyToTheirOwnSubscribers) {
  const auto outcome = [](std::size_t told) {
    Scenario scenario("two servers");
    scenario.client([](Client& me) { return listens(me, 0, "heard"); })
        .client([told](Client& me) { return publishes(me, told); })
        .servers(2)
        .require(never("heard"))
        .require(never("counted"));
    return explore(scenario).outcome;
  };
  EXPECT_EQ(outcome(0), Outcome::violated);
  EXPECT_EQ(outcome(1), Outcome::proved);
}

// Subscribes on two servers, and looks for a message of the second after one of the first.
Task<void> listens_twice(Client& me) {
  const Channel channel("c");
  const Result<SubscriptionId> first = co_await me.store(0).subscribe(channel);
  const Result<SubscriptionId> second = co_await me.store(1).subscribe(channel);
  if (!first || !second) co_return;
  const TimePoint later = me.time().now() + hours{1};
  const Result<bool> one = co_await me.store(0).await_message(*first, later);
  if (!one || !*one) co_return;
  me.reach("one");
  const TimePoint at_once = me.time().now();
  const Result<bool> other = co_await me.store(1).await_message(*second, at_once);
  if (other && *other) me.reach("both");
}

TEST(Servers, LoseSubscriptionsOnlyByTheirOwnRestart) {
  Scenario scenario("a restart");
  scenario.client(listens_twice)
      .servers(2)
      .faults(FaultBudget().allow(Fault::restart))
      .sometimes("one")
      .require(never("both"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

Task<void> sets_late(Client& me) {
  const std::string value = "v";
  static_cast<void>(co_await me.store(1).set(key, value));
}

// Nobody publishes: the wait ends because server 0 has restarted.
Task<void> looks_before_and_after(Client& me) {
  const Channel channel("c");
  const Result<SubscriptionId> made = co_await me.store(0).subscribe(channel);
  if (!made) co_return;
  const TimePoint until = me.time().now() + hours{1};
  const Result<bool> heard = co_await me.store(0).await_message(*made, until);
  if (!heard || !*heard) co_return;
  const Result<std::optional<std::string>> before = co_await me.store(1).get(key);
  if (!before || *before) co_return;
  const Result<std::optional<std::string>> after = co_await me.store(1).get(key);
  if (after && *after) me.reach("after the restart of another");
}

TEST(Servers, ARequestOnItsWayToAnotherServerSurvivesARestart) {
  Scenario scenario("late and a restart");
  scenario.client(sets_late)
      .client(looks_before_and_after)
      .servers(2)
      .faults(FaultBudget().allow(Fault::restart).allow(Fault::late_execution))
      .require(never("late"))
      .sometimes("after the restart of another");
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

Task<void> tells_itself(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Channel channel("ear:" + mine.text());
  const std::string message = "m";
  static_cast<void>(co_await me.store().subscribe(channel));
  const Result<std::int64_t> heard = co_await me.store().publish(channel, message);
  if (heard && *heard != 1) me.reach("counted wrongly");
}

TEST(NamedAfterAToken, ListenersOnAChannelAreCounted) {
  for (const bool symmetry : {true, false}) {
    Scenario scenario("ears");
    scenario.clients(3, tells_itself).symmetry(symmetry).require(never("counted wrongly"));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

// No other client can have a key of this name.
Task<void> makes_a_key_of_its_own(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Key own("node:" + mine.text());
  const std::string value = "v";
  const Result<bool> made = co_await me.store().set_if_absent(own, value);
  me.reach(made && *made ? "made" : "was there");
}

TEST(NamedAfterAToken, KeysBelongToEachClient) {
  for (const bool symmetry : {true, false}) {
    Scenario scenario("nodes");
    scenario.clients(3, makes_a_key_of_its_own)
        .symmetry(symmetry)
        .sometimes("made")
        .require(never("was there"));
    const Verdict verdict = explore(scenario);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
  }
}

// Looks for its key once more; with an eviction it may be gone.
Task<void> looks_for_its_key(Client& me) {
  const OwnerToken mine = me.tokens().fresh();
  const Key own("node:" + mine.text());
  const std::string value = "v";
  static_cast<void>(co_await me.store().set_if_absent(own, value));
  static_cast<void>(co_await me.store().increment(Key("count")));
  const Result<std::optional<std::string>> seen = co_await me.store().get(own);
  if (seen && !*seen) me.reach("gone");
}

TEST(NamedAfterAToken, TheKeyThatIsEvictedIsTheOneThatIsMissed) {
  Scenario scenario("an eviction");
  scenario.clients(3, looks_for_its_key)
      .faults(FaultBudget().allow(Fault::eviction))
      .require(never("gone"));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.back().violates, "never gone");
}

}  // namespace
}  // namespace interlock::sim
