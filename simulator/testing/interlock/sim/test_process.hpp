// One test of GoogleTest in a process of its own: for testing_main.hpp.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/sim/report.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim::testing {

// What a test's process tells the one that runs it, over a pipe: a letter, a length and a text.
enum class TestNews : char {
  progress = 'p',  // what it is doing
  failure = 'f',   // why it has failed, in one line
  skipped = 's',
  sarif = 'j',  // its searches, as a SARIF log
};

inline void send_news(int pipe, TestNews kind, std::string_view text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string record(1, static_cast<char>(kind));
  record.append(reinterpret_cast<const char*>(&length), sizeof length);
  record += text;
  for (std::size_t sent = 0; sent < record.size();) {
    const ssize_t now = ::write(pipe, record.data() + sent, record.size() - sent);
    if (now <= 0) return;  // the reader has gone
    sent += static_cast<std::size_t>(now);
  }
}

// In the test's process: sends on what its searches and GoogleTest say.
class TestReporter final : public SearchListener, public ::testing::EmptyTestEventListener {
 public:
  explicit TestReporter(int pipe) : pipe_(pipe) {}

  void searching(const Scenario& scenario, const Progress& progress) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    send_news(pipe_, TestNews::progress,
              scenario.name() + ", " + std::to_string(progress.states) + " states, depth " +
                  std::to_string(progress.depth));
  }

  void searched(const Scenario& scenario, const Verdict& verdict) override {
    ReportedSearch search;
    search.name = scenario.name();
    search.verdict = verdict;
    search.rule = rule_of(scenario, verdict);
    search.lines = lines_of(scenario, verdict.run);
    searches_.push_back(std::move(search));
  }

  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.skipped()) {
      // Newer versions of GoogleTest end it by a newline.
      std::string why = result.message();
      while (why.ends_with('\n')) why.pop_back();
      send_news(pipe_, TestNews::skipped, why);
    }
    if (!result.failed()) return;
    std::string line = result.message();
    line.resize(std::min(line.size(), line.find('\n')));
    send_news(pipe_, TestNews::failure, line);
  }

  // Leaves out the violations that the test expects.
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::vector<ReportedSearch> told;
    for (ReportedSearch& search : searches_) {
      if (search.verdict.outcome != Outcome::proved && test.result()->Passed()) continue;
      told.push_back(std::move(search));
    }
    char folder[4096];
    const char* const root = ::getcwd(folder, sizeof folder);
    send_news(pipe_, TestNews::sarif, to_sarif(told, "", root == nullptr ? "" : root));
  }

 private:
  int pipe_;
  std::chrono::steady_clock::time_point last_;
  std::vector<ReportedSearch> searches_;
};

class TestProcess {
 public:
  // Forks. If the system refuses, started() is false.
  TestProcess(std::string suite, std::string test) {
    report_.suite = std::move(suite);
    report_.name = std::move(test);
    int ends[2];
    output_ = std::tmpfile();
    if (output_ == nullptr || ::pipe2(ends, O_CLOEXEC) != 0) return;
    std::cout.flush();
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) run(ends[1]);
    ::close(ends[1]);
    news_ = ends[0];
  }
  ~TestProcess() {
    if (output_ != nullptr) std::fclose(output_);
    if (news_ >= 0) ::close(news_);
  }
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;

  bool started() const { return pid_ > 0; }
  int news() const { return news_; }
  std::string name() const { return report_.suite + "." + report_.name; }
  const std::string& progress() const { return progress_; }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  const std::string& sarif() const { return sarif_; }

  // Reads what the process has to say; false: it has ended.
  bool read_news() {
    char bytes[65536];
    const ssize_t count = ::read(news_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    unread_.append(bytes, static_cast<std::size_t>(count));
    while (take_record()) {
    }
    return true;
  }

  // Waits for the end of the process, and says how the test went.
  ReportedTest end() {
    int status = 0;
    rusage used{};
    while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
    }
    constexpr std::uint64_t kibi = 1024;
    report_.seconds = seconds();
    report_.peak_memory = static_cast<std::uint64_t>(used.ru_maxrss) * kibi;
    report_.details = output();
    if (WIFSIGNALED(status)) {
      report_.result = TestResult::error;
      report_.type = "crashed";
      report_.message = "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                        ::strsignal(WTERMSIG(status)) + ")";
    } else if (WEXITSTATUS(status) != 0) {
      report_.result = TestResult::failed;
      report_.type = "failed";
      if (report_.message.empty()) {
        report_.message = "ended with exit code " + std::to_string(WEXITSTATUS(status));
      }
    } else if (report_.result != TestResult::skipped) {
      report_.output = std::exchange(report_.details, "");
    }
    return report_;
  }

 private:
  // Never returns. Static objects are the other process's, too, so this leaves them alone.
  [[noreturn]] void run(int pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(::fileno(output_), STDOUT_FILENO);
    ::dup2(::fileno(output_), STDERR_FILENO);
    GTEST_FLAG_SET(filter, name());
    GTEST_FLAG_SET(output, "");
    GTEST_FLAG_SET(color, "no");
    // The tests were shared among machines before.
    for (const char* name :
         {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"}) {
      ::unsetenv(name);
    }
    auto* const reporter = new TestReporter(pipe);  // GoogleTest owns it
    search_listener() = reporter;
    ::testing::UnitTest::GetInstance()->listeners().Append(reporter);
    const int failed = RUN_ALL_TESTS();
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(failed);
  }

  bool take_record() {
    std::uint32_t length = 0;
    constexpr std::size_t head = 1 + sizeof length;
    if (unread_.size() < head) return false;
    std::memcpy(&length, unread_.data() + 1, sizeof length);
    if (unread_.size() < head + length) return false;
    const auto kind = static_cast<TestNews>(unread_.front());
    std::string text = unread_.substr(head, length);
    unread_.erase(0, head + length);
    switch (kind) {
      case TestNews::progress:
        progress_ = std::move(text);
        break;
      case TestNews::failure:
        if (report_.message.empty()) report_.message = std::move(text);
        break;
      case TestNews::skipped:
        report_.result = TestResult::skipped;
        report_.message = std::move(text);
        break;
      case TestNews::sarif:
        sarif_ = std::move(text);
        break;
    }
    return true;
  }

  std::string output() const {
    std::string text = "\n";
    std::rewind(output_);
    char bytes[65536];
    while (const std::size_t count = std::fread(bytes, 1, sizeof bytes, output_)) {
      text.append(bytes, count);
    }
    return text;
  }

  ReportedTest report_;
  std::FILE* output_ = nullptr;
  pid_t pid_ = -1;
  int news_ = -1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string unread_;
  std::string progress_;
  std::string sarif_;
};

}  // namespace interlock::sim::testing
