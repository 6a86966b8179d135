// The report of `run` at its end: a line for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console/exit_code.hpp"
#include "interlock/lease.hpp"
#include "interlock/vocabulary.hpp"
#include "supervision/watch_messages.hpp"

namespace interlock::cli {

// One lock of several that a command ran under.
class ReportedLock {
 public:
  std::string lock;
  FencingToken token;
  std::string owner;
};

// All that is known at the end; filled in during the run.
class RunReport {
 public:
  // `ok`, `lost`, `not_acquired`, `has_run`, `unreachable`, `refused`, `misconfigured`,
  // `interrupted`, `not_started`, `failed`. `ok`: the lock was held throughout, whatever the
  // command returned; `lost`: it was not, or not until all of the command had ended.
  std::string result = "failed";
  int exit = internal;
  std::string lock;                   // `a,b` if there are several
  std::optional<std::string> error;   // the line for people
  std::optional<FencingToken> token;  // of a single lock; and so is the owner
  std::optional<std::string> owner;
  std::vector<ReportedLock> locks;  // with --all, once they are held
  std::optional<Duration> waited;
  std::optional<Duration> held;
  std::optional<int> child_exit;
  std::optional<int> child_signal;
  int left_behind = 0;          // processes that the command left, and that were ended or stay
  std::vector<Report> refused;  // processes that could not be ended
  std::optional<std::string> not_released;  // the line for people: the ttl ends the lock
  std::optional<std::string> not_noted;     // why the next will not hear of this run
  // A JSON object about who holds the lock instead: busy_json().
  std::optional<std::string> busy;
  // A JSON object about the run before this one, which found the lock held: last_run_json().
  std::optional<std::string> last_run;

  // One line, `"v":1` first; times as whole milliseconds, tokens as text.
  std::string json() const;
};

// How a lock was lost, for lost_text().
class Loss {
 public:
  std::string lock;
  std::string store;
  FencingToken token;
  std::optional<LossReason> why;  // none: its release found it gone
  Duration held{};                // until the loss was noticed
  Duration unconfirmed{};         // since the last renewal that was confirmed, at that moment
  std::optional<std::string> renewal_refused;  // by the store, with what to do about it
  Duration ended_in{};                 // from then until the command had ended; negative: before
  std::optional<int> first_signal;     // what the command was sent for it
  std::optional<int> signal;           // the last of these
  std::optional<int> ended_by;         // the signal that ended the command
  std::optional<std::string> refused;  // a process that could not be sent KILL
  // From when on another client may have held the lock before the command ended; none: no other
  // did.
  std::optional<std::chrono::system_clock::time_point> overlap_from;
};

// From when on another client may have held the lock, if the lease was certain only until
// `certain_until` and the command ended at `ended`. None: no other did.
std::optional<TimePoint> overlap_from_clock(TimePoint certain_until, TimePoint ended);

// `lost 'deploy' after 41 s: <why>`.
std::string lost_cause(const Loss& loss);
// The same, and what happened to the command.
std::string lost_text(const Loss& loss);

// Whether a release was to leave the lock held (LockOptions::at_least).
enum class Stays : std::uint8_t { no, yes };
// `'deploy' not released: <fact and what to do>; it becomes free when its ttl ends, within 20 s`.
std::string not_released_text(const std::string& lock, const Error& why, Duration ttl, Stays stays);
// `'deploy' was free before its release came: ...`. Only where the lease was certain until then.
std::string released_late_text(const std::string& lock);

}  // namespace interlock::cli
