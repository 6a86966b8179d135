// The messages between the program and the watcher of its command: one packet for each.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "system/processes.hpp"

namespace interlock::cli {

enum class OrderKind : std::int32_t {
  start,       // followed by the environment to add: NAME=VALUE, each ended by a 0
  keep_until,  // end everything at `until`, unless another keep_until comes before; 0: never
  pass_on,     // send `signal` to the command and its group, unless one of these sent it
  tell_all,    // send `signal` to everything
  end,         // kill everything until nothing is left
  let_go,      // end nothing any more
};

// A message from the program.
class Order {
 public:
  OrderKind kind = OrderKind::end;
  std::int32_t signal = 0;
  pid_t sender = 0;
  std::int64_t until = 0;  // of the local clock
};

enum class ReportKind : std::int32_t {
  started,      // `pid`
  not_started,  // `number` is the errno; ETIME: keep_until's moment had come
  stopped,      // the command, by signal `number`
  ended,        // the command; `number` as from waitpid
  told,         // tell_all or end has reached `count` processes, of which `pid` is one
  refused,      // `signal` could not be sent to `pid`: `number` is the errno; 0: sent in vain
  foreign,      // `pid` runs as another user, to whom signals cannot be sent
  expired,      // the moment of keep_until has come
  over,         // the last report: only `count` processes are left
};

// A message from the watcher.
class Report {
 public:
  ReportKind kind = ReportKind::over;
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
Report report_of(ReportKind kind, const Process& process);

// `pid 123 (sudo, root)`.
std::string process_text(const Report& report);
// For `refused`: `KILL could not be sent to pid 123 (sudo, root): Operation not permitted: ...`.
std::string refusal_text(const Report& report);

}  // namespace interlock::cli
