// What every drawing for machines must keep, whatever the run.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/fault_text.hpp"
#include "recorded_runs.hpp"

namespace interlock::sim {
namespace {

sim::Run any_run() {
  return testing::random_run(
      [](std::size_t bound) { return *rc::gen::inRange<std::size_t>(0, bound); });
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// Empty, or the first tag that does not fit. Knows as much XML as the writer writes.
std::string unbalanced(const std::string& text) {
  std::vector<std::string> open;
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const auto end = text.find('>', at);
    if (end == std::string::npos) return "an open tag at the end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.front() != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

RC_GTEST_PROP(Formats, SvgIsBalancedAndHasEveryStep, ()) {
  const sim::Run run = any_run();
  const std::string svg = draw_svg(run);
  RC_ASSERT(unbalanced(svg) == "");
  RC_ASSERT(count(svg, "<g class=\"step") == run.steps.size() + 1);
  for (const char byte : svg) RC_ASSERT(byte == '\n' || static_cast<unsigned char>(byte) >= ' ');
}

RC_GTEST_PROP(Formats, TheHtmlPageNeedsNothingElse, ()) {
  const sim::Run run = any_run();
  const std::string page = draw_html(run);
  for (const char* asks : {"src=", "href=", "@import", "fetch(", "XMLHttp"}) {
    RC_ASSERT(page.find(asks) == std::string::npos);
  }
  RC_ASSERT(count(page, "<section class=\"at\"") == run.steps.size() + 1);
  RC_ASSERT(count(page, "<script>") == 1U);
}

RC_GTEST_PROP(Formats, MermaidClosesEveryBar, ()) {
  const std::string text = draw_mermaid(any_run());
  RC_ASSERT(text.starts_with("sequenceDiagram\n"));
  RC_ASSERT(count(text, "  activate ") == count(text, "  deactivate "));
  RC_ASSERT(count(text, "  rect ") == count(text, "  end\n"));
}

RC_GTEST_PROP(Formats, JsonHasOneObjectALine, ()) {
  const sim::Run run = any_run();
  const std::string text = to_json(run);
  RC_ASSERT(count(text, "\n") == run.steps.size() + 1);
  RC_ASSERT(count(text, "{\"v\":1,\"event\":") == run.steps.size() + 1);
}

TEST(Formats, MermaidShowsTheRaceAsTheDocumentationPromises) {
  const std::string text = draw_mermaid(testing::setnx_race());
  for (const char* line :
       {"  participant C0 as C0 (crashed)\n", "  Note over R: 50 = expired (now 100)\n",
        "  C1->>R: 1 SETNX → 0\n", "  C1->>R: 6 SETNX 112 → 1\n  activate C1\n",
        "  C2->>R: 7 DEL → 1\n", "  Note over C0,C3: VIOLATION: C1 and C2 both hold lock.foo\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(Formats, SvgTellsABeliefThatIsOverFromOneThatHolds) {
  const std::string svg = draw_svg(testing::setnx_race());
  // C1 from step 6, where it is true, until step 7, where C2 has deleted its key; each in parts.
  EXPECT_EQ(count(svg, "class=\"holds client-1\""), 2U);
  EXPECT_EQ(count(svg, "class=\"outlived client-1\""), 3U);
  EXPECT_EQ(count(svg, "class=\"holds client-2\""), 2U);
  EXPECT_NE(svg.find("<desc id=\"run-desc\">Step 8: C1 and C2 both hold lock.foo."),
            std::string::npos);
}

RC_GTEST_PROP(FaultText, AnyBudgetRoundTrips, ()) {
  FaultBudget budget;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const auto often = *rc::gen::inRange<std::size_t>(0, 3);
    const auto fault = static_cast<Fault>(kind);
    // That pauses count is told even if none is allowed: time then passes only when it must.
    if (fault == Fault::pause) {
      if (*rc::gen::arbitrary<bool>()) budget.pauses(often);
    } else if (often > 0) {
      budget.allow(fault, often);
    }
  }
  if (*rc::gen::arbitrary<bool>()) budget.at_most(*rc::gen::inRange<std::size_t>(1, 5));
  if (*rc::gen::arbitrary<bool>()) budget.let_requests_survive();
  FaultBudget usual;
  if (*rc::gen::arbitrary<bool>()) usual.pauses(1);
  const std::string text = to_text(budget, usual);
  const Result<FaultBudget> again = parse_faults(text, usual);
  RC_ASSERT(again.has_value());
  RC_ASSERT(to_text(*again, usual) == text);
  RC_ASSERT(again->total() == budget.total());
  RC_ASSERT(again->pauses_count() == budget.pauses_count());
  RC_ASSERT(again->requests_survive() == budget.requests_survive());
}

TEST(FaultText, WhetherPausesCountIsTheScenariosUnlessTheTextNamesThem) {
  const FaultBudget usual = FaultBudget().allow(Fault::crash).pauses(2);
  for (const char* text : {"none", "0", "2", "crash", "1/crash,restart"}) {
    EXPECT_TRUE(parse_faults(text, usual)->pauses_count()) << text;
    EXPECT_EQ(parse_faults(text, usual)->limit(Fault::pause), 0U) << text;
    EXPECT_FALSE(parse_faults(text)->pauses_count()) << text;
  }
  EXPECT_FALSE(parse_faults("crash,pause:free", usual)->pauses_count());
  EXPECT_EQ(parse_faults("crash,pause:free", usual)->limit(Fault::crash), 1U);
  EXPECT_EQ(parse_faults("pause:3")->limit(Fault::pause), 3U);
  EXPECT_FALSE(parse_faults("crash:free"));
}

TEST(FaultText, SaysWhichWordIsNoFault) {
  for (const char* wrong : {"", "bang", "crash,", "crash:x", "x/crash", "-1", "crash:999"}) {
    EXPECT_FALSE(parse_faults(wrong)) << wrong;
  }
  EXPECT_EQ(parse_faults("2")->total(), 2U);
  EXPECT_EQ(parse_faults("none")->total(), 0U);
}

}  // namespace
}  // namespace interlock::sim
