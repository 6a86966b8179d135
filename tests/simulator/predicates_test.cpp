// What the predicate of always() is shown, and what becomes of a predicate that does not answer by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::sim {
namespace {

// --- what others need not ask for ----------------------------------------------------------------

Task<void> numbers_its_write(Client& me) {
  const Result<std::int64_t> number = co_await me.store().increment(Key("number"));
  if (!number) co_return;
  static_cast<void>(co_await me.write("disk", FencingToken(static_cast<std::uint64_t>(*number))));
}
Scenario numbering(const Property& property) {
  Scenario scenario("numbers");
  return scenario.clients(2, numbers_its_write).require(property);
}
bool some_resource(const Snapshot& world, bool (*is_so)(const ResourceView&)) {
  return std::any_of(world.resources.begin(), world.resources.end(), is_so);
}
bool b_has_not_written(const Snapshot& world) {
  return !some_resource(world, [](const ResourceView& disk) { return disk.last_writer == "B"; });
}
bool no_second_token(const Snapshot& world) {
  return !some_resource(world, [](const ResourceView& disk) { return disk.greatest_fencing > 1; });
}

TEST(Predicates, SeeWhoHasWrittenToAResourceThatNoOtherPropertyNames) {
  for (const auto holds : {b_has_not_written, no_second_token}) {
    const Scenario alone = numbering(always("unwritten", holds));
    const Verdict verdict = explore(alone);
    ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
    Scenario named = alone;
    EXPECT_EQ(explore(named.require(fenced_writes("disk"))).run.steps.size(),
              verdict.run.steps.size());
    EXPECT_EQ(search_at_random(alone, RandomSearch()).verdict.outcome, Outcome::violated);
  }
}

Task<void> wants_once(Client& me) {
  me.wants("lock");
  const std::string value = "1";
  static_cast<void>(co_await me.store().set_if_absent(Key("lock"), value));
  me.gives_up("lock");
  static_cast<void>(co_await me.store().get(Key("lock")));
}
bool only_one_wants(const Snapshot& world) {
  return std::count_if(world.clients.begin(), world.clients.end(), [](const ClientView& client) {
           return !client.wants.empty();
         }) < 2;
}

TEST(Predicates, SeeWhoWantsALockThatNoOtherPropertyNames) {
  Scenario scenario("wants");
  scenario.clients(2, wants_once).require(always("only one wants it", only_one_wants));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 2U) << describe(verdict.run);
  EXPECT_EQ(search_at_random(scenario, RandomSearch()).verdict.outcome, Outcome::violated);
}

}  // namespace
}  // namespace interlock::sim
