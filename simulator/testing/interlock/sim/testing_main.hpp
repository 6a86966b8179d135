// A main() for GoogleTest that runs each test in a process of its own, several at a time:
//
//   int main(int argc, char** argv) { return interlock::sim::testing::run_tests(argc, argv); }
//
// Beside the flags of GoogleTest it takes
//
//   --jobs=N           at most N tests at a time (default: one for each processor)
//   --junit=FILE       writes the results as JUnit XML, as --gtest_output=xml:FILE does
//   --sarif=FILE       writes the violations that the searches have found as SARIF 2.1.0
//   --regression=NAME  no tests: searches the NamedScenario, and prints the run that breaks it as a
//                      file for GoogleTest
//
// It says of each test how long it took and how much memory its process had at most. On a terminal
// it shows how far the searches are. A test that crashes fails alone. A test's process is forked
// from this one before any test has run: a thread of a static object does not exist there.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <list>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/sim/named_scenario.hpp"
#include "interlock/sim/regression.hpp"
#include "interlock/sim/report.hpp"
#include "interlock/sim/test_process.hpp"

namespace interlock::sim::testing {

class TestingFlags {
 public:
  std::size_t jobs = 0;
  std::string junit;
  std::string sarif;
  std::string regression;
  std::string wrong;  // the first argument that is no flag

  TestingFlags(int argc, char** argv) {
    for (int at = 1; at < argc; ++at) read(argv[at]);
    constexpr std::string_view xml = "xml:";
    const std::string output = GTEST_FLAG_GET(output);
    if (junit.empty() && output.starts_with(xml)) junit = output.substr(xml.size());
    if (jobs == 0) {
      const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
      jobs = processors < 1 ? 1 : static_cast<std::size_t>(processors);
    }
  }

 private:
  void read(const std::string& word) {
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    const std::string value = sign == std::string::npos ? "" : word.substr(sign + 1);
    if (name == "--jobs") jobs = std::strtoul(value.c_str(), nullptr, 10);
    const bool known = name == "--jobs"         ? jobs > 0
                       : name == "--junit"      ? take(value, junit)
                       : name == "--sarif"      ? take(value, sarif)
                       : name == "--regression" ? take(value, regression)
                                                : false;
    if (!known && wrong.empty()) wrong = word;
  }
  static bool take(const std::string& value, std::string& into) {
    into = value;
    return !value.empty();
  }
};

// A test by its two names.
using TestName = std::pair<std::string, std::string>;

// The tests that GoogleTest's filter and shards choose: it tells them only as a list to read.
inline std::vector<TestName> chosen_tests() {
  std::FILE* const list = std::tmpfile();
  if (list == nullptr) return {};
  std::cout.flush();
  std::fflush(nullptr);
  if (const pid_t lister = ::fork(); lister == 0) {
    ::dup2(::fileno(list), STDOUT_FILENO);
    GTEST_FLAG_SET(list_tests, true);
    GTEST_FLAG_SET(output, "");
    const int listed = RUN_ALL_TESTS();
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(listed);
  } else {
    ::waitpid(lister, nullptr, 0);
  }
  std::rewind(list);
  std::vector<TestName> tests;
  std::string suite;
  char bytes[4096];
  while (std::fgets(bytes, sizeof bytes, list) != nullptr) {
    std::string line = bytes;
    line.resize(std::min(line.find_last_not_of(" \n") + 1, line.find("  #")));
    const bool is_test = line.starts_with("  ");
    if (!is_test) suite = line.substr(0, line.rfind('.'));
    const std::string name = is_test ? line.substr(2) : "";
    const bool off = suite.starts_with("DISABLED_") || name.starts_with("DISABLED_");
    if (is_test && (!off || GTEST_FLAG_GET(also_run_disabled_tests))) {
      tests.emplace_back(suite, name);
    }
  }
  std::fclose(list);
  const std::uint64_t shards = number_from("GTEST_TOTAL_SHARDS");
  if (shards < 2) return tests;
  std::vector<TestName> mine;
  for (std::size_t at = number_from("GTEST_SHARD_INDEX"); at < tests.size(); at += shards) {
    mine.push_back(tests[at]);
  }
  return mine;
}

class ParallelTests {
 public:
  ParallelTests(std::vector<TestName> tests, std::size_t jobs)
      : waiting_(tests.begin(), tests.end()), all_(tests.size()), jobs_(jobs) {}

  // Returns whether all have passed.
  bool run() {
    while (start_some()) {
      std::vector<pollfd> events;
      for (const TestProcess& one : running_) events.push_back({one.news(), POLLIN, 0});
      constexpr int second = 1000;
      ::poll(events.data(), events.size(), second);
      std::size_t at = 0;
      for (auto one = running_.begin(); one != running_.end();) {
        const bool ended = events[at++].revents != 0 && !one->read_news();
        if (ended) finish(*one);
        one = ended ? running_.erase(one) : std::next(one);
      }
      show_progress();
    }
    sum_up();
    return failed_.empty();
  }

  const std::vector<ReportedTest>& results() const { return results_; }
  const std::vector<std::string>& sarif_logs() const { return sarif_logs_; }

 private:
  // False: all are done.
  bool start_some() {
    while (running_.size() < jobs_ && !waiting_.empty()) {
      TestProcess& one = running_.emplace_back(waiting_.front().first, waiting_.front().second);
      if (!one.started()) {
        running_.pop_back();
        if (running_.empty()) {
          std::cerr << "no process could be started: raise the limit (ulimit -u, ulimit -n)\n";
          failed_.push_back("all tests that are left");
          return false;
        }
        break;  // when another has ended
      }
      waiting_.pop_front();
    }
    return !running_.empty();
  }

  void finish(TestProcess& one) {
    results_.push_back(one.end());
    if (!one.sarif().empty()) sarif_logs_.push_back(one.sarif());
    const ReportedTest& test = results_.back();
    const bool bad = test.result == TestResult::failed || test.result == TestResult::error;
    if (bad) failed_.push_back(one.name());
    wipe();
    if (bad) std::cout << test.details;
    constexpr double mebi = 1 << 20;
    char figures[64];
    std::snprintf(figures, sizeof figures, "%.2f s, %.0f MiB", test.seconds,
                  static_cast<double>(test.peak_memory) / mebi);
    std::cout << "[" << results_.size() << "/" << all_ << "] " << word(test.result) << " "
              << one.name() << " (" << figures << ")"
              << (test.result == TestResult::error ? ": " + test.message : "") << std::endl;
  }

  static const char* word(TestResult result) {
    switch (result) {
      case TestResult::passed:
        return "passed ";
      case TestResult::skipped:
        return "skipped";
      case TestResult::failed:
      case TestResult::error:
        break;
    }
    return "FAILED ";
  }

  // Once a second on a terminal, and twice a minute in a log.
  void show_progress() {
    const auto now = std::chrono::steady_clock::now();
    if (running_.empty() || now - shown_ < std::chrono::seconds(on_terminal_ ? 1 : 30)) return;
    shown_ = now;
    std::string line = std::to_string(results_.size()) + " of " + std::to_string(all_) + " done";
    for (const TestProcess& one : running_) {
      line += "; " + one.name() + " " + std::to_string(static_cast<int>(one.seconds())) + " s";
      if (!one.progress().empty()) line += " (" + one.progress() + ")";
    }
    constexpr std::size_t columns = 79;
    if (on_terminal_) {
      line.resize(columns, ' ');
      std::cerr << '\r' << line << std::flush;
      line_there_ = true;
    } else {
      std::cerr << line << std::endl;
    }
  }

  void wipe() {
    if (line_there_) std::cerr << '\r' << std::string(79, ' ') << '\r' << std::flush;
    line_there_ = false;
  }

  void sum_up() const {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    char time[32];
    std::snprintf(time, sizeof time, "%.2f s", seconds);
    std::cout << results_.size() << " tests, " << failed_.size() << " failed, in " << time << ", "
              << jobs_ << " at a time\n";
    for (const std::string& name : failed_) std::cout << "  FAILED " << name << "\n";
    std::cout << std::flush;
  }

  std::list<TestName> waiting_;
  std::list<TestProcess> running_;
  std::size_t all_;
  std::size_t jobs_;
  std::vector<ReportedTest> results_;
  std::vector<std::string> failed_;
  std::vector<std::string> sarif_logs_;
  bool on_terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool line_there_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = begin_;
};

// --regression. Exit codes as those of `interlock explore`: 1 if the scenario is violated, and the
// test was printed.
inline int print_regression(const std::string& name, const std::string& command) {
  const NamedScenario* const known = NamedScenario::find(name);
  if (known == nullptr) {
    std::cerr << "no scenario is named '" << name << "': there are";
    for (const NamedScenario* one : NamedScenario::all()) std::cerr << " " << one->name();
    std::cerr << "\n";
    return 64;
  }
  const Verdict verdict = check(known->make());
  if (verdict.outcome != Outcome::violated) {
    std::cerr << "no regression test: " << describe(verdict);
    return verdict.outcome == Outcome::proved ? 0 : 2;
  }
  RegressionSource source;
  source.includes = {"interlock/sim/named_scenario.hpp"};
  source.scenario = "sim::testing::NamedScenario::made(\"" + name + "\")";
  source.written_by = command + " --regression=" + name;
  std::cout << regression_test(verdict.run, source);
  return 1;
}

inline bool write_report(const std::string& file, const std::string& text) {
  if (file.empty()) return true;
  std::ofstream into(file, std::ios::binary);
  into << text << std::flush;
  if (!into) std::cerr << "'" << file << "' could not be written\n";
  return static_cast<bool>(into);
}

// Returns the exit code: 0, or 1 if a test has failed or a report could not be written; 64: an
// argument is not understood. Call it once, from main().
inline int run_tests(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string program = argc > 0 ? argv[0] : "tests";
  const TestingFlags flags(argc, argv);
  if (!flags.wrong.empty()) {
    std::cerr << "'" << flags.wrong
              << "' is no flag here: write --jobs=N, --junit=FILE, --sarif=FILE, "
                 "--regression=NAME or a flag of GoogleTest\n";
    return 64;
  }
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  if (!flags.regression.empty()) {
    return print_regression(flags.regression, program.substr(program.rfind('/') + 1));
  }
  ParallelTests tests(chosen_tests(), flags.jobs);
  const bool passed = tests.run();
  const bool written = write_report(flags.junit, to_junit(program, tests.results())) &&
                       write_report(flags.sarif, merge_sarif(tests.sarif_logs()));
  return passed && written ? 0 : 1;
}

}  // namespace interlock::sim::testing
