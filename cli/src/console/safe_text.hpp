// Makes untrusted text safe for a terminal: others write names, tokens and servers' answers.
#pragma once

#include <string>
#include <string_view>

namespace interlock::cli {

// Each of these becomes one '?': control characters (C0, DEL and C1, among them CSI as U+009B),
// characters that change the direction of writing or are invisible (bidirectional marks, overrides
// and isolates, line and paragraph separators, zero-width characters, byte order marks, tags), and
// each byte that is not UTF-8. The result has at most `longest` bytes; a longer text ends at a
// character's end, followed by "...". Source: Unicode Technical Report 36, 3.1; Boucher and
// Anderson, Trojan Source, 2021.
// User and password of each URL in the text become "...": see without_passwords().
std::string printable(std::string_view text, std::size_t longest = 200);

// Whether it is UTF-8 throughout.
bool is_utf8(std::string_view text);

// Its bytes, two digits each.
std::string hex(std::string_view bytes);

// JSON with the same characters as \u escapes: JSON allows them, and a terminal may show them.
std::string escaped_in_json(std::string_view json);

}  // namespace interlock::cli
