// A search as a report shows it.
#include "interlock/sim/report.hpp"

#include <algorithm>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

TestResult result_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::proved:
      return TestResult::passed;
    case Outcome::violated:
      return TestResult::failed;
    case Outcome::incomplete:
    case Outcome::invalid:
      break;
  }
  return TestResult::error;
}

}  // namespace

std::string ReportedSearch::summary() const {
  std::string text(to_string(verdict.outcome));
  if (verdict.outcome == Outcome::violated) {
    text += ": " + verdict.property + ", in " + counted(verdict.run.steps.size(), "step") +
            " with " + counted(verdict.run.faults(), "fault");
  }
  return verdict.reason.empty() ? text : text + ": " + verdict.reason;
}

ReportedTest ReportedSearch::test() const {
  ReportedTest test;
  test.suite = name;
  test.name = "every run";
  test.result = result_of(verdict.outcome);
  test.seconds = seconds;
  test.peak_memory = peak_memory;
  if (test.result != TestResult::passed) {
    test.type = to_string(verdict.outcome);
    test.message = summary();
  }
  if (verdict.outcome == Outcome::violated) {
    Remarks remarks;
    remarks.replay = replay;
    test.details = "\n" + draw_text(verdict.run, &verdict, remarks);
  }
  test.output = "\n" + describe(verdict);
  for (const std::string& one : left_out) test.output += "  left out: " + one + "\n";
  if (!again.empty()) test.output += "  again: " + again + "\n";
  test.properties = {{"verdict", std::string(to_string(verdict.outcome))},
                     {"bounds", verdict.bounds},
                     {"states", std::to_string(verdict.states)},
                     {"steps", std::to_string(verdict.transitions)},
                     {"depth", std::to_string(verdict.depth)}};
  return test;
}

std::vector<std::optional<TaskLine>> lines_of(const Scenario& scenario, const Run& run) {
  std::vector<std::optional<TaskLine>> lines;
  if (run.empty()) return lines;
  Simulation simulation(scenario);
  for (const RunStep& step : run.steps) {
    lines.emplace_back();
    if (step.client) {
      const std::vector<TaskLine> waiting = simulation.lines()[*step.client];
      const auto at = std::find_if(waiting.begin(), waiting.end(),
                                   [&](const TaskLine& line) { return line.task == step.task; });
      if (at != waiting.end()) lines.back() = *at;
    }
    if (!simulation.take(step.code)) break;
  }
  lines.resize(run.steps.size());
  return lines;
}

std::string rule_of(const Scenario& scenario, const Verdict& verdict) {
  for (const Property& property : scenario.properties()) {
    if (property.name == verdict.property) return std::string(to_string(property.kind));
  }
  return {};
}

}  // namespace interlock::sim
