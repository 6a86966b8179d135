// What the program and the watcher of its command tell each other: one packet for each message.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "processes.hpp"

namespace interlock::cli {

// From the program.
class Order {
 public:
  enum class Kind : std::int32_t {
    start,       // followed by the environment to add: NAME=VALUE, each ended by a 0
    keep_until,  // unless told of a later moment, end everything at `until`; 0: never
    pass_on,     // `signal` to the command and what is in its group, unless one of these sent it
    tell_all,    // `signal` to everything
    end,         // everything, by KILL, until nothing is left
    let_go,      // of everything: nothing is to be ended any more
  };
  Kind kind = Kind::end;
  std::int32_t signal = 0;
  pid_t sender = 0;
  std::int64_t until = 0;  // of the local clock
};

// From the watcher.
class Report {
 public:
  enum class Kind : std::int32_t {
    started,      // `pid`
    not_started,  // `number` is the errno; ETIME: keep_until's moment had come
    stopped,      // the command, by signal `number`
    ended,        // the command; `number` as from waitpid
    told,         // tell_all or end has reached `count` processes, of which `pid` is one
    refused,      // `pid` could not be sent `signal`: `number` is the errno; 0: it was, in vain
    foreign,      // `pid` runs as another user, who cannot be sent signals
    expired,      // the moment of keep_until has come
    over,         // nothing is left but `count` processes; the last of all
  };
  Kind kind = Kind::over;
  std::int32_t number = 0;
  std::int32_t signal = 0;
  std::int32_t count = 0;
  pid_t pid = 0;
  std::int64_t at = 0;          // when it was sent, by the local clock: the program may be stopped
  std::array<char, 16> name{};  // of `pid`; ends with a 0, as the next one does
  std::array<char, 24> user{};
};

static_assert(std::is_trivially_copyable_v<Order> && std::is_trivially_copyable_v<Report>);

// A report about `process`, with its name and user.
Report report_of(Report::Kind kind, const Process& process);

// `pid 123 (sudo, root)`.
std::string process_text(const Report& report);
// For `refused`: `KILL could not be sent to pid 123 (sudo, root): Operation not permitted: ...`.
std::string refusal_text(const Report& report);

}  // namespace interlock::cli
