// Measures for how long a server was silent, in time in which this process listened.
//
// A process that was stopped, or whose machine stood still, wakes with its limits passed before it
// has read what came meanwhile, and before the other side, which may have stood still as well,
// could answer. It would take its own absence for the other's silence. So time is counted in steps.
// A step that took longer than planned counts as half of its planned length. It does not count as
// nothing, so that the limit also ends for a process that is always late. It does not count as a
// whole, so that the limit does not end only because the process was late.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "interlock/store/reactor.hpp"

namespace interlock::redis {

// For messages: "100 ms".
std::string in_ms(Duration duration);

class CountedTime {
 public:
  explicit CountedTime(Duration limit);

  Duration limit() const noexcept { return limit_; }
  // The time that counted, up to the last step's end.
  Duration counted() const noexcept { return counted_; }

  // The step is planned for `left` at most.
  void begin_step(TimePoint now, Duration left);
  bool in_step() const noexcept { return in_step_; }
  Duration step() const noexcept { return step_; }
  Duration left_of_step(TimePoint now) const;
  void end_step(TimePoint now);

 private:
  const Duration limit_;
  const Duration longest_step_;
  Duration counted_{0};
  bool in_step_ = false;
  Duration step_{0};
  TimePoint step_began_{};
};

// For all that a loop awaits, with one timer. On the loop's thread. `run_out` may destroy it.
class Patience {
 public:
  // The deadline of the oldest wait; none: nothing is awaited.
  using Oldest = std::function<std::optional<Duration>()>;

  // `run_out` is called when that deadline has come.
  Patience(Reactor& reactor, Duration limit, Oldest oldest, std::function<void()> run_out);

  // The deadline of a wait that begins now: `limit` from now, in time that counts.
  Duration deadline();

 private:
  void begin_step(Duration left);
  void end_step();

  Reactor& reactor_;
  CountedTime time_;
  Oldest oldest_;
  std::function<void()> run_out_;
  std::unique_ptr<Reactor::Timer> timer_;
};

// For a thread that waits by itself; the limit begins when the object is made.
class PatientWait {
 public:
  explicit PatientWait(Duration limit);

  // Waits until the descriptor is ready for `events` of poll(2). False: the limit has passed.
  bool ready(int descriptor, short events);
  // For a caller that does not wait on a descriptor. step(): how long to wait at most.
  // step_is_over(): that wait was in vain. is_over(): the limit has passed.
  Duration step();
  void step_is_over();
  bool is_over() const noexcept { return time_.counted() >= time_.limit(); }

 private:
  CountedTime time_;
};

}  // namespace interlock::redis
