// The scenarios as a list for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/catalogue.hpp"

namespace interlock::cli {

// What its scenarios are about: `One server that lets keys expire`.
std::string_view title_of(sim::catalogue::Family family);

// A line for each, for programs that read lines: name, steps or `proved`, summary.
std::string scenario_lines(const std::vector<const sim::catalogue::CatalogueEntry*>& entries);

// By family, each below its title. No line is longer than `columns`, at least 20, and none has more
// than 80.
std::string scenario_list(const std::vector<const sim::catalogue::CatalogueEntry*>& entries,
                          std::size_t columns);

}  // namespace interlock::cli
