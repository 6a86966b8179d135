// The flags that ask for random runs.
#pragma once

#include <optional>

#include "console/flags.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::cli {

class RandomFlags {
 public:
  void add_to(Flags& flags);
  // Whether the user asked for random runs.
  bool asked() const { return runs || depth; }
  // ` --random 10000 --seed 1`: all that decides which runs are drawn.
  static std::string words(const sim::RandomSearch& search);
  // `usage` if a word is not a number, or a seed is given without random runs.
  Fallible<sim::RandomSearch> search() const;

  std::optional<Given> runs;
  std::optional<Given> depth;
  std::optional<Given> seed;
};

}  // namespace interlock::cli
