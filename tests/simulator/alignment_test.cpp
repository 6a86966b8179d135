#include "interlock/sim/alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "interlock/sim/schedule.hpp"

namespace interlock::sim {
namespace {

// `A1-0 B2-1`: client A does 1 and gets 0, client B does 2 and gets 1.
Run run_of(const std::vector<std::string>& steps) {
  Run run;
  run.clients = {"A", "B"};
  for (const std::string& text : steps) {
    RunStep step;
    step.kind = StepKind::operation;
    step.client = static_cast<std::size_t>(text[0] - 'A');
    step.what = text.substr(1, 1);
    step.reply = text.substr(3);
    step.applied = true;
    step.delivered = true;
    run.steps.push_back(step);
  }
  return run;
}

// A line for each row: the steps from 1, `=` if they are the same.
std::vector<std::string> rows_of(const Run& one, const Run& other) {
  const auto number = [](const std::optional<std::size_t>& step) {
    return step ? std::to_string(*step + 1) : std::string("-");
  };
  std::vector<std::string> lines;
  for (const AlignedRow& row : align(one, other)) {
    lines.push_back(number(row.one) + (row.same ? "=" : " ") + number(row.other));
  }
  return lines;
}

TEST(Alignment, SetsTheSameStepsOfBothRunsInOneRow) {
  EXPECT_THAT(
      rows_of(run_of({"A1-0", "B1-0", "A2-0", "B3-0"}), run_of({"A1-0", "B1-0", "B3-0", "A2-0"})),
      testing::ElementsAre("1=1", "2=2", "3 -", "4=3", "- 4"));
}

TEST(Alignment, GivesAStepThatOnlyOneRunHasARowOfItsOwn) {
  EXPECT_THAT(rows_of(run_of({"A1-0", "A2-0"}), run_of({"A1-0", "B9-0", "A2-0"})),
              testing::ElementsAre("1=1", "- 2", "2=3"));
  EXPECT_THAT(rows_of(run_of({"A1-0"}), run_of({"B1-0"})), testing::ElementsAre("1 -", "- 1"));
}

TEST(Alignment, SetsASameStepWithAnotherReplyInOneRow) {
  EXPECT_THAT(rows_of(run_of({"A1-0", "B2-1", "A3-0"}), run_of({"A1-0", "B2-0", "A3-0"})),
              testing::ElementsAre("1=1", "2 2", "3=3"));
}

TEST(Alignment, PrefersStepsThatAreTheSameToThoseWithAnotherReply) {
  EXPECT_THAT(rows_of(run_of({"A1-1"}), run_of({"A1-0", "A1-1"})),
              testing::ElementsAre("- 1", "1=2"));
}

TEST(Alignment, GivesUpNoSameStepForManyWithAnotherReply) {
  EXPECT_THAT(
      rows_of(run_of({"A1-0", "A2-0", "A3-0", "B1-0"}), run_of({"B1-0", "A1-1", "A2-1", "A3-1"})),
      testing::ElementsAre("1 -", "2 -", "3 -", "4=1", "- 2", "- 3", "- 4"));
}

TEST(Alignment, OfNothingHasNoRow) {
  EXPECT_TRUE(align(run_of({}), run_of({})).empty());
  EXPECT_THAT(rows_of(run_of({}), run_of({"A1-0"})), testing::ElementsAre("- 1"));
}

TEST(Alignment, KnowsTheFirstDifference) {
  const auto one = run_of({"A1-0", "B1-0"});
  EXPECT_EQ(first_difference(align(one, run_of({"A1-0", "B2-0"}))), 1U);
  EXPECT_EQ(first_difference(align(one, one)), 2U);
}

TEST(Alignment, OfLongRunsNeedsNoTableOfAllPairs) {
  std::vector<std::string> one(5'000, "A1-0");
  std::vector<std::string> other(5'000, "B1-0");
  one.push_back("A9-0");
  other.push_back("A9-0");
  const std::vector<AlignedRow> rows = align(run_of(one), run_of(other));
  EXPECT_EQ(rows.size(), 10'001U);
  EXPECT_EQ(rows.back(), (AlignedRow{5'000, 5'000, true}));
}

// How many steps can be the same, without a table and without a common beginning.
std::size_t most_alike(const Run& one, const Run& other, std::size_t i, std::size_t j) {
  if (i == one.steps.size() || j == other.steps.size()) return 0;
  const ScheduleStep first = make_schedule(one).steps[i];
  const std::size_t together =
      first == make_schedule(other).steps[j] ? 1 + most_alike(one, other, i + 1, j + 1) : 0;
  return std::max({together, most_alike(one, other, i + 1, j), most_alike(one, other, i, j + 1)});
}

RC_GTEST_PROP(Alignment, HasEachStepOnceAndAsManyAlikeAsPossible, ()) {
  const auto any = [] {
    const auto steps = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("A1-0", "A1-1", "B1-0", "A2-0"));
    return run_of({steps.begin(), steps.begin() + std::min<std::ptrdiff_t>(6, std::ssize(steps))});
  };
  const Run one = any();
  const Run other = any();
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t alike = 0;
  for (const AlignedRow& row : align(one, other)) {
    RC_ASSERT(row.one || row.other);
    if (row.one) RC_ASSERT(*row.one == i++);
    if (row.other) RC_ASSERT(*row.other == j++);
    const bool both = row.one && row.other;
    RC_ASSERT(!row.same || both);
    if (!both) continue;
    const ScheduleStep left = make_schedule(one).steps[*row.one];
    const ScheduleStep right = make_schedule(other).steps[*row.other];
    RC_ASSERT(left.mover == right.mover && left.action == right.action);
    RC_ASSERT(row.same == (left == right));
    if (row.same) ++alike;
  }
  RC_ASSERT(i == one.steps.size());
  RC_ASSERT(j == other.steps.size());
  RC_ASSERT(alike == most_alike(one, other, 0, 0));
}

}  // namespace
}  // namespace interlock::sim
