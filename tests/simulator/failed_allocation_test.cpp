// A search that gets no memory for its states says so, whichever of its allocations fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace {

constexpr std::size_t without_limit = std::numeric_limits<std::size_t>::max();
std::size_t allocations_left = without_limit;
bool one_has_failed = false;

}  // namespace

// In place of the C library's: a search allocates the memory for its states by this alone.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (allocations_left == 0) {
    one_has_failed = true;
    return nullptr;
  }
  --allocations_left;
  void* memory = nullptr;
  const int error = ::posix_memalign(&memory, std::max(alignment, sizeof(void*)), size);
  return error == 0 ? memory : nullptr;
}

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

// Explores with 0, 1, 2, ... allocations, until they suffice.
void expect_an_answer_whatever_fails(const Scenario& scenario) {
  for (std::size_t allocations = 0;; ++allocations) {
    SCOPED_TRACE(allocations);
    allocations_left = allocations;
    one_has_failed = false;
    const Verdict verdict = explore(scenario);
    allocations_left = without_limit;
    if (!one_has_failed) {
      EXPECT_GT(allocations, 2U);
      EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
      return;
    }
    ASSERT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
    EXPECT_THAT(verdict.reason, HasSubstr("there is no memory left"));
  }
}

TEST(FailedAllocation, EndsASearchWithAReason) {
  expect_an_answer_whatever_fails(
      catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 3, 1, 3));
}

TEST(FailedAllocation, EndsASearchForLoopsWithAReason) {
  Scenario liveness = catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 3);
  ASSERT_TRUE(liveness.require_only({PropertyKind::every_waiter_acquires}));
  expect_an_answer_whatever_fails(liveness);
}

TEST(FailedAllocation, IsAnAnswerWhereSomethingMustComeAtLast) {
  Scenario scenario = catalogue::stamp_lock_scenario(catalogue::TakeOver::getset, 2, 1, 3);
  const auto any = [](const Snapshot&) { return true; };
  const auto all_done = [](const Snapshot& world) {
    return world.clients[0].status == ClientView::Status::done &&
           world.clients[1].status == ClientView::Status::done;
  };
  scenario.require(leads_to("all end", any, all_done));
  expect_an_answer_whatever_fails(scenario);
}

}  // namespace
}  // namespace interlock::sim
