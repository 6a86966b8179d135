// The pictures of the documents: axes with round ticks, and lengths only where they mean something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <regex>

#include "chart.hpp"

namespace interlock::benchmark {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Panel linear("of what", Panel::Scale::linear);
const Panel logarithmic("of what", Panel::Scale::logarithmic);

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Axis, HasRoundTicksFromNoughtToBeyondTheLargest) {
  EXPECT_THAT(Axis(linear, 1, 154).ticks(), ElementsAre(0, 50, 100, 150, 200));
  EXPECT_THAT(Axis(linear, 1, 100).ticks(), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(Axis(linear, 1, 0.9).ticks(),
              ElementsAre(0, DoubleNear(0.2, 1e-9), DoubleNear(0.4, 1e-9), DoubleNear(0.6, 1e-9),
                          DoubleNear(0.8, 1e-9), DoubleNear(1, 1e-9)));
}

TEST(Axis, IsRoundInTheUnitThatIsWritten) {
  const Panel shares("share", Panel::Scale::linear, " %", 100);
  EXPECT_THAT(Axis(shares, 0.01, 0.088).ticks(),
              ElementsAre(0, DoubleNear(0.02, 1e-9), DoubleNear(0.04, 1e-9), DoubleNear(0.06, 1e-9),
                          DoubleNear(0.08, 1e-9), DoubleNear(0.1, 1e-9)));
}

TEST(Axis, OfDecadesHasRoomForFiguresBelowOne) {
  const Axis axis(logarithmic, 0.06, 13.4);
  EXPECT_THAT(axis.ticks(),
              ElementsAre(DoubleNear(0.01, 1e-12), DoubleNear(0.1, 1e-12), 1, 10, 100));
  EXPECT_GT(axis.place(0.06), 0.1);
  EXPECT_LT(axis.place(0.06), axis.place(0.09));
}

RC_GTEST_PROP(Axis, CoversItsFigures, (bool decades)) {
  const double smallest = std::pow(10, *rc::gen::inRange(-4, 7)) * *rc::gen::inRange(1, 100);
  const double largest = smallest * *rc::gen::inRange(1, 1000);
  const Axis axis(decades ? logarithmic : linear, smallest, largest);
  RC_ASSERT(axis.ticks().size() >= 2U);
  RC_ASSERT(axis.ticks().size() <= 9U);
  RC_ASSERT(axis.ticks().back() >= largest * 0.999 || decades);
  RC_ASSERT(axis.place(smallest) <= axis.place(largest));
  RC_ASSERT(axis.place(largest) <= 1.0);
}

BarChart sample() {
  BarChart chart("Name", "A title", {linear, logarithmic});
  chart.legend("interlock", "ours");
  chart.legend("source", "nobody has this");
  Bar with_spread(12, "12 us");
  with_spread.lowest = 10;
  with_spread.highest = 20;
  chart.row("a row", "interlock", {with_spread, Bar(0.06, "0.06")});
  return chart;
}

TEST(BarChart, DrawsBarsOnLinearAndDotsOnLogarithmicAxes) {
  const std::string svg = sample().svg();
  EXPECT_EQ(count(svg, "height=\"14\" class=\"interlock\""), 1U) << svg;
  // One in the legend.
  EXPECT_EQ(count(svg, "<circle"), 2U);
}

TEST(BarChart, SaysWhatColoursMeanAndOnlyTheseThatItHas) {
  const std::string svg = sample().svg();
  EXPECT_THAT(svg, HasSubstr(">ours<"));
  EXPECT_THAT(svg, HasSubstr(">from the lowest to the highest of all runs<"));
  EXPECT_THAT(svg, Not(HasSubstr("nobody has this")));
}

TEST(BarChart, FitsIntoAColumnAndIntoBothColourSchemes) {
  const std::string words = "a label that is rather long, and goes on, and on, and on for ever";
  for (const std::size_t panels : {1U, 2U, 3U}) {
    const Panel panel("a head of a panel that is rather long (log scale)",
                      Panel::Scale::logarithmic);
    BarChart chart("Name", "A title", std::vector<Panel>(panels, panel));
    chart.row(words, "hiredis", std::vector<Bar>(panels, Bar(1234567, "1234567 us")));
    const std::string svg = chart.svg();
    EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 860 "));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
    const std::regex texts(
        "<text x=\"([0-9.-]+)\"[^>]*class=\"([a-z]*)\" text-anchor=\"([a-z]+)\">([^<]*)<");
    for (std::sregex_iterator at(svg.begin(), svg.end(), texts), end; at != end; ++at) {
      const double width =
          static_cast<double>((*at)[4].length()) * ((*at)[2] == "head" ? 8.0 : 7.0);
      const double left = std::stod((*at)[1]) - ((*at)[3] == "end"      ? width
                                                 : (*at)[3] == "middle" ? width / 2
                                                                        : 0);
      EXPECT_GE(left, 0) << (*at)[0];
      EXPECT_LE(left + width, 860) << (*at)[0];
    }
  }
}

TEST(BarChart, IsToldInWords) {
  EXPECT_THAT(sample().svg(), HasSubstr("role=\"img\""));
  EXPECT_EQ(sample().alternative(), "Name: A title; of what; of what");
  EXPECT_EQ(sample().description(), "A title. of what: a row 12 us. of what: a row 0.06.");
}

}  // namespace
}  // namespace interlock::benchmark
