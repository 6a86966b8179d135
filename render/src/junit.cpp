// JUnit XML. Written by hand, with the escaping that SVG and HTML need here anyway: a library for
// XML would become a dependency of every test that links this one.
#include <array>
#include <cmath>
#include <cstddef>

#include "interlock/sim/report.hpp"
#include "svg_writer.hpp"

namespace interlock::sim {
namespace draw {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml(value) + "\"";
}

// Text in an element: its line ends stay.
std::string lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += xml(text.substr(0, end));
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

// With a point, whatever the locale.
std::string seconds_text(double seconds) {
  const auto ms = static_cast<std::uint64_t>(std::llround(seconds < 0 ? 0 : seconds * 1000));
  const std::string rest = std::to_string(1000 + ms % 1000);
  return std::to_string(ms / 1000) + "." + rest.substr(1);
}

class TestCounts {
 public:
  void add(const ReportedTest& test) {
    ++tests;
    seconds += test.seconds;
    failures += test.result == TestResult::failed ? 1U : 0U;
    errors += test.result == TestResult::error ? 1U : 0U;
    skipped += test.result == TestResult::skipped ? 1U : 0U;
  }
  std::string attributes() const {
    return attribute("tests", std::to_string(tests)) +
           attribute("failures", std::to_string(failures)) +
           attribute("errors", std::to_string(errors)) +
           attribute("skipped", std::to_string(skipped)) + attribute("time", seconds_text(seconds));
  }
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  double seconds = 0;
};

std::string property(std::string_view name, std::string_view value) {
  return "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

std::string properties(const ReportedTest& test) {
  std::string text;
  for (const auto& [name, value] : test.properties) text += property(name, value);
  if (test.peak_memory > 0) text += property("peak_memory", std::to_string(test.peak_memory));
  return text.empty() ? text : "    <properties>\n" + text + "    </properties>\n";
}

// `<failure ...>`, and nothing for a test that has passed.
std::string result(const ReportedTest& test) {
  constexpr std::array<std::string_view, 4> elements{"", "failure", "error", "skipped"};
  std::string element(elements.at(static_cast<std::size_t>(test.result)));
  if (element.empty()) return element;
  std::string text = "      <" + element + attribute("message", test.message);
  if (test.result == TestResult::skipped) return text + "/>\n";
  return text + attribute("type", test.type) + ">" + lines(test.details) + "</" + element + ">\n";
}

std::string suite(const ReportedTest& test) {
  TestCounts counts;
  counts.add(test);
  std::string text = "  <testsuite" + attribute("name", test.suite) + counts.attributes() + ">\n";
  text += properties(test);
  text += "    <testcase" + attribute("classname", test.suite) + attribute("name", test.name) +
          attribute("time", seconds_text(test.seconds)) + ">\n";
  text += result(test);
  if (!test.output.empty()) {
    text += "      <system-out>" + lines(test.output) + "</system-out>\n";
  }
  return text + "    </testcase>\n  </testsuite>\n";
}

}  // namespace
}  // namespace draw

std::string to_junit(std::string_view name, const std::vector<ReportedTest>& tests) {
  draw::TestCounts counts;
  for (const ReportedTest& test : tests) counts.add(test);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                     draw::attribute("name", name) + counts.attributes() + ">\n";
  for (const ReportedTest& test : tests) text += draw::suite(test);
  return text + "</testsuites>\n";
}

}  // namespace interlock::sim
