// Suggestions for mistyped words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace interlock::detail {

// The word that differs least from `typed` (a letter more, less, wrong, or two exchanged), if it
// differs little; empty otherwise.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

// The same, if there are at most `most` mistakes.
std::string nearest_word(std::string_view typed,
                         const std::vector<std::string>& words,
                         std::size_t most);

}  // namespace interlock::detail

#pragma GCC visibility pop
