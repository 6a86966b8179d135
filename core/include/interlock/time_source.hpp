// The only clock that a protocol may use.
#pragma once

#include <coroutine>

#include "interlock/detail/pending.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// One sleep, parked at a TimeSource until its instant has come or wake() ends it.
class PendingSleep : public detail::Pending {
 public:
  // The sleep may end up to `slack` before `until`, so that a time source can end many sleeps
  // together.
  explicit PendingSleep(TimePoint until, Duration slack = Duration::zero())
      : until_(until), slack_(slack) {}

  TimePoint until() const noexcept { return until_; }
  Duration slack() const noexcept { return slack_; }

  // For time sources: the sleep is over. Runs the sleeper, which may destroy this object.
  void resume() {
    if (const auto sleeper = sleeper_) sleeper.resume();
  }

 protected:
  void parked(std::coroutine_handle<> sleeper) noexcept { sleeper_ = sleeper; }

 private:
  TimePoint until_;
  Duration slack_;
  std::coroutine_handle<> sleeper_;
};

// Used on one thread, that of the coroutines which sleep; a source may allow more (EventLoop says
// which of its functions any thread may call). It outlives every sleep that is parked at it.
class TimeSource {
 public:
  virtual ~TimeSource() = default;

  // The local clock. Never goes back.
  virtual TimePoint now() = 0;

  // Parks `sleep`, and calls its resume() once: when now() >= sleep.until(), up to its slack
  // sooner, or after wake(); but never from inside this call. False: the instant has already come,
  // and nothing was parked.
  virtual bool park(PendingSleep& sleep) = 0;

  // Ends a parked sleep early: its resume() is called soon, once, but never from inside this call.
  // Without effect on a sleep that is not parked here.
  virtual void wake(PendingSleep& sleep) = 0;

  class SleepAwaiter : public PendingSleep {
   public:
    SleepAwaiter(TimeSource& time, TimePoint until, Duration slack = Duration::zero())
        : PendingSleep(until, slack), time_(time) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> sleeper,
                       detail::SourceLine line = detail::SourceLine::here()) {
      begun_at(line);
      parked(sleeper);
      return time_.park(*this);
    }
    void await_resume() const noexcept {}

   private:
    TimeSource& time_;
  };
  SleepAwaiter sleep_until(TimePoint until) { return SleepAwaiter(*this, until); }
};

}  // namespace interlock

#pragma GCC visibility pop
