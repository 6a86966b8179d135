// Lines for people, as wide as their terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::cli {

// `1 state`, `2 states`.
std::string counted(std::uint64_t count, std::string_view what);

// Columns as characters, for text that is not ASCII.
std::size_t width(std::string_view text);

// Its first and last characters, with "..." in between, in at most `columns` columns, at least 8.
std::string shortened(std::string_view text, std::size_t columns);

// The columns of the terminal to which standard output goes. None: it goes to no terminal, and
// lines are not broken, for programs that read them.
std::optional<std::size_t> terminal_columns();

// The columns for a drawing on standard output, which has to have some: those of the terminal, else
// those that $COLUMNS says, else 80.
std::size_t drawing_columns();

// The text, broken between words so that no line is longer than `columns`; a word that fits in no
// line, such as a path, stays whole. The first line begins at column `indent`, and the others are
// indented as far; if hardly a word would fit then, all of the text is on lines of its own with a
// small indent. Without `columns`, or with less than 20, no line is broken. The result has no line
// end at its end.
std::string wrapped(std::string_view text, std::size_t indent, std::optional<std::size_t> columns);

}  // namespace interlock::cli
