// Answers go to stdout, messages to stderr.
//
// A message never waits for its reader: this program may hold a lock, which it must renew, or wait
// for one, which it must take in time. If stderr takes no data (a full pipe, a terminal after ^S),
// messages are kept, in order. The next message writes them, or the end of main().
#pragma once

#include <string>
#include <string_view>

#include "console/failure.hpp"
#include "console/safe_text.hpp"

namespace interlock::cli {

// Make one at the start of main(). Its destructor waits until the messages that were kept are
// written: no lock is held any more then.
class KeptMessages {
 public:
  KeptMessages() = default;
  KeptMessages(const KeptMessages&) = delete;
  KeptMessages& operator=(const KeptMessages&) = delete;
  ~KeptMessages();
};

// Waits until the messages that were kept are written. For an end that skips destructors.
void write_kept_messages() noexcept;

// For a process that another one waits for: waits for at most a second, and gives up the rest.
void write_kept_messages_within_a_second() noexcept;

// For a process that was forked: the messages that were kept are its parent's.
void forget_kept_messages() noexcept;

// Whether stderr takes data and no message is kept.
bool messages_are_read();

// One line on stderr, `interlock: ` in front, in one write so that lines of several processes do
// not mix. The message is made printable: a lock's holder must not be able to steer a terminal.
// If more than 64 KiB are kept, the message is left out, and a later line tells how many were.
void say(std::string_view message);

// Prints a JSON object as one line on stderr, without a prefix. It is never left out.
void say_object(std::string_view object);

// Writes `text` to stderr as it is, in its turn among the messages.
void put(std::string_view text);

// Prints the failure and returns its exit code, or the one that the user has chosen instead.
int fail(const Failure& failure);
int fail(const Failure& failure, int exit_code);

// From now on fail() writes `{"v":1,"result":"unreachable","exit":69,"error":"..."}` to
// `descriptor` instead of words to stderr.
void fail_in_json(int descriptor);

// From now on these objects have a field "lock", too.
void name_lock_in_failures(std::string lock);

// Writes all of `text` to stdout. Returns the exit code: 0; 141 without a message if the reader has
// gone (`interlock status | head -1`), as if SIGPIPE had ended us; 71 if it could not be written.
int answer(std::string_view text);

}  // namespace interlock::cli
