// Verdicts in GoogleTest. A failure shows the run and the line that repeats it.
//
// Environment, for a test that fails somewhere else: INTERLOCK_REPLAY=NAME:STEPS repeats that run
// instead of searching, INTERLOCK_MAX_STATES and INTERLOCK_SECONDS bound the search.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/order.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/violation.hpp"

namespace interlock::sim::testing {

inline std::uint64_t number_from(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

// Sees what the tests of this process search: testing_main.hpp shows it.
class SearchListener {
 public:
  virtual ~SearchListener() = default;
  virtual void searching(const Scenario& scenario, const Progress& progress) = 0;
  virtual void searched(const Scenario& scenario, const Verdict& verdict) = 0;
};
// Null: nobody listens.
inline SearchListener*& search_listener() {
  static SearchListener* listener = nullptr;
  return listener;
}

// Calls explore() with the limits of the environment.
inline Verdict check(const Scenario& scenario, Limits limits = {}) {
  const char* wanted = std::getenv("INTERLOCK_REPLAY");
  const std::string text = wanted == nullptr ? "" : wanted;
  if (const auto brief = parse_short(text); brief && brief->scenario == scenario.name()) {
    Verdict verdict;
    verdict.scenario = scenario.name();
    verdict.bounds = "the one run of INTERLOCK_REPLAY";
    const Result<Run> run = replay(scenario, *brief);
    verdict.outcome = Outcome::incomplete;
    verdict.reason = run ? "INTERLOCK_REPLAY violates nothing" : run.error().detail();
    if (run) verdict.run = *run;
    if (run && violating_step(*run)) {
      verdict.outcome = Outcome::violated;
      verdict.property = violated_property(*run);
    }
    return verdict;
  }
  if (const std::uint64_t states = number_from("INTERLOCK_MAX_STATES")) limits.states = states;
  if (const std::uint64_t seconds = number_from("INTERLOCK_SECONDS")) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    limits.proceed = [end, before = limits.proceed](const Progress& progress) {
      return std::chrono::steady_clock::now() < end && (!before || before(progress));
    };
  }
  SearchListener* const listener = search_listener();
  if (listener == nullptr) return explore(scenario, limits);
  limits.proceed = [&scenario, listener, before = limits.proceed](const Progress& progress) {
    listener->searching(scenario, progress);
    return !before || before(progress);
  };
  Verdict verdict = explore(scenario, limits);
  listener->searched(scenario, verdict);
  return verdict;
}

// What a failure shows.
inline std::string shown(const Run& run, const Verdict* verdict = nullptr) {
  Remarks remarks;
  if (!run.empty()) remarks.replay = "INTERLOCK_REPLAY=" + print_short(run);
  return draw_text(run, verdict, remarks);
}

inline ::testing::AssertionResult is_proved(const char* what, const Verdict& verdict) {
  if (verdict.outcome == Outcome::proved) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " was expected to be proved:\n"
                                       << describe(verdict) << shown(verdict.run, &verdict);
}

// Lines without comments (`# ...`) and with single spaces; empty ones do not count.
inline std::vector<std::string> trace_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string line;
    for (const char byte : whole.substr(0, whole.find(" # "))) {
      if (byte != ' ') {
        line += byte;
      } else if (!line.empty() && line.back() != ' ') {
        line += ' ';
      }
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  }
  return lines;
}

inline ::testing::AssertionResult is_violated(const char* what,
                                              const char*,
                                              const Verdict& verdict,
                                              std::string_view expected) {
  if (verdict.outcome != Outcome::violated) {
    return ::testing::AssertionFailure() << what << " was expected to be violated:\n"
                                         << describe(verdict);
  }
  const std::vector<std::string> wanted = trace_lines(expected);
  const std::vector<std::string> seen = trace_lines(draw_trace(verdict.run));
  for (std::size_t at = 0; at < wanted.size() || at < seen.size(); ++at) {
    const std::string one = at < wanted.size() ? wanted[at] : "(nothing more)";
    const std::string other = at < seen.size() ? seen[at] : "(nothing more)";
    if (wanted.empty() || one == other) continue;
    return ::testing::AssertionFailure()
           << what << " is violated by another run than expected; line " << at + 1
           << "\n  expected: " << one << "\n  found:    " << other << "\n"
           << draw_trace(verdict.run) << shown(verdict.run, &verdict);
  }
  return ::testing::AssertionSuccess();
}

// A run of run_of_choices() in which every property held.
inline ::testing::AssertionResult is_sound(const char* what, const Run& run) {
  if (!violating_step(run)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " violates '" << violated_property(run) << "'\n"
                                       << shown(run);
}

}  // namespace interlock::sim::testing

#define EXPECT_PROVED(verdict) EXPECT_PRED_FORMAT1(::interlock::sim::testing::is_proved, verdict)
#define ASSERT_PROVED(verdict) ASSERT_PRED_FORMAT1(::interlock::sim::testing::is_proved, verdict)
// `trace` as draw_trace() writes it: spaces and comments do not count. Empty: any run.
#define EXPECT_VIOLATED(verdict, trace) \
  EXPECT_PRED_FORMAT2(::interlock::sim::testing::is_violated, verdict, trace)
#define ASSERT_VIOLATED(verdict, trace) \
  ASSERT_PRED_FORMAT2(::interlock::sim::testing::is_violated, verdict, trace)
#define EXPECT_SOUND(run) EXPECT_PRED_FORMAT1(::interlock::sim::testing::is_sound, run)
