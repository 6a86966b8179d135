#include "lab/random_flags.hpp"

#include <fmt/format.h>

#include "lab/search_flags.hpp"

namespace interlock::cli {

void RandomFlags::add_to(Flags& flags) {
  flags.value(0, "random", "RUNS", &runs, "take RUNS random runs instead of all runs");
  flags.value(0, "pct", "DEPTH", &depth,
              "random runs for failures that need DEPTH orderings (see below)");
  flags.value(0, "seed", "N", &seed, "choose other random runs (default: 1)");
}

std::string RandomFlags::words(const sim::RandomSearch& search) {
  const std::string depth = search.depth > 0 ? fmt::format(" --pct {}", search.depth) : "";
  return fmt::format(" --random {}{} --seed {}", search.runs, depth, search.seed);
}

Fallible<sim::RandomSearch> RandomFlags::search() const {
  sim::RandomSearch search;
  if (seed && !asked()) {
    return Failure(usage, "--seed is for random runs: add --random 10000, or leave it out");
  }
  if (runs) {
    const auto number = parse_number(*runs, "--random 10000");
    if (!number) return number.error();
    search.runs = *number;
  }
  if (depth) {
    const auto number = parse_number(*depth, "--pct 3");
    if (!number) return number.error();
    if (*number > 100) return Failure(usage, depth->said() + " is too deep; write --pct 3");
    search.depth = static_cast<std::size_t>(*number);
  }
  if (seed) {
    const auto number = parse_number(*seed, "--seed 7");
    if (!number) return number.error();
    search.seed = *number;
  }
  return search;
}

}  // namespace interlock::cli
