// A lock of your own, from the first wrong attempt to a proof, in three versions of one coroutine.
// docs/tutorial-break-it-in-ten-minutes.md goes through it.
#include <gtest/gtest.h>

#include <iostream>

#include "interlock/sim/testing.hpp"

namespace {

namespace sim = interlock::sim;
using namespace std::chrono_literals;

enum class Version { looks_then_sets, sets_if_absent, releases_its_own };

interlock::Task<void> work(sim::Client& me, Version version) {
  interlock::KeyValueStore& store = me.store();
  const interlock::Key key("my-lock");
  const interlock::OwnerToken owner = me.tokens().fresh();
  const interlock::TimePoint asked = me.time().now();
  if (version == Version::looks_then_sets) {
    const interlock::Result<std::optional<std::string>> found = co_await store.get(key);
    if (!found || *found) co_return;  // an error, or another client is inside
    const auto set = co_await store.set(key, owner.text(), 1000ms);
    if (!set) co_return;
  } else {
    const interlock::Result<bool> set = co_await store.set_if_absent(key, owner.text(), 1000ms);
    if (!set || !*set) co_return;
  }
  // From here on this client believes that it holds the lock, for as long as the key certainly
  // exists.
  me.enter("my-lock", interlock::FencingToken(), asked + 1000ms);
  co_await me.leave("my-lock");
  if (version == Version::releases_its_own) {
    static_cast<void>(co_await store.release(key, owner));  // DEL, if it still holds my token
  } else {
    static_cast<void>(co_await store.erase(key));  // DEL
  }
}

sim::Scenario two_clients(Version version) {
  sim::Scenario scenario("my-lock");
  scenario.clients(2, [version](sim::Client& me) { return work(me, version); });
  return scenario;
}

sim::Verdict while_time_stands_still(Version version) {
  return sim::testing::check(two_clients(version).require(sim::mutual_exclusion("my-lock")));
}

sim::Verdict while_leases_end(Version version) {
  return sim::testing::check(two_clients(version).instants(4).require(sim::owner_only("my-lock")));
}

sim::Verdict while_nobody_outstays(Version version) {
  sim::Scenario scenario = two_clients(version).instants(4);
  return sim::testing::check(scenario.require(sim::lease_exclusion("my-lock")));
}

TEST(YourOwnLock, LooksThenSetsAndLetsTwoIn) {
  const sim::Verdict verdict = while_time_stands_still(Version::looks_then_sets);
  std::cout << sim::draw_text(verdict.run);
  EXPECT_VIOLATED(verdict, R"(
    A            B
    GET -> nil   .
    .            GET -> nil
    .            SET -> OK    # B holds
    SET -> OK    .            # A holds, too
  )");
}

TEST(YourOwnLock, SetsIfAbsentAndLetsOneIn) {
  EXPECT_PROVED(while_time_stands_still(Version::sets_if_absent));
}

TEST(YourOwnLock, DeletesWhateverIsThereAtTheEnd) {
  const sim::Verdict verdict = while_leases_end(Version::sets_if_absent);
  EXPECT_VIOLATED(verdict, "");  // by whatever run
  EXPECT_EQ(verdict.property, "only the owner releases or renews my-lock");
}

TEST(YourOwnLock, ReleasesNothingButItsOwn) {
  EXPECT_PROVED(while_leases_end(Version::releases_its_own));
}

TEST(YourOwnLock, ExcludesIfNobodyOutstaysItsLease) {
  EXPECT_PROVED(while_nobody_outstays(Version::releases_its_own));
}

}  // namespace
