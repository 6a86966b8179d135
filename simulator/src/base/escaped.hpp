// Texts that must stay on one line, as those in schedules and messages.
#pragma once

#include <string>
#include <string_view>

namespace interlock::sim {

// For messages: escaped are control characters alone, which a line must not have.
std::string shown(std::string_view text);

// What would break a line, escaped with a backslash; the way back fails on a stray one.
std::string escaped(std::string_view text);
// The same for what must stay one word.
std::string escaped_word(std::string_view text);
bool is_escaped_well(std::string_view text);
std::string unescaped(std::string_view text);

}  // namespace interlock::sim
