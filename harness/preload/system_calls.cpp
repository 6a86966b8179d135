// What programs ask the kernel for without a function of the C library, and waits with a limit that
// are not modelled.
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "client.hpp"
#include "limits.hpp"

// The words of a system call are numbers, also where they are addresses.
// NOLINTBEGIN(performance-no-int-to-ptr)
namespace interlock_preload {
namespace {

// std::future and the semaphores of C++ wait so.
bool waits_for_futex(const long (&words)[6]) {
  const long what = words[1] & FUTEX_CMD_MASK;
  return (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) && words[3] != 0;
}

long wait_for_futex(const long (&words)[6]) {
  const auto* const number = reinterpret_cast<const int*>(words[0]);
  const long what = words[1] & FUTEX_CMD_MASK;
  const clockid_t clock = (words[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  timespec limit = *reinterpret_cast<const timespec*>(words[3]);
  if (what == FUTEX_WAIT) {
    timespec now{};
    clock_gettime(clock, &now);
    const int64_t until = in_nanoseconds(now) + in_nanoseconds(limit);
    limit = {until / second, until % second};
  }
  const long mask = what == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : words[5];
  const long flags = words[1] - what + FUTEX_WAIT_BITSET;
  const auto try_now = [&] {
    return __atomic_load_n(number, __ATOMIC_SEQ_CST) == static_cast<int>(words[2]) ? EBUSY : EAGAIN;
  };
  const auto wait_until = [&](const timespec& until) {
    const long result = ask_machine(SYS_futex, words[0], flags, words[2], &until, 0L, mask);
    return result == 0 ? 0 : errno;
  };
  const int result = take_until(clock, limit, try_now, wait_until);
  if (result == 0) return 0;
  errno = result;
  return -1;
}

void refuse_call(const char* name) {
  if (!is_client_thread()) return;
  char text[128];
  snprintf(text, sizeof text, "calls %s, and that wait is not modelled", name);
  refuse(text);
}

}  // namespace
}  // namespace interlock_preload

using namespace interlock_preload;

#pragma GCC visibility push(default)
extern "C" {

long syscall(long number, ...) {
  long words[6];
  va_list more;
  va_start(more, number);
  for (long& word : words) word = va_arg(more, long);
  va_end(more);
  const auto time_at = [&](int which) { return reinterpret_cast<timespec*>(words[which]); };
  switch (number) {
    case SYS_getrandom:  // PHP does this
      if (!fill_random(reinterpret_cast<void*>(words[0]), static_cast<size_t>(words[1]))) break;
      return words[1];
    case SYS_clock_gettime:
      return clock_gettime(static_cast<clockid_t>(words[0]), time_at(1));
    case SYS_gettimeofday:
      return gettimeofday(reinterpret_cast<timeval*>(words[0]), nullptr);
    case SYS_nanosleep:
      return nanosleep(time_at(0), time_at(1));
    case SYS_clock_nanosleep: {
      const int result = clock_nanosleep(static_cast<clockid_t>(words[0]),
                                         static_cast<int>(words[1]), time_at(2), time_at(3));
      if (result != 0) errno = result;
      return result == 0 ? 0 : -1;
    }
    case SYS_futex:
      if (waits_for_futex(words)) return wait_for_futex(words);
      break;
    default:
      break;
  }
  return ask_machine(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

// NOLINTEND(performance-no-int-to-ptr)

int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* limit) {
  refuse_call("pthread_timedjoin_np");
  return real<decltype(pthread_timedjoin_np)>("pthread_timedjoin_np")(thread, result, limit);
}

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* limit) {
  refuse_call("pthread_clockjoin_np");
  return real<decltype(pthread_clockjoin_np)>("pthread_clockjoin_np")(thread, result, clock, limit);
}

int sigtimedwait(const sigset_t* signals, siginfo_t* about, const timespec* limit) {
  if (limit != nullptr) refuse_call("sigtimedwait");
  return real<decltype(sigtimedwait)>("sigtimedwait")(signals, about, limit);
}

int epoll_pwait2(
    int epoll, epoll_event* events, int most, const timespec* limit, const sigset_t* mask) {
  refuse_call("epoll_pwait2");
  return real<decltype(epoll_pwait2)>("epoll_pwait2")(epoll, events, most, limit, mask);
}

int recvmmsg(int socket, mmsghdr* messages, unsigned most, int flags, timespec* limit) {
  if (limit != nullptr) refuse_call("recvmmsg");
  return real<decltype(recvmmsg)>("recvmmsg")(socket, messages, most, flags, limit);
}

ssize_t mq_timedreceive(
    mqd_t queue, char* into, size_t size, unsigned* priority, const timespec* limit) {
  refuse_call("mq_timedreceive");
  return real<decltype(mq_timedreceive)>("mq_timedreceive")(queue, into, size, priority, limit);
}

}  // extern "C"
#pragma GCC visibility pop
