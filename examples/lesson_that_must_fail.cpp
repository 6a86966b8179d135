// A lesson as a test: the broken lock must break, in exactly this way, and its repair must hold.
#include <gtest/gtest.h>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/testing.hpp"

namespace sim = interlock::sim;
using sim::catalogue::stamp_lock_scenario;
using sim::catalogue::TakeOver;

TEST(Lesson, DeletingAnExpiredLockGivesItTwoHolders) {
  EXPECT_VIOLATED(sim::testing::check(stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1)), R"(
    A            B
    SETNX -> 0   .
    .            SETNX -> 0
    .            GET -> 50
    GET -> 50    .
    DEL -> 1     .
    SETNX -> 1   .            # A holds
    .            DEL -> 1     # deletes A's lock
    .            SETNX -> 1   # B holds, too
  )");
}

TEST(Lesson, ReplacingItInOneCommandRepairsIt) {
  EXPECT_PROVED(sim::testing::check(stamp_lock_scenario(TakeOver::getset, 3, 1, 1)));
}
