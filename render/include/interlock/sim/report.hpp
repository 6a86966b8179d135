// Results of searches and tests in the formats that a CI reads: JUnit XML, which shows them as
// tests, and SARIF 2.1.0, which shows violations beside the source lines. Any thread may call these
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

enum class TestResult : std::uint8_t {
  passed,
  failed,   // what was tested is wrong
  error,    // the test could not decide that
  skipped,  // the test was not begun
};

// One test as a report shows it. Texts that are empty and numbers that are 0 are left out.
class ReportedTest {
 public:
  std::string suite;
  std::string name;
  TestResult result = TestResult::passed;
  std::string type;     // of the failure or error, in one word: `violated`, `incomplete`
  std::string message;  // one line: why it did not pass
  std::string details;  // lines: the run that failed
  std::string output;   // lines: what else the test says
  double seconds = 0;
  std::uint64_t peak_memory = 0;                                // of its process, in bytes
  std::vector<std::pair<std::string, std::string>> properties;  // names and values
};

// An XML document in the form that Jenkins and GitLab read: a `<testsuite>` for each test, because
// only a suite has `<properties>` there. `name` is that of the whole. Characters that XML cannot
// have become `?`.
std::string to_junit(std::string_view name, const std::vector<ReportedTest>& tests);

// A search and what its verdict does not know.
class ReportedSearch {
 public:
  std::string name;  // of the scenario; of a command's clients, the command
  Verdict verdict;
  double seconds = 0;
  std::uint64_t peak_memory = 0;  // of the process, in bytes; 0: unknown
  std::string rule;               // the kind of the violated property: `mutual-exclusion`
  std::string again;              // a command that gives the verdict again; may be empty
  std::string replay;             // a command that shows the run again; may be empty
  std::string file;               // has the clients, if no step has a line; may be empty
  std::vector<std::string> left_out;
  // For each step of the run, where in the sources its client waited for it.
  std::vector<std::optional<TaskLine>> lines;

  // The test that this search is: proved has passed, violated has failed, and a search that could
  // not decide is an error.
  ReportedTest test() const;
  // `violated: mutual exclusion of lock.foo, in 8 steps with 0 faults`.
  std::string summary() const;
};

// What `lines` and `rule` of a search of this scenario are. Runs its clients once more.
std::vector<std::optional<TaskLine>> lines_of(const Scenario& scenario, const Run& run);
std::string rule_of(const Scenario& scenario, const Verdict& verdict);

// A SARIF 2.1.0 log with one run of the tool `interlock`. Each search is a result: `pass`, `fail`
// (level `error`) or `open`; an `invalid` scenario is a notification. A violated search has its run
// as a code flow, a location for each step. Files below `root`, a folder, are named relative to it,
// as a CI wants it; empty: all names stay as they are. An empty version is left out.
std::string to_sarif(const std::vector<ReportedSearch>& searches,
                     std::string_view version,
                     std::string_view root = {});

// One log of the results of several, each of which to_sarif() has written, without a version.
std::string merge_sarif(const std::vector<std::string>& logs);

}  // namespace interlock::sim
