// A job for the thread of an event loop.
#pragma once

#include <functional>

#include "interlock/event_loop.hpp"

namespace interlock::cli {

// Waits until `job` has run on the loop, and throws what it threw. Not on the loop's own thread.
void run_on(EventLoop& loop, const std::function<void()>& job);

}  // namespace interlock::cli
