// How long somebody has been silent, in time in which we listened.
//
// A process that was stopped, or whose machine stood still, wakes with its limits passed before it
// has read what came meanwhile, and before the other side, which may have stood still as well,
// could answer. It would take its own absence for the other's silence. So time is counted in steps,
// and of a step that took longer than it should only half of what it should have taken counts:
// some, so that whoever is always late comes to an end as well; not all, so that none ends by being
// late.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "interlock/reactor.hpp"

namespace interlock::redis {

class CountedTime {
 public:
  explicit CountedTime(Duration limit);

  Duration limit() const noexcept { return limit_; }
  // Up to the last step's end.
  Duration counted() const noexcept { return counted_; }

  // Of at most `left`.
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

// For all that is awaited on a loop, with one timer. On the loop's thread. May be destroyed by what
// `run_out` sets off.
class Patience {
 public:
  // Of what has been awaited longest, the deadline; none: nothing is awaited.
  using Oldest = std::function<std::optional<Duration>()>;

  // `run_out` is called when that deadline has come.
  Patience(Reactor& reactor, Duration limit, Oldest oldest, std::function<void()> run_out);

  // Of something that is awaited from now on: `limit` from now, in time that counts.
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

// For a thread that waits itself, from the object's beginning.
class PatientWait {
 public:
  explicit PatientWait(Duration limit);

  // Until the descriptor is ready for `events` of poll(2); false: the limit has passed.
  bool ready(int descriptor, short events);
  // For whoever does not wait on a descriptor: how long to wait at most; that it was in vain; and
  // whether that was the last.
  Duration step();
  void step_is_over();
  bool is_over() const noexcept { return time_.counted() >= time_.limit(); }

 private:
  CountedTime time_;
};

}  // namespace interlock::redis
