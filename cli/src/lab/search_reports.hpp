// --format junit and sarif: what several searches have found, in one file for a CI.
#pragma once

#include <string>
#include <vector>

#include "interlock/sim/report.hpp"
#include "lab/finished_search.hpp"

namespace interlock::cli {

// The searches of one command, in the order in which they were made.
class SearchReports {
 public:
  explicit SearchReports(std::string format) : format_(std::move(format)) {}

  // Also says in one line what the search has found, for the log of a CI.
  void add(const FinishedSearch& search, std::uint64_t peak_memory);
  // The scenario was not searched. `why`: for example `interrupted`.
  void add_not_begun(const std::string& scenario, const std::string& why);

  // The first of violated, undecided and usage that a search ended with; else `holds`.
  int exit_code() const;
  std::string text() const;

 private:
  std::string format_;
  std::vector<sim::ReportedSearch> searches_;
};

}  // namespace interlock::cli
