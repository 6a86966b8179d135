// What somebody may have meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::detail {

// The word that is fewest mistakes away (a letter more, less, wrong, or two exchanged), if that is
// near enough to be meant; empty otherwise.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

// The same, if it is at most so many mistakes away.
std::string nearest_word(std::string_view typed,
                         const std::vector<std::string>& words,
                         std::size_t most);

}  // namespace interlock::detail
