// What a CI reads of searches.
#include "interlock/sim/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;
using nlohmann::json;

ReportedSearch searched(TakeOver how) {
  const Scenario scenario = stamp_lock_scenario(how, 2, 1, 1);
  ReportedSearch search;
  search.name = scenario.name();
  search.verdict = explore(scenario);
  search.rule = rule_of(scenario, search.verdict);
  search.lines = lines_of(scenario, search.verdict.run);
  return search;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Junit, TextCannotBreakTheDocument) {
  ReportedTest test;
  test.suite = "a<b>&\"c\"";
  test.name = std::string("line\nbreak") + '\x01';
  test.result = TestResult::failed;
  test.message = "]]> </failure>";
  test.details = "one\ntwo <three>";
  const std::string text = to_junit("all", {test});
  EXPECT_TRUE(has(text, "name=\"a&lt;b&gt;&amp;&quot;c&quot;\"")) << text;
  EXPECT_TRUE(has(text, "name=\"line?break?\"")) << text;
  EXPECT_TRUE(has(text, "message=\"]]&gt; &lt;/failure&gt;\"")) << text;
  EXPECT_TRUE(has(text, ">one\ntwo &lt;three&gt;</failure>")) << text;
}

TEST(Junit, CountsWhatDidNotPass) {
  std::vector<ReportedTest> tests(5);
  tests[1].result = TestResult::failed;
  tests[2].result = TestResult::error;
  tests[3].result = TestResult::skipped;
  tests[4].seconds = 1.2345;
  const std::string text = to_junit("all", tests);
  EXPECT_TRUE(has(text,
                  "<testsuites name=\"all\" tests=\"5\" failures=\"1\" errors=\"1\" "
                  "skipped=\"1\" time=\"1.235\">") ||
              has(text,
                  "<testsuites name=\"all\" tests=\"5\" failures=\"1\" errors=\"1\" "
                  "skipped=\"1\" time=\"1.234\">"))
      << text;
}

TEST(Junit, OnlyAProofPasses) {
  ReportedSearch search;
  search.verdict.outcome = Outcome::proved;
  EXPECT_EQ(search.test().result, TestResult::passed);
  search.verdict.outcome = Outcome::violated;
  EXPECT_EQ(search.test().result, TestResult::failed);
  search.verdict.outcome = Outcome::incomplete;
  EXPECT_EQ(search.test().result, TestResult::error);
  search.verdict.outcome = Outcome::invalid;
  EXPECT_EQ(search.test().result, TestResult::error);
}

TEST(Sarif, EachStepHasTheLineAtWhichItsClientWaited) {
  const ReportedSearch search = searched(TakeOver::del_setnx);
  ASSERT_EQ(search.lines.size(), search.verdict.run.steps.size());
  for (const auto& line : search.lines) {
    ASSERT_TRUE(line);
    EXPECT_TRUE(line->file.ends_with("stamp_lock.cpp")) << line->file;
    EXPECT_GT(line->number, 0U);
  }
  const std::string& file = search.lines[0]->file;
  const std::string root = file.substr(0, file.find("flawed/"));
  const json log = json::parse(to_sarif({search}, "1.2.3", root));
  const json& result = log["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "mutual-exclusion");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            file.substr(root.size()));
  EXPECT_EQ(result["codeFlows"][0]["threadFlows"][0]["locations"].size(),
            search.verdict.run.steps.size());
  const json whole = json::parse(to_sarif({search}, ""));
  EXPECT_FALSE(whole["runs"][0]["tool"]["driver"].contains("semanticVersion"));
}

TEST(Sarif, AFileWithOddLettersIsStillAUri) {
  ReportedSearch search;
  search.file = "my locks/ä.py";
  const json log = json::parse(to_sarif({search}, ""));
  EXPECT_EQ(
      log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "my%20locks/%C3%A4.py");
}

TEST(Sarif, LogsOfSeveralProcessesAreOneRunWithEachRuleOnce) {
  const std::string broken = to_sarif({searched(TakeOver::del_setnx)}, "");
  const std::string proved = to_sarif({searched(TakeOver::getset)}, "");
  const json log = json::parse(merge_sarif({proved, broken, broken}));
  ASSERT_EQ(log["runs"].size(), 1U);
  const json& run = log["runs"][0];
  EXPECT_EQ(run["results"].size(), 3U);
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2U);
  for (const json& result : run["results"]) {
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
              result["ruleId"]);
  }
  EXPECT_EQ(json::parse(merge_sarif({}))["runs"][0]["results"].size(), 0U);
}

}  // namespace
}  // namespace interlock::sim
