#include "lab/run_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::cli {
namespace {

// `A SETNX 1`: who, what, reply.
sim::Schedule schedule(const std::vector<std::vector<std::string>>& steps) {
  sim::Schedule schedule;
  for (const auto& step : steps) {
    schedule.steps.push_back({});
    schedule.steps.back().mover = step[0];
    schedule.steps.back().action = step[1];
    schedule.steps.back().reply = step[2];
  }
  return schedule;
}

const sim::Schedule one = schedule({{"A", "GET k", "1"}, {"A", "DEL k", "1"}, {"B", "GET k", "1"}});
const sim::Schedule other =
    schedule({{"A", "GET k", "1"}, {"B", "DEL k", "0"}, {"B", "GET k", "nil"}});
const std::vector<sim::AlignedRow> rows{
    {0, 0, true}, {1, std::nullopt, false}, {std::nullopt, 1, false}, {2, 2, false}};

TEST(DifferenceText, IsOneBelowTheOtherInFewColumns) {
  const std::string text =
      "   1    1   A GET k -> 1\n"
      "          -- the first difference --\n"
      "   2      - A DEL k -> 1\n"
      "        2 + B DEL k -> 0\n"
      "   3      - B GET k -> 1\n"
      "        3 + B GET k -> nil\n";
  EXPECT_EQ(difference_text(one, other, rows, std::nullopt), text);
  EXPECT_EQ(difference_text(one, other, rows, 119), text);
}

TEST(DifferenceText, IsSideBySideInMany) {
  const std::string left(58 - 18, ' ');
  EXPECT_EQ(difference_text(one, other, rows, 120),
            "   1  A GET k -> 1" + left + "      1  A GET k -> 1\n" +
                "          -- the first difference --\n" + "   2  A DEL k -> 1" + left + " <\n" +
                std::string(58, ' ') + " >    2  B DEL k -> 0\n" + "   3  B GET k -> 1" + left +
                " |    3  B GET k -> nil\n");
}

TEST(DifferenceText, BreaksALongStepAndCutsNone) {
  const std::string key = "k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11 k12 k13 k14 k15 k16 k17 k18 k19 k20";
  const sim::Schedule longer = schedule({{"A", "DEL " + key, "20"}});
  const sim::Schedule none;
  const std::vector<sim::AlignedRow> row{{0, std::nullopt, false}};
  for (const std::size_t columns : {40U, 60U, 120U}) {
    const std::string text = difference_text(longer, none, row, columns);
    EXPECT_THAT(text, testing::HasSubstr("k1 k2")) << text;
    EXPECT_THAT(text, testing::ContainsRegex("-> *\n? *20")) << text;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(end - at, columns) << text;
      at = end + 1;
    }
  }
}

TEST(DifferenceText, LeavesOutLongStretchesThatAreAlike) {
  sim::Schedule longer;
  std::vector<sim::AlignedRow> all;
  for (std::size_t step = 0; step < 20; ++step) {
    longer.steps.push_back(one.steps[0]);
    all.push_back({step, step, step != 10});
  }
  const std::string text = difference_text(longer, longer, all, std::nullopt);
  EXPECT_THAT(text, testing::StartsWith("          ... 7 steps alike\n   8    8   A GET"));
  EXPECT_THAT(text, testing::EndsWith("  14   14   A GET k -> 1\n          ... 6 steps alike\n"));
}

}  // namespace
}  // namespace interlock::cli
