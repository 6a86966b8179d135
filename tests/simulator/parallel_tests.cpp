// Tests of every kind for testing_main_test.bash: some of them must fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/testing_main.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;

const testing::NamedScenario broken_lock("broken-lock", [] {
  return stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1);
});
const testing::NamedScenario known_to_be_broken(
    "known-to-be-broken",
    [] { return stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1); },
    Outcome::violated);
const testing::NamedScenario repaired_lock("repaired-lock", [] {
  return stamp_lock_scenario(TakeOver::getset, 2, 1, 1);
});

TEST(Kinds, Passes) {
  std::cout << "a passing test says this" << std::endl;
}

TEST(Kinds, Fails) {
  EXPECT_EQ(1 + 1, 3) << "arithmetic & <logic>";
}

TEST(Kinds, IsSkipped) {
  GTEST_SKIP() << "not today";
}

TEST(Kinds, Crashes) {
  std::abort();
}

class Numbers : public ::testing::TestWithParam<int> {};
TEST_P(Numbers, AreSmall) {
  EXPECT_LT(GetParam(), 10);
}
INSTANTIATE_TEST_SUITE_P(Some, Numbers, ::testing::Values(1, 2));

}  // namespace
}  // namespace interlock::sim

int main(int argc, char** argv) {
  return interlock::sim::testing::run_tests(argc, argv);
}
