// The searches that mutants of core are caught by, by name. Each proves the code that ships.
#pragma once

#include <functional>
#include <string_view>

#include "interlock/sim/scenario.hpp"

namespace interlock::mutants {

class Search {
 public:
  std::string_view name;
  std::function<sim::Scenario()> make;
};

// Null: there is none of that name.
const Search* find_search(std::string_view name);

}  // namespace interlock::mutants
