// Waits that end at a limit, in the search's time.
#pragma once

#include <errno.h>
#include <threads.h>
#include <time.h>

#include "client.hpp"
#include "links.hpp"

namespace interlock_preload {

// Whether the limit of a wait of this thread is an instant of the search. It is none for an
// adaptor's runtime, which has its own clocks, nor for that of Java. Ends the search if this is a
// thread of the program that is not simulated.
bool is_time_simulated();

// What is left of this limit in the search's time, or in that of a runtime.
int64_t left_until(clockid_t clock, const timespec& limit);

// This limit by the machine's own clock. A runtime that waits for its own ends has read another
// one.
timespec by_machine(clockid_t clock, const timespec& limit);

// A moment from now by the machine's own clock.
timespec in_a_moment(clockid_t clock);

// Waits as long as other threads work, because one of them may end the wait: `wait_until(instant of
// the machine)` waits for that. Its result; ETIMEDOUT: all others wait.
template <class Wait>
int wait_for_others(clockid_t clock, Wait wait_until, bool& have_worked) {
  constexpr int tries = 20'000;
  OtherThreads before = look_at_other_threads();
  for (int i = 0; i < tries && before.exist; ++i) {
    const int result = wait_until(in_a_moment(clock));
    if (result != ETIMEDOUT) return result;
    const OtherThreads now = look_at_other_threads();
    if (!now.work && now.waits == before.waits) break;
    have_worked = true;
    before = now;
  }
  return ETIMEDOUT;
}

// Waits for what no other thread can take back, so that `try_now` finds it after it was missed:
// EBUSY, it is not there.
template <class Try, class Wait>
int take_until(clockid_t clock, const timespec& limit, Try try_now, Wait wait_until) {
  if (!is_time_simulated()) return wait_until(by_machine(clock, limit));
  int result = try_now();
  if (result != EBUSY) return result;
  bool have_worked = false;
  result = wait_for_others(clock, wait_until, have_worked);
  if (result != ETIMEDOUT) return result;
  const int64_t left = left_until(clock, limit);
  if (left > 0) sleep_for(left);
  result = try_now();
  return result == EBUSY ? ETIMEDOUT : result;
}

// What C11 calls this result of pthread.
inline int in_c11(int result) {
  return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

}  // namespace interlock_preload
