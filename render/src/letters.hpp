// How much room text takes in a picture, whichever font of its kind a reader has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::sim::draw {

enum class Face : std::uint8_t { mono, sans, bold };

// At most so many units wide; the widest of the usual fonts decides.
int text_width(std::string_view text, Face face, int size);

// Fit for the room: what is too long loses its middle, which becomes `…`. At least two characters
// stay, however small the room is.
std::string fitted(std::string_view text, Face face, int size, int room);

// The words of a text in lines that fit into the room; a longer word is shortened.
std::vector<std::string> in_lines(std::string_view text, Face face, int size, int room);

}  // namespace interlock::sim::draw
