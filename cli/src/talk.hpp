// stdout carries answers, stderr talk.
#pragma once

#include <string>
#include <string_view>

#include "failure.hpp"

namespace interlock::cli {

// One line on stderr, `interlock: ` in front, in one write so that lines of several processes do
// not mix. Control characters become '?': a lock's holder must not be able to steer a terminal.
void say(std::string_view message);

// The same as one of a JSON object's lines: without a prefix.
void say_object(std::string_view object);

// Says why, and gives the exit code.
int fail(const Failure& failure);

// Writes all of `text` to stdout. Gives the exit code: 0; 141 without a word if the reader has gone
// (`interlock status | head -1`), as if SIGPIPE had ended us; 71 if it could not be written.
int answer(std::string_view text);

// Untrusted text for a message: control characters replaced, shortened to a line's worth.
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace interlock::cli
