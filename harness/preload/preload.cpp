// Loaded into each client by LD_PRELOAD: its clocks, sleeps and random numbers come from the
// search.
//
// Each question is a connection of its own to the socket that INTERLOCK_CONTROL names, so that
// processes that fork, or close descriptors that they do not know, share nothing. Without that
// variable everything is as it was. Only the main thread of a process asks: the search is told of
// other threads, and ends if one sleeps or connects to Redis.
//
// An adaptor that replaces the clocks of a language itself sets INTERLOCK_CLOCKS: its runtime reads
// clocks for its own ends, and each clock that a client asks the search for makes the search
// distinguish times. The runtime then sees clocks that only its own waits advance.
// Likewise INTERLOCK_CHANCE: the runtime's own random bytes are then always the same.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr int64_t second = 1'000'000'000;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_main_thread() {
  return syscall(SYS_gettid) == getpid();
}

// Sends a line and reads one. False: nobody answers, or this process is no client.
bool ask_in_any_thread(const char* question, char* answer, size_t size) {
  const char* const path = getenv("INTERLOCK_CONTROL");
  if (path == nullptr || *path == '\0') return false;
  const int saved = errno;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  bool answered = false;
  const size_t length = strlen(question);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, question, length, MSG_NOSIGNAL) == static_cast<ssize_t>(length)) {
    size_t got = 0;
    while (got + 1 < size) {
      const ssize_t n = recv(fd, answer + got, size - 1 - got, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      got += static_cast<size_t>(n);
      if (answer[got - 1] == '\n') {
        answered = true;
        break;
      }
    }
    answer[got] = '\0';
  }
  close(fd);
  errno = saved;
  return answered;
}

bool ask(const char* question, char* answer, size_t size) {
  return is_main_thread() && ask_in_any_thread(question, answer, size);
}

// Ends the search if this is no main thread: what it does is not simulated.
void refuse_other_thread(const char* what) {
  if (is_main_thread()) return;
  char question[128];
  char answer[64];
  snprintf(question, sizeof question,
           "X %s in a thread, and the threads of a client are not modelled\n", what);
  ask_in_any_thread(question, answer, sizeof answer);
}

// What this process has waited, for the clocks of a runtime.
int64_t waited = 0;

bool read_clock(bool wall, int64_t& nanoseconds) {
  if (getenv("INTERLOCK_CLOCKS") != nullptr) {
    if (getenv("INTERLOCK_CONTROL") == nullptr || !is_main_thread()) return false;
    nanoseconds = 1'000'000 * second + waited;
    return true;
  }
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

// The sockets of this process that lead to Redis by a port. What is sent there arrives a moment
// later; what is sent to a socket file is there at once.
constexpr int ports_max = 64;
int ports[ports_max];
int port_count = 0;

void note_port(int descriptor) {
  for (int i = 0; i < port_count; ++i) {
    if (ports[i] == descriptor) return;
  }
  if (port_count < ports_max) ports[port_count++] = descriptor;
}

// A connection that is being made or ended, or bytes that the other side does not have yet.
bool is_on_its_way(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  const int state = info.tcpi_state;
  if (state == TCP_SYN_SENT || state == TCP_FIN_WAIT1 || state == TCP_LAST_ACK ||
      state == TCP_CLOSING) {
    return true;
  }
  int unread = 0;
  return state == TCP_ESTABLISHED && ioctl(descriptor, SIOCOUTQ, &unread) == 0 && unread > 0;
}

// Whether another thread of this process works. It may be about to wake the main thread. The
// threads of a runtime read files, collect garbage and compile.
bool another_thread_works() {
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return false;
  bool works = false;
  while (const dirent* const one = works ? nullptr : readdir(threads)) {
    const pid_t thread = atoi(one->d_name);
    if (thread == 0 || thread == getpid()) continue;
    char path[64];
    char text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) continue;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    const char* const name_ends = strrchr(text, ')');
    const char state = name_ends != nullptr && name_ends[1] == ' ' ? name_ends[2] : 'S';
    works = state == 'R' || state == 'D';
  }
  closedir(threads);
  return works;
}

// Waits until nothing is on its way between this process and Redis, or between its threads: for a
// few seconds at most, because a thread may work for ever.
void let_everything_arrive() {
  const int saved = errno;
  constexpr int tries = 20'000;
  const timespec pause{0, 50'000};
  for (int i = 0; i < tries; ++i) {
    bool arrives = another_thread_works();
    for (int at = 0; at < port_count; ++at) arrives = arrives || is_on_its_way(ports[at]);
    if (!arrives) break;
    syscall(SYS_nanosleep, &pause, nullptr);
  }
  errno = saved;
}

enum class Waited { not_a_client, for_io, look_again, time_passed };

// A wait for input with a limit: time passes only if no answer is on its way to this process.
Waited wait_for(int64_t nanoseconds) {
  char question[64];
  char answer[64];
  snprintf(question, sizeof question, "P %lld\n", static_cast<long long>(nanoseconds));
  if (!ask(question, answer, sizeof answer)) return Waited::not_a_client;
  if (answer[0] == 'i') return Waited::for_io;
  if (answer[0] == 'l') return Waited::look_again;
  waited += nanoseconds;
  return Waited::time_passed;
}

enum class Limit { none_left, forever, as_given };

int in_milliseconds(Limit limit, int given) {
  return limit == Limit::none_left ? 0 : limit == Limit::forever ? -1 : given;
}

// A call that waits for input for `nanoseconds` at most. `call` makes it with the limit it is told.
template <class Call>
int wait_for_input(int64_t nanoseconds, Call call) {
  const bool is_client = getenv("INTERLOCK_CONTROL") != nullptr && is_main_thread();
  for (;;) {
    int ready = call(Limit::none_left);
    if (ready != 0) return ready;
    if (!is_client) return call(Limit::as_given);
    let_everything_arrive();
    ready = call(Limit::none_left);
    if (ready != 0) return ready;
    switch (wait_for(nanoseconds)) {
      case Waited::not_a_client:
        return call(Limit::as_given);
      case Waited::for_io:
        return call(Limit::forever);
      case Waited::look_again:
        break;
      case Waited::time_passed:
        return call(Limit::none_left);
    }
  }
}

bool is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}
bool is_virtual(clockid_t clock) {
  return is_wall(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

int64_t in_nanoseconds(const timespec& time) {
  return time.tv_sec * second + time.tv_nsec;
}

bool fill_random(void* into, size_t size) {
  auto* bytes = static_cast<unsigned char*>(into);
  if (getenv("INTERLOCK_CHANCE") != nullptr && getenv("INTERLOCK_CONTROL") != nullptr) {
    memset(bytes, 'x', size);
    return true;
  }
  for (size_t at = 0; at < size;) {
    const size_t some = size - at < 64 ? size - at : 64;
    char question[32];
    char answer[160];
    snprintf(question, sizeof question, "R %zu\n", some);
    if (!ask(question, answer, sizeof answer)) return false;
    for (size_t i = 0; i < some; ++i, ++at) {
      char digits[3] = {answer[2 * i], answer[2 * i + 1], '\0'};
      bytes[at] = static_cast<unsigned char>(strtoul(digits, nullptr, 16));
    }
  }
  return true;
}

// A file with what the search says to this question; -1: the path is another one.
int open_answer(const char* path) {
  const bool token = strcmp(path, "/interlock/token") == 0;
  const bool digits = strcmp(path, "/interlock/random") == 0;
  const bool clock = strcmp(path, "/interlock/time") == 0;
  const bool wall = strcmp(path, "/interlock/wall") == 0;
  const bool device = strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
  char answer[512];
  size_t size = 0;
  if (token || digits || clock || wall) {
    const char* const question = token ? "U\n" : digits ? "R 64\n" : clock ? "T\n" : "N\n";
    if (!ask(question, answer, sizeof answer)) return -1;
    size = strlen(answer);
  } else if (device && fill_random(answer, 256)) {
    size = 256;
  } else {
    return -1;
  }
  const int file = memfd_create("answer", MFD_CLOEXEC);
  if (file < 0 || write(file, answer, size) != static_cast<ssize_t>(size)) return file;
  lseek(file, 0, SEEK_SET);
  return file;
}

bool is_redis(const sockaddr* address) {
  if (address->sa_family == AF_UNIX) {
    const char* const path = getenv("INTERLOCK_SOCKET");
    return path != nullptr &&
           strcmp(reinterpret_cast<const sockaddr_un*>(address)->sun_path, path) == 0;
  }
  const char* const port = getenv("REDIS_PORT");
  return address->sa_family == AF_INET && port != nullptr &&
         ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port) == atoi(port);
}

// The search is told that this program is one whose clocks it answers.
[[gnu::constructor]] void say_hello() {
  char answer[64];
  ask_in_any_thread("L\n", answer, sizeof answer);
}

}  // namespace

extern "C" {

int connect(int descriptor, const sockaddr* address, socklen_t size) {
  if (address != nullptr && is_redis(address)) {
    refuse_other_thread("asks Redis");
    if (address->sa_family == AF_INET) note_port(descriptor);
  }
  return static_cast<int>(syscall(SYS_connect, descriptor, address, size));
}

int pthread_create(pthread_t* thread,
                   const pthread_attr_t* attributes,
                   void* (*begin)(void*),
                   void* argument) {
  char answer[64];
  if (getenv("INTERLOCK_CLOCKS") == nullptr) ask_in_any_thread("H\n", answer, sizeof answer);
  static auto* const as_it_is = real<decltype(pthread_create)>("pthread_create");
  return as_it_is(thread, attributes, begin, argument);
}

int clock_gettime(clockid_t clock, timespec* time) {
  int64_t now = 0;
  if (!is_virtual(clock) || !read_clock(is_wall(clock), now)) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
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

int clock_nanosleep(clockid_t clock, int flags, const timespec* duration, timespec* rest) {
  int64_t length = in_nanoseconds(*duration);
  if (is_virtual(clock) && (flags & TIMER_ABSTIME) != 0) {
    timespec now{};
    clock_gettime(clock, &now);
    length -= in_nanoseconds(now);
  }
  if (is_virtual(clock) && sleep_for(length > 0 ? length : 0)) return 0;
  return real<decltype(clock_nanosleep)>("clock_nanosleep")(clock, flags, duration, rest);
}

int nanosleep(const timespec* duration, timespec* rest) {
  if (sleep_for(in_nanoseconds(*duration))) return 0;
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

int poll(pollfd* some, nfds_t count, int timeout) {
  static auto* const as_it_is = real<decltype(poll)>("poll");
  if (timeout <= 0) return as_it_is(some, count, timeout);
  return wait_for_input(int64_t{timeout} * 1'000'000, [&](Limit limit) {
    return as_it_is(some, count, in_milliseconds(limit, timeout));
  });
}

int __poll_chk(pollfd* some, nfds_t count, int timeout, size_t) {
  return poll(some, count, timeout);
}

int ppoll(pollfd* some, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  static auto* const as_it_is = real<decltype(ppoll)>("ppoll");
  if (timeout == nullptr || in_nanoseconds(*timeout) <= 0) {
    return as_it_is(some, count, timeout, mask);
  }
  return wait_for_input(in_nanoseconds(*timeout), [&](Limit limit) {
    const timespec none{0, 0};
    const timespec* const given = limit == Limit::as_given ? timeout : nullptr;
    return as_it_is(some, count, limit == Limit::none_left ? &none : given, mask);
  });
}

int select(int most, fd_set* in, fd_set* out, fd_set* other, timeval* timeout) {
  static auto* const as_it_is = real<decltype(select)>("select");
  if (timeout == nullptr || (timeout->tv_sec <= 0 && timeout->tv_usec <= 0)) {
    return as_it_is(most, in, out, other, timeout);
  }
  fd_set kept[3];
  fd_set* const sets[3] = {in, out, other};
  for (int i = 0; i < 3; ++i) {
    if (sets[i] != nullptr) kept[i] = *sets[i];
  }
  return wait_for_input(timeout->tv_sec * second + timeout->tv_usec * 1000, [&](Limit limit) {
    for (int i = 0; i < 3; ++i) {
      if (sets[i] != nullptr) *sets[i] = kept[i];
    }
    timeval none{0, 0};
    timeval* const given = limit == Limit::as_given ? timeout : nullptr;
    return as_it_is(most, in, out, other, limit == Limit::none_left ? &none : given);
  });
}

int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  static auto* const as_it_is = real<decltype(epoll_pwait)>("epoll_pwait");
  if (timeout <= 0) return as_it_is(epoll, events, most, timeout, mask);
  return wait_for_input(int64_t{timeout} * 1'000'000, [&](Limit limit) {
    return as_it_is(epoll, events, most, in_milliseconds(limit, timeout), mask);
  });
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  return epoll_pwait(epoll, events, most, timeout, nullptr);
}

ssize_t getrandom(void* into, size_t size, unsigned flags) {
  if (fill_random(into, size)) return static_cast<ssize_t>(size);
  return syscall(SYS_getrandom, into, size, flags);
}

// Paths at which languages without a way of their own ask the search, and the devices of the
// system.
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const int answer = open_answer(path);
  return answer >= 0 ? answer : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(path, flags, mode);
}

int getentropy(void* into, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(into, size, 0) == static_cast<ssize_t>(size) ? 0 : -1;
}

}  // extern "C"
