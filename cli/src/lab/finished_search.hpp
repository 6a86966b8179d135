// What a search has found, as explore tells it: on a terminal, as JSON, and to a CI.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interlock/sim/catalogue/left_out.hpp"
#include "interlock/sim/report.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

int exit_code(const sim::Verdict& verdict);

// One search that is over, exhaustive or of random runs.
class FinishedSearch {
 public:
  FinishedSearch(Chosen in, sim::Verdict of) : chosen(std::move(in)), verdict(std::move(of)) {}
  Chosen chosen;  // the world of the verdict's run
  sim::Verdict verdict;
  std::vector<sim::catalogue::LeftOut> left_out;
  bool asked_to_merge = false;  // local states with equal futures
  std::string again;            // the command that gives the verdict again
  double seconds = 0;
  std::string json;     // one line
  std::string figures;  // lines below the drawing
};

// Fills in `json` and `figures` of an exhaustive search; `coverage`: with the listing of what it
// has executed.
void tell(FinishedSearch& search, const DrawingFlags& drawing, bool coverage);

// What the search has executed, as a page: beside the lines of the source, as far as its files can
// be read here.
std::string coverage_page(const sim::Verdict& verdict);

// The lines that say what the verdict depends on: the command that gives it again, the promises
// that it takes on trust, and the goals.
std::string grounds(const sim::Verdict& verdict, const std::string& again);

// For --format junit and sarif. Asks for the lines of the clients' sources, unless they are those
// of a command. `peak_memory` in bytes; 0: unknown.
sim::ReportedSearch reported(const FinishedSearch& search, std::uint64_t peak_memory);

}  // namespace interlock::cli
