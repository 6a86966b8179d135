// Clients in Java. The runtime reads clocks for its own ends, so it sees some that only its own
// waits advance. A program gets the search's: its clocks are functions of libjvm.so that libjava.so
// finds by their names, so that the ones below take their place. (A compiler of the runtime would
// put the clocks' own code there instead. So clients are started with -Xint.)
#include "java.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "client.hpp"

namespace interlock_preload {
namespace {

bool is_begun = false;
// What the main thread does.
void* (*main_begin)(void*) = nullptr;

void* run_main_thread(void* argument) {
  become_main_thread();
  return main_begin(argument);
}

}  // namespace

bool is_java() {
  static const bool is = strcmp(program_invocation_short_name, "java") == 0;
  return is;
}

bool begins_java() {
  return is_java() && !is_begun && getenv("INTERLOCK_CONTROL") != nullptr;
}

void make_main_thread(void* (*&begin)(void*)) {
  is_begun = true;
  main_begin = begin;
  begin = run_main_thread;
}

bool is_thread_of_java() {
  if (!is_begun || is_simulated_thread()) return false;
  // What HotSpot calls its threads; the kernel keeps 15 characters. A program's threads have other
  // names, such as Thread-0 and pool-1-thread-1.
  static const char* const names[] = {
      "C1 Compiler",     "C2 Compiler",   "Common-Cleaner",  "Finalizer",       "G1 ",
      "GC Thread",       "Monitor Defla", "Notification Th", "Reference Handl", "Service Thread",
      "Signal Dispatch", "Sweeper",       "VM Periodic",     "VM Thread"};
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  for (const char* const one : names) {
    if (strncmp(name, one, strlen(one)) == 0) return true;
  }
  return false;
}

}  // namespace interlock_preload

using namespace interlock_preload;

namespace {

// A clock of the search for the program. False: the machine's, for a thread of the runtime.
bool tell_time(bool wall, int64_t& now) {
  if (!is_thread_of_java()) refuse_other_thread("reads a clock");
  return ask_clock(wall, now);
}

}  // namespace

#pragma GCC visibility push(default)
// The names are those of HotSpot (jvm.h).
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

// System.nanoTime()
int64_t JVM_NanoTime(void* environment, void* of) {
  int64_t now = 0;
  if (tell_time(false, now)) return now;
  static auto* const as_it_is = real<decltype(JVM_NanoTime)>("JVM_NanoTime");
  return as_it_is(environment, of);
}

// System.currentTimeMillis()
int64_t JVM_CurrentTimeMillis(void* environment, void* of) {
  int64_t now = 0;
  if (tell_time(true, now)) return now / 1'000'000;
  static auto* const as_it_is = real<decltype(JVM_CurrentTimeMillis)>("JVM_CurrentTimeMillis");
  return as_it_is(environment, of);
}

// Instant.now(): nanoseconds since so many seconds after the epoch; -1 if they are too many.
int64_t JVM_GetNanoTimeAdjustment(void* environment, void* of, int64_t seconds) {
  constexpr int64_t most = int64_t{1} << 32;
  int64_t now = 0;
  if (tell_time(true, now)) {
    const int64_t past = now / second - seconds;
    return past > -most && past < most ? now - seconds * second : -1;
  }
  static auto* const as_it_is =
      real<decltype(JVM_GetNanoTimeAdjustment)>("JVM_GetNanoTimeAdjustment");
  return as_it_is(environment, of, seconds);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
