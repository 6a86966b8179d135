// Answers go to stdout, messages to stderr.
#pragma once

#include <string>
#include <string_view>

#include "console/failure.hpp"
#include "console/safe_text.hpp"

namespace interlock::cli {

// One line on stderr, `interlock: ` in front, in one write so that lines of several processes do
// not mix. The message is made printable: a lock's holder must not be able to steer a terminal.
void say(std::string_view message);

// Prints a JSON object as one line on stderr, without a prefix.
void say_object(std::string_view object);

// Prints the failure and returns its exit code, or the one that the user has chosen instead.
int fail(const Failure& failure);
int fail(const Failure& failure, int exit_code);

// From now on fail() writes `{"v":1,"result":"unreachable","exit":69,"error":"..."}` to
// `descriptor` instead of words to stderr.
void fail_in_json(int descriptor);

// Writes all of `text` to stdout. Returns the exit code: 0; 141 without a message if the reader has
// gone (`interlock status | head -1`), as if SIGPIPE had ended us; 71 if it could not be written.
int answer(std::string_view text);

}  // namespace interlock::cli
