// What a store that waits for descriptors without blocking needs from an event loop. Implemented by
// the system component; protocols never see it.
#pragma once

#include <functional>
#include <memory>

#include "interlock/error.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock {

// Everything but post() belongs to the loop's thread, on which all callbacks run. Destroying a
// Watch or Timer ends it at once, also from inside its own callback.
class Reactor {
 public:
  class Watch {
   public:
    virtual ~Watch() = default;
    // What to wait for; both false pauses the watch.
    virtual void interest(bool readable, bool writable) = 0;
  };
  class Timer {
   public:
    virtual ~Timer() = default;
    // Fires once after `delay`; arming again replaces.
    virtual void arm(Duration delay) = 0;
    virtual void disarm() = 0;
  };

  virtual ~Reactor() = default;

  // `ready` is told what the descriptor is ready for; after an error on it, both. Begins paused.
  // The descriptor stays the caller's and must outlive the watch. `unavailable`: the system has no
  // room for another.
  virtual Result<std::unique_ptr<Watch>> watch(
      int descriptor, std::function<void(bool readable, bool writable)> ready) = 0;
  virtual std::unique_ptr<Timer> timer(std::function<void()> fired) = 0;

  // Runs `job` on the loop's thread, soon, in the order of the calls. From any thread.
  virtual void post(std::function<void()> job) = 0;

  virtual TimePoint now() = 0;
};

}  // namespace interlock
