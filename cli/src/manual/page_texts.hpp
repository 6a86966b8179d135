// The parts of the manual that are no tables: the files in pages/.
#pragma once

#include <string_view>

namespace interlock::cli::texts {

extern const std::string_view overview;
extern const std::string_view laboratory;
extern const std::string_view files;
extern const std::string_view schedule;
extern const std::string_view stores;

}  // namespace interlock::cli::texts
