// Clocks, sleeps and timers. Threads are noted here, because only the main one has this time.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <unistd.h>

#include "client.hpp"
#include "java.hpp"

namespace interlock_preload {

thread_local int64_t waited = 0;

namespace {

bool read_clock(bool wall, int64_t& nanoseconds) {
  if (getenv("INTERLOCK_CLOCKS") == nullptr && !is_java()) return ask_clock(wall, nanoseconds);
  if (getenv("INTERLOCK_CONTROL") == nullptr || !is_simulated_thread()) return false;
  nanoseconds = 1'000'000 * second + waited;
  return true;
}

}  // namespace

bool ask_clock(bool wall, int64_t& nanoseconds) {
  char answer[64];
  if (!ask(wall ? "N\n" : "T\n", answer, sizeof answer)) return false;
  nanoseconds = strtoll(answer, nullptr, 10);
  return true;
}

bool sleep_for(int64_t nanoseconds) {
  // An adaptor refuses threads itself; those of its runtime may sleep.
  if (getenv("INTERLOCK_CLOCKS") == nullptr) refuse_other_thread("sleeps");
  char question[64];
  char answer[64];
  snprintf(question, sizeof question, "S %lld\n", static_cast<long long>(nanoseconds));
  if (!ask(question, answer, sizeof answer)) return false;
  waited += nanoseconds;
  return true;
}

namespace {

// Runtimes whose own threads read clocks.
bool has_own_threads() {
  return getenv("INTERLOCK_CLOCKS") != nullptr || is_java() || is_program("node") ||
         is_program("python") || is_program("ruby");
}

bool is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}
bool is_virtual(clockid_t clock) {
  return is_wall(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

// A timer that sends a signal, or makes a descriptor ready.
void refuse_timer(const char* what) {
  char text[160];
  snprintf(text, sizeof text,
           "sets a timer by %s, and timers are not modelled: let it sleep, or wait with a limit",
           what);
  refuse(text);
}

}  // namespace
}  // namespace interlock_preload

using namespace interlock_preload;

#pragma GCC visibility push(default)
extern "C" {

int pthread_create(pthread_t* thread,
                   const pthread_attr_t* attributes,
                   void* (*begin)(void*),
                   void* argument) {
  static auto* const as_it_is = real<decltype(pthread_create)>("pthread_create");
  char answer[64];
  if (begins_java()) {
    make_main_thread(begin);
  } else if (getenv("INTERLOCK_CLOCKS") == nullptr) {
    ask_in_any_thread("H\n", answer, sizeof answer);
  }
  return as_it_is(thread, attributes, begin, argument);
}

int clock_gettime(clockid_t clock, timespec* time) {
  int64_t now = 0;
  if (!is_virtual(clock) || !read_clock(is_wall(clock), now)) {
    if (is_virtual(clock) && !has_own_threads()) refuse_other_thread("reads a clock");
    return static_cast<int>(ask_machine(SYS_clock_gettime, clock, time));
  }
  time->tv_sec = now / second;
  time->tv_nsec = now % second;
  return 0;
}

int gettimeofday(timeval* time, void*) {
  timespec now{};
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* into) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

// The runtime of Java sleeps so for its own ends. Its programs wait for condition variables.
int clock_nanosleep(clockid_t clock, int flags, const timespec* duration, timespec* rest) {
  int64_t length = in_nanoseconds(*duration);
  if (is_virtual(clock) && (flags & TIMER_ABSTIME) != 0) {
    timespec now{};
    clock_gettime(clock, &now);
    length -= in_nanoseconds(now);
  }
  if (is_virtual(clock) && !is_java() && sleep_for(length > 0 ? length : 0)) return 0;
  return real<decltype(clock_nanosleep)>("clock_nanosleep")(clock, flags, duration, rest);
}

int nanosleep(const timespec* duration, timespec* rest) {
  if (!is_java() && sleep_for(in_nanoseconds(*duration))) return 0;
  return real<decltype(nanosleep)>("nanosleep")(duration, rest);
}

int usleep(useconds_t duration) {
  const timespec time{static_cast<time_t>(duration / 1'000'000),
                      static_cast<long>(duration % 1'000'000) * 1000};
  return nanosleep(&time, nullptr);
}

unsigned sleep(unsigned duration) {
  const timespec time{static_cast<time_t>(duration), 0};
  nanosleep(&time, nullptr);
  return 0;
}

int thrd_sleep(const timespec* duration, timespec* rest) {
  return nanosleep(duration, rest);
}

int timespec_get(timespec* time, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

useconds_t ualarm(useconds_t duration, useconds_t again) {
  if (duration != 0) refuse_timer("ualarm");
  return real<decltype(ualarm)>("ualarm")(duration, again);
}

unsigned alarm(unsigned seconds) {
  if (seconds != 0) refuse_timer("alarm");
  return real<decltype(alarm)>("alarm")(seconds);
}

int setitimer(__itimer_which_t which, const itimerval* value, itimerval* before) {
  const bool begins =
      value != nullptr && (value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0);
  if (which == ITIMER_REAL && begins) refuse_timer("setitimer");
  return real<decltype(setitimer)>("setitimer")(which, value, before);
}

int timerfd_settime(int timer, int flags, const itimerspec* value, itimerspec* before) {
  if (value != nullptr && in_nanoseconds(value->it_value) != 0) refuse_timer("timerfd_settime");
  return real<decltype(timerfd_settime)>("timerfd_settime")(timer, flags, value, before);
}

int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* before) {
  if (value != nullptr && in_nanoseconds(value->it_value) != 0) refuse_timer("timer_settime");
  return real<decltype(timer_settime)>("timer_settime")(timer, flags, value, before);
}

}  // extern "C"
#pragma GCC visibility pop
