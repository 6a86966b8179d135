#include "interlock/sim/regression.hpp"

#include <cctype>
#include <sstream>

#include "columns.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/violation.hpp"

namespace interlock::sim {
namespace {

// `del-setnx-lock` as GoogleTest wants a name: `DelSetnxLock`.
std::string test_name(const std::string& scenario) {
  std::string name;
  bool begins = true;
  for (const char byte : scenario) {
    const auto letter = static_cast<unsigned char>(byte);
    if (std::isalnum(letter) == 0) {
      begins = true;
      continue;
    }
    if (name.empty() && std::isdigit(letter) != 0) name = "Lock";
    name += static_cast<char>(begins ? std::toupper(letter) : letter);
    begins = false;
  }
  return name.empty() ? "Lock" : name;
}

// A line of a comment must not end in a backslash, which would continue it.
std::string comment(const std::string& text) {
  std::string lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    line = draw::printable(line, true);
    if (line.ends_with('\\')) line += '.';
    lines += line.empty() ? "//\n" : "//   " + line + "\n";
  }
  return lines;
}

std::string head(const Run& run, const RegressionSource& source) {
  std::string text = "// A run that broke '" + draw::printable(run.scenario, true) + "'";
  if (violating_step(run)) {
    text += ", in step " + std::to_string(*violating_step(run) + 1) + ": " +
            draw::printable(violated_property(run), true);
  }
  text += ".\n//\n" + comment(draw_trace(run));
  if (!source.written_by.empty()) text += "//\n// Written by:\n" + comment(source.written_by);
  return text;
}

std::string includes(const RegressionSource& source) {
  std::string text = "\n#include <gtest/gtest.h>\n\n";
  for (const std::string& file : source.includes) text += "#include \"" + file + "\"\n";
  return text;
}

std::string scenario(const RegressionSource& source) {
  std::string text =
      "\nnamespace {\n\nnamespace sim = interlock::sim;\n\n"
      "// The lock under test. The tests fail as long as it is broken.\n";
  if (!source.repair.empty()) {
    text += "// Repaired: " + draw::printable(source.repair, true) + "\n";
  }
  return text + "sim::Scenario scenario_under_test() {\n  return " + source.scenario + ";\n}\n";
}

}  // namespace

std::string order_of(const Run& run) {
  std::string order;
  const auto add = [&order](const std::string& word) {
    order += (order.empty() ? "" : " ") + word;
  };
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    if (run.loop == at) add("(");
    add(print_short(run.steps[at]));
  }
  if (run.loop == run.steps.size()) add("(");
  if (run.loop) add(")");
  return order;
}

std::string regression_test(const Run& run, const RegressionSource& source) {
  const std::string name = test_name(run.scenario);
  return head(run, source) + includes(source) + scenario(source) +
         "\n// Who moves: 1 is client A, 2 is client B, t is time; interlock-schedule(5) has the "
         "other signs.\nTEST(" +
         name + "Regression, HoldsInTheOrderThatBrokeIt) {\n  EXPECT_HOLDS_IN_ORDER(" +
         "scenario_under_test(), \"" + order_of(run) + "\");\n}\n\nTEST(" + name +
         "Regression, HoldsInEveryRun) {\n"
         "  EXPECT_PROVED(sim::testing::check(scenario_under_test()));\n}\n\n}  // namespace\n";
}

}  // namespace interlock::sim
