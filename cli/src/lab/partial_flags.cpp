#include "lab/partial_flags.hpp"

#include <fmt/format.h>

#include "lab/memory.hpp"
#include "lab/search_flags.hpp"

namespace interlock::cli {

void PartialFlags::add_to(Flags& flags) {
  flags.value(0, "random", "RUNS", &runs, "take RUNS random runs instead of all runs");
  flags.value(0, "pct", "DEPTH", &depth, "random runs for failures that need DEPTH orderings");
  flags.value(0, "bitstate", "SIZE", &bitstate,
              "keep 3 bits of each state in SIZE of memory, and not the states");
  flags.value(0, "seed", "N", &seed,
              "choose other random runs, or another order for --bitstate (default: 1)");
}

std::string PartialFlags::words(const sim::RandomSearch& search) {
  const std::string depth = search.depth > 0 ? fmt::format(" --pct {}", search.depth) : "";
  return fmt::format(" --random {}{} --seed {}", search.runs, depth, search.seed);
}

std::string PartialFlags::words(const sim::BitstateSearch& search) {
  return fmt::format(" --bitstate {} --seed {}", memory_words(search.memory), search.seed);
}

Fallible<std::uint64_t> PartialFlags::seed_number() const {
  if (!seed) return std::uint64_t{1};
  return parse_number(*seed, "--seed 7");
}

Fallible<sim::RandomSearch> PartialFlags::random_search() const {
  sim::RandomSearch search;
  if (seed && !asked()) {
    return Failure(usage,
                   "--seed is for random runs and --bitstate: add --random 10000, or leave it out");
  }
  if (wants_runs() && wants_bits()) {
    return Failure(usage, fmt::format("{} and {} are two ways to search: leave one out",
                                      runs ? runs->said() : depth->said(), bitstate->said()));
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
  const auto number = seed_number();
  if (!number) return number.error();
  search.seed = *number;
  return search;
}

Fallible<sim::BitstateSearch> PartialFlags::bitstate_search() const {
  sim::BitstateSearch search;
  const auto number = seed_number();
  if (!number) return number.error();
  search.seed = *number;
  if (!bitstate) return search;
  const auto size = parse_memory(*bitstate, "--bitstate 400M");
  if (!size) return size.error();
  if (*size < sim::BitstateSearch::memory_least) {
    return Failure(usage, bitstate->said() + " is too small for states; write --bitstate 1G");
  }
  // memory_share() is half of what is free, and the table does not grow.
  const std::uint64_t most = memory_share() / 10 * 18;
  if (*size > most) {
    return Failure(operating_system,
                   fmt::format("{} is more than the memory that is free: write at most {}M",
                               bitstate->said(), most >> 20));
  }
  search.memory = *size;
  return search;
}

}  // namespace interlock::cli
