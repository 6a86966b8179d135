// How often a search runs the steps of a program again, to check what the program promises.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

Task<void> takes_the_lock_once(Client& me) {
  const OwnerToken token = me.tokens().fresh();
  const Key lock("lock");
  const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
  if (!taken || !*taken) co_return;
  me.enter("lock");
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().release(lock, token));
}

// How often the program was run, and how many local states it has.
std::pair<int, std::uint32_t> runs_with(std::uint64_t repeated_steps) {
  const auto made = std::make_shared<int>(0);
  Scenario scenario("repeated-steps");
  scenario
      .clients(2,
               [made](Client& me) {
                 ++*made;
                 return takes_the_lock_once(me);
               })
      .require(mutual_exclusion("lock"));
  Limits limits;
  limits.repeated_steps = repeated_steps;
  const Verdict verdict = explore(scenario, limits);
  return {*made, static_cast<std::uint32_t>(verdict.local_states)};
}

// Each step once is the least, however long a run takes.
TEST(Promises, AreCheckedLessOftenForProgramsThatTakeLong) {
  const auto [few, states] = runs_with(0);
  EXPECT_GE(static_cast<std::uint32_t>(few), states);
  EXPECT_GT(runs_with(2'000).first, 5 * few);
}

}  // namespace
}  // namespace interlock::sim
