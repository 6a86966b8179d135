// Untrusted text made fit for a terminal: names, tokens and servers' answers are written by others.
#pragma once

#include <string>
#include <string_view>

namespace interlock::cli {

// Each of these becomes one '?': control characters (C0, DEL and C1, among them CSI as U+009B),
// what turns the direction of writing or hides itself (bidirectional marks, overrides and isolates,
// line and paragraph separators, zero-width characters, byte order marks, tags), and each byte that
// is not UTF-8. Shortened to `longest` bytes, at a character's end, with "..." behind it. Source:
// Unicode Technical Report 36, 3.1; Boucher and Anderson, Trojan Source, 2021.
std::string printable(std::string_view text, std::size_t longest = 200);

// Whether it is UTF-8 throughout.
bool is_utf8(std::string_view text);

// Its bytes, two digits each.
std::string hex(std::string_view bytes);

// In JSON, where the same characters are allowed and a terminal may show them: as \u escapes.
std::string escaped_in_json(std::string_view json);

}  // namespace interlock::cli
