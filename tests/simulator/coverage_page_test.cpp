// The source of a program with what a search has executed beside its lines, as a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interlock/sim/draw.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* file = "src/my_lock.cpp";

CoveredOperation operation(std::string what, std::uint32_t line) {
  CoveredOperation one;
  one.clients = {"A", "B"};
  one.what = std::move(what);
  one.file = file;
  one.line = line;
  one.outcomes = {{"1", true}, {"0", false}};
  return one;
}

Verdict verdict_about(std::vector<CoveredOperation> operations) {
  Verdict verdict;
  verdict.scenario = "my-lock";
  verdict.outcome = Outcome::proved;
  verdict.bounds = "2 identical clients";
  verdict.states = 7;
  verdict.coverage.operations = std::move(operations);
  return verdict;
}

std::string numbered_lines(std::size_t count) {
  std::string text;
  for (std::size_t line = 1; line <= count; ++line) {
    text += "text of " + std::to_string(line) + ";\n";
  }
  return text;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// From the line's number to the end of its row.
std::string row(const std::string& page, std::size_t line) {
  const auto at = page.find("<span class=\"number\">" + std::to_string(line) + "</span>");
  if (at == std::string::npos) return "no such row";
  return page.substr(at, page.find("<span class=\"number\">", at + 1) - at);
}

TEST(CoveragePage, HasTheAnswersBesideTheLine) {
  const std::string page =
      draw_coverage_page(verdict_about({operation("DEL k", 2)}), {{file, numbered_lines(3)}});
  EXPECT_THAT(row(page, 2), HasSubstr("text of 2;"));
  EXPECT_THAT(row(page, 2), HasSubstr("<b>DEL k</b>"));
  EXPECT_THAT(row(page, 2), HasSubstr("<li class=\"seen\">✓ 1</li>"));
  EXPECT_THAT(row(page, 2), HasSubstr("<li class=\"never\">✗ never 0</li>"));
  EXPECT_THAT(row(page, 1), Not(HasSubstr("DEL")));
  EXPECT_THAT(row(page, 3), Not(HasSubstr("DEL")));
}

// A sign and a word say it, and not a colour alone.
TEST(CoveragePage, MarksLinesAtWhichAnOutcomeIsMissing) {
  CoveredOperation whole = operation("GET k", 1);
  whole.outcomes = {{"nil", true}};
  const std::string page = draw_coverage_page(verdict_about({whole, operation("DEL k", 2)}),
                                              {{file, numbered_lines(3)}});
  EXPECT_THAT(row(page, 1), HasSubstr("<span class=\"sign\">✓</span>"));
  EXPECT_THAT(row(page, 2), HasSubstr("<span class=\"sign\">✗</span>"));
  EXPECT_THAT(row(page, 3), HasSubstr("<span class=\"sign\"></span>"));
  EXPECT_THAT(page, HasSubstr("✗ 1 of 3 outcomes: no run had it."));
  EXPECT_THAT(page, HasSubstr("<a href=\"#file-1-line-2\">my_lock.cpp:2</a>"));
  EXPECT_EQ(count(page, "id=\"file-1-line-2\""), 1U);
}

TEST(CoveragePage, SaysWhenNothingIsMissing) {
  CoveredOperation whole = operation("GET k", 1);
  whole.outcomes = {{"nil", true}};
  Verdict verdict = verdict_about({whole});
  EXPECT_THAT(draw_coverage_page(verdict, {}), HasSubstr("✓ Some run had each of the 1 outcomes."));
  verdict.outcome = Outcome::violated;
  EXPECT_THAT(draw_coverage_page(verdict, {}), HasSubstr("until the violation was found"));
  EXPECT_THAT(draw_coverage_page(Verdict(), {}), HasSubstr("Nothing was searched"));
}

TEST(CoveragePage, EscapesEverythingThatOthersWrite) {
  const std::string evil = "</code><script>alert(\"&\")</script>";
  CoveredOperation one = operation("GET " + evil, 1);
  one.clients = {evil};
  one.task = evil;
  one.file = evil;
  one.outcomes = {{evil, true}, {evil + "!", false}};
  CoveredOperation other = operation("DEL " + evil, 1);
  other.file.clear();
  Verdict verdict = verdict_about({one, other});
  verdict.scenario = verdict.bounds = evil;
  verdict.trusts = {evil};
  verdict.reason = evil;
  verdict.coverage.sections = {{evil, false}};
  verdict.coverage.faults = {{evil, false}};
  for (const std::string& text :
       {evil + "\n", std::string("\"'><img src=x onerror=alert(1)>\n\xff\x1b[2J\xe2\x80\xae")}) {
    const std::string page = draw_coverage_page(verdict, {{evil, text}});
    EXPECT_EQ(count(page, "<script"), 0U);
    EXPECT_EQ(count(page, "<img"), 0U);
    EXPECT_EQ(count(page, "\x1b"), 0U);
    EXPECT_EQ(count(page, "\xff"), 0U);
    EXPECT_EQ(count(page, "\xe2\x80\xae"), 0U) << "the direction of writing is changed";
  }
  EXPECT_THAT(draw_coverage_page(verdict, {{evil, evil}}),
              HasSubstr("&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;"));
}

TEST(CoveragePage, NeedsNothingElse) {
  const std::string page =
      draw_coverage_page(verdict_about({operation("DEL k", 2)}), {{file, numbered_lines(3)}});
  for (const char* asks : {"src=", "href=\"h", "@import", "<script", "url("}) {
    EXPECT_EQ(count(page, asks), 0U) << asks;
  }
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(CoveragePage, HasTheNumbersOfLinesThatAreNotThere) {
  const Verdict verdict = verdict_about({operation("DEL k", 9), operation("GET k", 2)});
  const std::string none = draw_coverage_page(verdict, {});
  EXPECT_THAT(none, HasSubstr("This file cannot be read here"));
  EXPECT_THAT(row(none, 9), HasSubstr("<b>DEL k</b>"));
  EXPECT_THAT(row(none, 2), HasSubstr("<b>GET k</b>"));
  const std::string shorter = draw_coverage_page(verdict, {{file, numbered_lines(3)}});
  EXPECT_THAT(shorter, HasSubstr("The file has changed since"));
  EXPECT_THAT(row(shorter, 9), HasSubstr("<b>DEL k</b>"));
  EXPECT_EQ(count(shorter, "<b>GET k</b>"), 2U) << "once at its line, once above the source";
}

TEST(CoveragePage, SaysThatACommandHasNoLines) {
  CoveredOperation of_command = operation("DEL k", 0);
  of_command.file.clear();
  const std::string page = draw_coverage_page(verdict_about({of_command}), {});
  EXPECT_THAT(page, HasSubstr("Their source lines are not known"));
  EXPECT_THAT(page, HasSubstr("<li class=\"never\">✗ never 0</li>"));
  EXPECT_THAT(page, Not(HasSubstr("href")));
}

TEST(CoveragePage, FoldsLinesFarFromAllOperations) {
  const std::string page =
      draw_coverage_page(verdict_about({operation("DEL k", 30)}), {{file, numbered_lines(36)}});
  EXPECT_THAT(page, HasSubstr("<summary>Lines 1 to 25</summary>"));
  EXPECT_EQ(count(page, "<details>"), 1U) << "lines 35 and 36 are too few";
  EXPECT_EQ(count(page, "<span class=\"number\">"), 36U);
}

TEST(CoveragePage, ShowsTabsAndForeignEndsOfLines) {
  const std::string page =
      draw_coverage_page(verdict_about({operation("DEL k", 1)}), {{file, "a\tb\r\n\tc\r\nlast"}});
  EXPECT_THAT(row(page, 1), HasSubstr("<code>a       b</code>"));
  EXPECT_THAT(row(page, 2), HasSubstr("<code>        c</code>"));
  EXPECT_THAT(row(page, 3), HasSubstr("<code>last</code>"));
}

TEST(CoveragePage, NamesClientsAndTasksIfThereAreSeveral) {
  CoveredOperation other = operation("GET k", 2);
  other.task = "renewal";
  EXPECT_THAT(draw_coverage_page(verdict_about({operation("DEL k", 1), other}), {}),
              HasSubstr("<span class=\"who\">A, B, task renewal</span>"));
  EXPECT_THAT(draw_coverage_page(verdict_about({operation("DEL k", 1)}), {}),
              Not(HasSubstr("class=\"who\"")));
}

TEST(CoveragePage, NamesFilesFromTheFolderOfTheSources) {
  EXPECT_EQ(below_the_sources("../../src/a.cpp"), "src/a.cpp");
  EXPECT_EQ(below_the_sources("./../src/../a.cpp"), "src/../a.cpp");
  EXPECT_EQ(below_the_sources("/src/a.cpp"), "/src/a.cpp");
  CoveredOperation one = operation("DEL k", 1);
  one.file = "../../src/a.cpp";
  EXPECT_THAT(draw_coverage_page(verdict_about({one}), {{one.file, "text"}}),
              HasSubstr("<h2>src/a.cpp</h2>"));
}

TEST(CoveragePage, CoverageKnowsItsFiles) {
  CoveredOperation other = operation("GET k", 2);
  other.file = "other.cpp";
  CoveredOperation unknown = operation("SET k", 0);
  unknown.file.clear();
  const Verdict verdict =
      verdict_about({operation("DEL k", 1), other, operation("GET k", 2), unknown});
  EXPECT_THAT(verdict.coverage.files(), ::testing::ElementsAre(file, "other.cpp"));
}

}  // namespace
}  // namespace interlock::sim
