#include "lab/search_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "console/talk.hpp"

namespace interlock::cli {
namespace {

// The sources of the catalogue are named as the compiler was given them.
std::string_view root_of_sources() {
  constexpr std::string_view file = __FILE__;
  constexpr std::string_view mine = "cli/src/lab/search_reports.cpp";
  return file.substr(0, file.size() - std::min(file.size(), mine.size()));
}

}  // namespace

void SearchReports::add(const FinishedSearch& search, std::uint64_t peak_memory) {
  searches_.push_back(reported(search, peak_memory));
  const sim::ReportedSearch& report = searches_.back();
  constexpr double mebi = 1 << 20;
  say(fmt::format("{}: {} ({:.2f} s, {:.0f} MiB)", report.name, report.summary(), report.seconds,
                  static_cast<double>(report.peak_memory) / mebi));
}

void SearchReports::add_not_begun(const std::string& scenario, const std::string& why) {
  sim::ReportedSearch report;
  report.name = scenario;
  report.verdict.scenario = scenario;
  report.verdict.reason = "not begun: " + why;
  searches_.push_back(std::move(report));
}

int SearchReports::exit_code() const {
  constexpr std::array worst_first{sim::Outcome::violated, sim::Outcome::incomplete,
                                   sim::Outcome::invalid};
  for (const sim::Outcome outcome : worst_first) {
    for (const sim::ReportedSearch& search : searches_) {
      if (search.verdict.outcome == outcome) return cli::exit_code(search.verdict);
    }
  }
  return holds;
}

std::string SearchReports::text() const {
  if (format_ == "sarif") return sim::to_sarif(searches_, INTERLOCK_VERSION, root_of_sources());
  std::vector<sim::ReportedTest> tests;
  tests.reserve(searches_.size());
  for (const sim::ReportedSearch& search : searches_) tests.push_back(search.test());
  return sim::to_junit("interlock explore", tests);
}

}  // namespace interlock::cli
