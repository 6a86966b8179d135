// The programs of a scenario, as far as a search has learned them. Another search of the same
// scenario may go on with them.
#pragma once

#include <memory>
#include <vector>

#include "process/automaton.hpp"

namespace interlock::sim {

class LearnedPrograms {
 public:
  Vocabulary vocabulary;
  std::vector<std::unique_ptr<Automaton>> automata;  // by client; null: it runs another's program
};

}  // namespace interlock::sim
