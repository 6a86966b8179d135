// The flags that ask for a search that does not see all runs: random runs, or bits of states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "console/flags.hpp"
#include "interlock/sim/bitstate_search.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::cli {

class PartialFlags {
 public:
  void add_to(Flags& flags);
  // Whether the user asked for such a search.
  bool asked() const { return wants_runs() || wants_bits(); }
  bool wants_bits() const { return bitstate.has_value(); }
  // The flags that ask for it: `--random and --pct`.
  const char* names() const { return wants_bits() ? "--bitstate" : "--random and --pct"; }
  // ` --random 10000 --seed 1`: all that decides what is searched.
  static std::string words(const sim::RandomSearch& search);
  static std::string words(const sim::BitstateSearch& search);
  // Failures if a word is not a number, if two flags do not fit together, or if there is not so
  // much memory.
  Fallible<sim::RandomSearch> random_search() const;
  Fallible<sim::BitstateSearch> bitstate_search() const;

  std::optional<Given> runs;
  std::optional<Given> depth;
  std::optional<Given> bitstate;
  std::optional<Given> seed;

 private:
  bool wants_runs() const { return runs || depth; }
  Fallible<std::uint64_t> seed_number() const;
};

}  // namespace interlock::cli
