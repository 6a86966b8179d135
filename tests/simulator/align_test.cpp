// Two runs side by side.
#include "interlock/sim/align.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"

namespace interlock::sim {
namespace {

ScheduleStep step(const std::string& mover, const std::string& action, const std::string& reply) {
  ScheduleStep made;
  made.mover = mover;
  made.action = action;
  made.reply = reply;
  return made;
}

// `1=1` the same step, `1~1` with another answer, `1-` and `-1` of one run alone.
std::string told(const Alignment& aligned) {
  std::string text;
  for (const AlignedStep& row : aligned.rows) {
    text += text.empty() ? "" : " ";
    if (row.one) text += std::to_string(*row.one + 1);
    text += row.one && row.other ? (row.same ? "=" : "~") : "-";
    if (row.other) text += std::to_string(*row.other + 1);
  }
  return text;
}

const ScheduleStep get = step("A", "GET lock", "nil");
const ScheduleStep get_taken = step("A", "GET lock", "103");
const ScheduleStep set = step("A", "SETNX lock 1", "1");
const ScheduleStep del = step("B", "DEL lock", "1");

TEST(Align, RunsThatBeginAlike) {
  const Alignment aligned = align({get, set, del}, {get, del, set});
  EXPECT_EQ(aligned.alike, 1U);
  EXPECT_EQ(told(align({get, set, del}, {get, set, del})), "1=1 2=2 3=3");
  EXPECT_EQ(told(align({get}, {get, set, del})), "1=1 -2 -3");
  EXPECT_EQ(told(align({}, {})), "");
}

TEST(Align, AStepThatOneRunAddsStandsAlone) {
  EXPECT_EQ(told(align({get, del}, {get, set, del})), "1=1 -2 2=3");
  EXPECT_EQ(told(align({set, get, del}, {get, del})), "1- 2=1 3=2");
}

TEST(Align, AnotherAnswerStandsBesideAndIsNoSameStep) {
  EXPECT_EQ(told(align({get, del}, {get_taken, del})), "1~1 2=2");
  EXPECT_EQ(align({get, del}, {get_taken, del}).alike, 0U);
  // The same answer is better.
  EXPECT_EQ(told(align({get}, {get_taken, get})), "-1 1=2");
}

TEST(Align, LongRunsStandSideBySideAsFarAsTheyBeginAlike) {
  std::vector<ScheduleStep> one(5000, get);
  std::vector<ScheduleStep> other(5000, get);
  one[1] = set;
  other[1] = del;
  const Alignment aligned = align(one, other);
  EXPECT_EQ(aligned.alike, 1U);
  EXPECT_EQ(aligned.rows.size(), 1U + 4999U + 4999U);
}

TEST(Align, ToldStepsAreThoseOfTheSchedule) {
  const auto run =
      replay(*catalogue::build("del-setnx-lock", {}), *parse_short("del-setnx-lock:12"));
  ASSERT_TRUE(run);
  EXPECT_EQ(told_steps(*run).steps, make_schedule(*run).steps);
}

}  // namespace
}  // namespace interlock::sim
