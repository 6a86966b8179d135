// Loaded into each client by LD_PRELOAD: its clocks, sleeps and random numbers come from the
// search.
//
// Each question is a connection of its own to the socket that INTERLOCK_CONTROL names, so that
// processes that fork, or close descriptors that they do not know, share nothing. Without that
// variable everything is as it was. The main thread of a process asks, and each thread that an
// adaptor has given a number (interlock_thread): of these the search lets one run at a time. The
// search is told of other threads, and ends if one sleeps or connects to Redis.
//
// An adaptor that replaces the clocks of a language itself sets INTERLOCK_CLOCKS: its runtime reads
// clocks for its own ends, and each clock that a client asks the search for makes the search
// distinguish times. The runtime then sees clocks that only its own waits advance. java.cpp does
// the same for Java. Likewise INTERLOCK_CHANCE: the runtime's own random bytes are then always the
// same.
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

namespace interlock_preload {

inline constexpr int64_t second = 1'000'000'000;

inline int64_t in_nanoseconds(const timespec& time) {
  return time.tv_sec * second + time.tv_nsec;
}

// The function that this library hides.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// syscall(2) as it is: this library hides it, too.
template <class... Words>
long ask_machine(long number, Words... words) {
  static auto* const as_it_is = real<long(long, ...)>("syscall");
  return as_it_is(number, words...);
}

// Whether the name of this program begins so.
bool is_program(const char* name);

// Whether it is the main thread, or has a number.
bool is_simulated_thread();
// From now on this thread is the main one.
void become_main_thread();
// Whether it is such a thread of a client.
bool is_client_thread();

// Sends a line and reads one. False: nobody answers, or this process is no client.
bool ask_in_any_thread(const char* question, char* answer, size_t size);
// The same in a simulated thread alone; false in every other.
bool ask(const char* question, char* answer, size_t size);

// Ends the search: a client does `what`.
void refuse(const char* what);
// The same if this thread is not simulated.
void refuse_other_thread(const char* what);

// Asks the search for a clock.
bool ask_clock(bool wall, int64_t& nanoseconds);

// Lets the search's time pass for this thread. False: the thread is not simulated.
bool sleep_for(int64_t nanoseconds);

// What this thread has waited, for the clocks of a runtime.
extern thread_local int64_t waited;

// Random bytes of the search. False: this process is no client.
bool fill_random(void* into, size_t size);

}  // namespace interlock_preload
