// Text as a terminal counts it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace interlock::sim::draw {

// How many bytes the first character of a text has; 0: it begins with bytes that are none.
std::size_t character_length(std::string_view text);

// How many columns a text takes. Invalid bytes and control characters count as one.
std::size_t columns(std::string_view text);

// Fit for a line: control characters and invalid bytes become `?`; in ASCII everything else does,
// too, that has no plain form (arrows and the like have one).
std::string printable(std::string_view text, bool ascii);

// At most so many columns; what is cut off is marked by a last `…` (`~` in ASCII).
std::string shortened(std::string_view text, std::size_t most, bool ascii);

// Filled up with spaces on the right. Never cuts.
std::string padded(std::string_view text, std::size_t width);
// The same on the left.
std::string right_aligned(std::string_view text, std::size_t width);

}  // namespace interlock::sim::draw
