// What a store that waits for descriptors without blocking needs from an event loop. The client's
// EventLoop implements it; protocols do not use it.
#pragma once

#include <functional>
#include <memory>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Only post() may be called from any thread; everything else belongs to the loop's thread, on which
// all callbacks run. Callbacks must not throw: an exception ends the process. Destroying a Watch or
// Timer ends it at once, also from inside its own callback.
class Reactor {
 public:
  // The watch of one descriptor.
  class Watch {
   public:
    virtual ~Watch() = default;
    // Sets what to wait for; both false pauses the watch.
    virtual void interest(bool readable, bool writable) = 0;
  };
  // Calls one function, later.
  class Timer {
   public:
    virtual ~Timer() = default;
    // Fires once after `delay` (negative: at once); replaces what was armed before. now() + `delay`
    // must not overflow: 365 days are far from that.
    virtual void arm(Duration delay) = 0;
    virtual void disarm() = 0;  // it does not fire until it is armed again
  };

  virtual ~Reactor() = default;

  // Calls `ready` with what the descriptor is ready for; after an error on it, with both. Begins
  // paused. The descriptor stays the caller's and must outlive the watch. `unavailable`: the system
  // has no room for another watch.
  virtual Result<std::unique_ptr<Watch>> watch(
      int descriptor, std::function<void(bool readable, bool writable)> ready) = 0;
  // Begins disarmed.
  virtual std::unique_ptr<Timer> timer(std::function<void()> fired) = 0;

  // Runs `job` on the loop's thread, soon, in the order of the calls. From any thread.
  virtual void post(std::function<void()> job) = 0;

  virtual TimePoint now() = 0;  // the local clock
};

}  // namespace interlock

#pragma GCC visibility pop
