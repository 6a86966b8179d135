// Pictures of runs: whatever the run, nothing is cut off, nothing lies on top of something else,
// and the picture says what the run is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "letters.hpp"
#include "recorded_runs.hpp"

namespace interlock::sim {
namespace {

using draw::Face;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// Every place where the pattern is found, with its groups.
std::vector<std::smatch> found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()};
}

int whole(const std::ssub_match& digits) {
  return std::atoi(digits.str().c_str());
}

// What the text takes in DejaVu, the widest of the fonts that readers usually have.
double width_in_dejavu(std::string text, const std::string& kind) {
  text = std::regex_replace(text, std::regex("<title>[^<]*</title>"), "");
  text = std::regex_replace(text, std::regex("&[a-z]+;"), "&");
  std::size_t letters = 0;
  for (const char byte : text) letters += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  const auto count = static_cast<double>(letters);
  if (kind.starts_with("title")) return count * 18 * 0.65;
  if (kind.starts_with("name")) return count * 15 * 0.65;
  if (kind.starts_with("outcome")) return count * 14 * 0.65;
  if (kind.starts_with("words")) return count * 14 * 0.56;
  if (kind.starts_with("small")) return count * 12 * 0.56;
  return count * 12 * 0.602;
}

// Empty, or the first text that leaves its picture.
std::string text_outside(const std::string& svg) {
  const auto frame = found(svg, "viewBox=\"0 0 ([0-9]+) ([0-9]+)\"").front();
  const auto moved = found(svg, "<g transform=\"translate\\(([0-9]+) ([0-9]+)\\)\">");
  const std::size_t rows = svg.find("<g transform");
  for (const auto& text : found(svg,
                                "<text class=\"([^\"]*)\" x=\"(-?[0-9]+)\" y=\"(-?[0-9]+)\">"
                                "((?:<title>[^<]*</title>)?[^<]*)</text>")) {
    const bool in_rows = !moved.empty() && static_cast<std::size_t>(text.position()) > rows;
    const double width = width_in_dejavu(text[4], text[1]);
    double left = whole(text[2]) + (in_rows ? whole(moved.front()[1]) : 0);
    const double base = whole(text[3]) + (in_rows ? whole(moved.front()[2]) : 0);
    if (text[1].str().starts_with("name")) left -= width / 2;
    if (found(text[1], "\\b(number|end)\\b").size() == 1) left -= width;
    const bool fits =
        left >= 0 && left + width <= whole(frame[1]) && base >= 10 && base + 3 <= whole(frame[2]);
    if (!fits) return text[0];
  }
  return {};
}

// Empty, or what lies on top of something else.
std::string overlap(const std::string& svg) {
  int last = 0;
  for (const auto& name : found(svg, "<text class=\"name[^\"]*\" x=\"([0-9]+)\"")) {
    if (whole(name[1]) < last + 24) return name[0];
    last = whole(name[1]);
  }
  int end = 0;
  for (const auto& band : found(svg,
                                "<rect class=\"band\" x=\"1\" y=\"([0-9]+)\" width=\"[0-9]+\" "
                                "height=\"([0-9]+)\"")) {
    if (whole(band[1]) < end) return band[0];
    end = whole(band[1]) + whole(band[2]);
  }
  return {};
}

// The drawings of a page, without what stands around them.
std::vector<std::string> pictures_in(const std::string& page) {
  std::vector<std::string> pictures;
  for (const char* kind : {"wide", "narrow"}) {
    const std::size_t from = page.find("<svg class=\"run " + std::string(kind));
    if (from == std::string::npos) continue;
    pictures.push_back(page.substr(from, page.find("</svg>", from) - from));
  }
  return pictures;
}

// The shortest run that breaks the scenario, or some run of it.
Run run_of(const catalogue::CatalogueEntry& entry) {
  Scenario scenario = entry.make({});
  scenario.named(std::string(entry.name));
  if (entry.expected.outcome == Outcome::violated) return explore(scenario).run;
  return run_of_choices(scenario, {1, 0, 2, 1, 0, 3, 1, 2}, 40);
}

TEST(Picture, OfEveryScenarioIsWholeAndLegible) {
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    if (entry.slow) continue;
    SCOPED_TRACE(entry.name);
    const sim::Run run = run_of(entry);
    Remarks remarks;
    remarks.fix = entry.fix;
    remarks.replay = "interlock replay " + std::string(400, 'x');
    std::vector<std::string> pictures = pictures_in(draw_html(run, nullptr, remarks));
    ASSERT_THAT(pictures, SizeIs(2));
    pictures.push_back(draw_svg(run, nullptr, remarks));
    for (const std::string& picture : pictures) {
      EXPECT_EQ(text_outside(picture), "");
      EXPECT_EQ(overlap(picture), "");
    }
  }
}

TEST(Picture, IsScaledToItsFrameInBothColourSchemesAndHasWords) {
  const std::string svg = draw_svg(testing::setnx_race());
  const std::string root = svg.substr(0, svg.find('>'));
  EXPECT_THAT(root, HasSubstr("viewBox="));
  EXPECT_THAT(root, Not(HasSubstr(" width=")));
  EXPECT_THAT(root, HasSubstr("role=\"img\""));
  EXPECT_THAT(root, HasSubstr("aria-labelledby=\"run-title run-desc\""));
  EXPECT_THAT(svg, HasSubstr("(prefers-color-scheme: dark)"));
  // Programs that are no browsers know no custom properties.
  EXPECT_THAT(svg, Not(HasSubstr("var(")));
}

TEST(Picture, SaysWhatTheRunIs) {
  sim::Run run = testing::setnx_race();
  EXPECT_THAT(draw_svg(run), HasSubstr(": 9 steps, violation</title>"));
  run.steps.resize(6);
  EXPECT_THAT(draw_svg(run), HasSubstr(": 6 steps, unfinished</title>"));
  EXPECT_THAT(draw_html(run), HasSubstr(">6 steps, unfinished<"));
  for (ClientView& client : run.steps.back().after.clients) {
    client.status = ClientView::Status::done;
  }
  EXPECT_THAT(draw_svg(run), HasSubstr(": 6 steps, no violation</title>"));
}

TEST(Picture, ColoursAClientInItsNameLaneAndRequests) {
  const std::string svg = draw_svg(testing::setnx_race());
  for (const char* what : {"<text class=\"name client-1\"", "<path class=\"alive client-1\"",
                           "<rect class=\"outlived client-1\"", "<g class=\"client-1\">"}) {
    EXPECT_THAT(svg, HasSubstr(what));
  }
}

// A key of C1 that expires: two seconds, one, and gone.
Run lease_that_ends() {
  sim::Run run = testing::setnx_race();
  run.steps.resize(3);
  for (std::size_t at = 0; at < 3; ++at) {
    KeyView key;
    key.key = "lock.foo";
    key.value = "il1:B1";
    key.remaining = std::chrono::seconds{2 - static_cast<int>(at)};
    run.steps[at].after.keys = {key};
  }
  run.steps[2].after.keys.clear();
  return run;
}

TEST(Picture, ShowsALeaseThatShrinksUntilItsKeyExpires) {
  const std::string svg = draw_svg(lease_that_ends());
  std::vector<std::string> widths;
  for (const auto& bar : found(svg, "<rect class=\"lease [^>]* width=\"([0-9.]+)\"")) {
    widths.push_back(bar[1]);
  }
  // Half a row from the grant, then each row until the middle of the next, and one in the legend.
  EXPECT_EQ(widths, (std::vector<std::string>{"4", "8", "8", "4", "4"}));
  EXPECT_THAT(svg, HasSubstr("lease: shrinks until the key expires"));
  EXPECT_THAT(svg, HasSubstr("· 2 s"));
}

TEST(Picture, ExplainsOnlyTheSignsThatItHas) {
  sim::Run run = testing::setnx_race();
  EXPECT_THAT(draw_svg(run), HasSubstr("its key is gone or another's"));
  run.steps.resize(2);
  EXPECT_THAT(draw_svg(run), Not(HasSubstr("its key is gone or another's")));
  EXPECT_THAT(draw_html(run), Not(HasSubstr("its key is gone or another's")));
}

TEST(Letters, AreShortenedInTheMiddle) {
  EXPECT_EQ(draw::fitted("SETNX lock.foo A#1", Face::mono, 12, 1000), "SETNX lock.foo A#1");
  EXPECT_EQ(draw::fitted("SETNX lock.foo A#1", Face::mono, 12, 68), "SETN… A#1");
  EXPECT_EQ(draw::fitted("abcdef", Face::mono, 12, 1), "a…f");
  EXPECT_EQ(draw::fitted("鍵鍵鍵鍵鍵", Face::mono, 12, 60), "鍵鍵…鍵");
}

TEST(Letters, OfAParagraphAreWrapped) {
  EXPECT_THAT(draw::in_lines("one two three four", Face::mono, 12, 75), SizeIs(2));
  for (const std::string& line : draw::in_lines(std::string(200, 'w') + " x", Face::sans, 14, 90)) {
    EXPECT_LE(draw::text_width(line, Face::sans, 14), 90);
  }
}

}  // namespace
}  // namespace interlock::sim
