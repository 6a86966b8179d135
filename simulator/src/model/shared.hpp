// What the tables of one search share: words, so that numbers mean the same in all tables, and what
// any table may find out about the search as a whole.
#pragma once

#include <string>

#include "base/flat_map.hpp"
#include "base/longest.hpp"
#include "base/widths.hpp"
#include "interlock/sim/scenario.hpp"
#include "model/happenings.hpp"
#include "process/automaton.hpp"

namespace interlock::sim {

class EngineShared {
 public:
  EngineShared(const Scenario& of, const Widths& widths)
      : scenario(of),
        capacity(widths),
        happenings(of),
        longest(of.longest().value_or(of.apart())) {}

  const Scenario& scenario;
  Vocabulary vocabulary;
  Interner<std::string> channels;
  Capacity capacity;
  Happenings happenings;
  Longest longest;
};

}  // namespace interlock::sim
