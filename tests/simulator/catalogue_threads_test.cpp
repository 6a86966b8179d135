// Every scenario of the catalogue, searched by one thread and by several: the same answer.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue.hpp"
#include "under_sanitizers.hpp"
#include "with_threads.hpp"

namespace interlock::sim {
namespace {

using testing::expect_the_same_with_threads;

TEST(CatalogueThreads, GiveTheSameAnswersAsOne) {
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    if (entry.slow) continue;
    SCOPED_TRACE(entry.name);
    const Result<Scenario> built = catalogue::build(entry.name, {});
    ASSERT_TRUE(built);
    const Scenario& scenario = *built;
    Limits whole;
    // With sanitizers the larger searches would take an hour.
    if (under_sanitizers) whole.states = 20'000;
    expect_the_same_with_threads(scenario, whole);
    Limits limits;
    limits.count_violations = true;
    limits.states = 5'000;
    expect_the_same_with_threads(scenario, limits);
  }
}

}  // namespace
}  // namespace interlock::sim
