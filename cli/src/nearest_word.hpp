// What somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace interlock::cli {

// The word that is fewest mistakes away (a letter more, less, wrong, or two exchanged), if that is
// near enough to be meant; empty otherwise.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace interlock::cli
