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
#include <sys/timerfd.h>
#include <sys/uio.h>
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

// A few descriptors.
class Descriptors {
 public:
  void add(int descriptor) {
    if (!contains(descriptor) && count_ < most) all_[count_++] = descriptor;
  }
  bool contains(int descriptor) const {
    for (int i = 0; i < count_; ++i) {
      if (all_[i] == descriptor) return true;
    }
    return false;
  }
  int count() const { return count_; }
  int operator[](int at) const { return all_[at]; }

 private:
  static constexpr int most = 256;
  int all_[most] = {};
  int count_ = 0;
};

// The sockets of this process that have led to Redis; they may be closed by now. What is sent to a
// port arrives a moment later; what is sent to a socket file is there at once.
Descriptors links;
Descriptors ports;
// The epoll descriptors that such a socket was added to.
Descriptors epolls;

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
    for (int at = 0; at < ports.count(); ++at) arrives = arrives || is_on_its_way(ports[at]);
    if (!arrives) break;
    syscall(SYS_nanosleep, &pause, nullptr);
  }
  errno = saved;
}

enum class Waited { not_a_client, for_io, look_again, time_passed };

constexpr int64_t no_limit = -1;

// A wait for input: time passes only if no answer is on its way to this process.
Waited wait_for(int64_t nanoseconds) {
  char question[64] = "W\n";
  char answer[64];
  if (nanoseconds != no_limit) {
    snprintf(question, sizeof question, "P %lld\n", static_cast<long long>(nanoseconds));
  }
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

bool is_client_thread() {
  return getenv("INTERLOCK_CONTROL") != nullptr && is_main_thread();
}

// Whether this process has sent a command after which a server may send something unasked, or
// later. What is sent decides, not what the search has done meanwhile, so that it is the same in
// each run.
bool expects_messages = false;

bool begins_with(const char* at, const char* end, const char* word) {
  for (; *word != '\0'; ++word, ++at) {
    if (at == end || (*at | 0x20) != *word) return false;
  }
  return true;
}

void note_sent(const void* bytes, size_t size) {
  const char* const begin = static_cast<const char*>(bytes);
  const char* const end = begin + size;
  static const char* const words[] = {"subscribe", "psubscribe", "bl", "br", "bz"};
  for (const char* at = begin; at < end && !expects_messages; ++at) {
    if (at != begin && at[-1] != '\n') continue;
    for (const char* const word : words) {
      expects_messages = expects_messages || begins_with(at, end, word);
    }
  }
}

// Whether the search must know that this process waits for Redis, though it has no limit: what it
// has sent by several connections is all there then.
bool tells_waits() {
  const char* const ports_of_all = getenv("INTERLOCK_PORTS");
  if (ports_of_all == nullptr || !is_client_thread()) return false;
  return links.count() > 1 || strchr(ports_of_all, ' ') != nullptr || expects_messages;
}

// A call that waits for input for `nanoseconds` at most. `call` makes it with the limit it is told.
template <class Call>
int wait_for_input(int64_t nanoseconds, Call call) {
  const bool is_client = is_client_thread();
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

// A call that takes the input that is there.
template <class Call>
int look_for_input(Call call) {
  int ready = call();
  while (ready == 0 && expects_messages && is_client_thread()) {
    let_everything_arrive();
    ready = call();
    char answer[64];
    if (ready != 0 || !ask("Q\n", answer, sizeof answer) || answer[0] != 'l') break;
    ready = call();
  }
  return ready;
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
    // The sockets are in the folder of the control socket, and their names begin with `redis`.
    const char* const control = getenv("INTERLOCK_CONTROL");
    const char* const path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
    if (control == nullptr) return false;
    const size_t folder = static_cast<size_t>(strrchr(control, '/') + 1 - control);
    return strncmp(path, control, folder) == 0 && strncmp(path + folder, "redis", 5) == 0;
  }
  const char* at = getenv("INTERLOCK_PORTS");
  if (address->sa_family != AF_INET || at == nullptr) return false;
  const long port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  for (char* end = nullptr; *at != '\0'; at = *end == ' ' ? end + 1 : end) {
    if (strtol(at, &end, 10) == port) return true;
  }
  return false;
}

// A descriptor that was closed may be another file by now.
bool leads_to_redis(int descriptor) {
  if (!links.contains(descriptor)) return false;
  sockaddr_un address{};
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  return getpeername(descriptor, plain, &size) == 0 && is_redis(plain);
}

// How long a call waits for input from this socket.
int64_t receive_limit(int socket) {
  timeval limit{};
  socklen_t size = sizeof limit;
  if (getsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, &size) != 0) return no_limit;
  const int64_t nanoseconds = limit.tv_sec * second + limit.tv_usec * 1000;
  return nanoseconds > 0 ? nanoseconds : no_limit;
}

int poll_as_it_is(pollfd* some, nfds_t count, int timeout) {
  static auto* const as_it_is = real<decltype(poll)>("poll");
  return as_it_is(some, count, timeout);
}

// A call that reads from a descriptor, and may wait unless `now`.
template <class Call>
ssize_t receive(int descriptor, bool now, Call call) {
  if (!leads_to_redis(descriptor) || !tells_waits()) return call();
  pollfd one{descriptor, POLLIN, 0};
  if (now || (syscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_NONBLOCK) != 0) {
    look_for_input([&] { return poll_as_it_is(&one, 1, 0); });
    return call();
  }
  const int64_t limit = receive_limit(descriptor);
  const int in_ms = limit == no_limit ? -1 : static_cast<int>(limit / 1'000'000);
  const int ready = wait_for_input(limit, [&](Limit which) {
    return poll_as_it_is(&one, 1, in_milliseconds(which, in_ms));
  });
  if (ready == 0) {
    errno = EAGAIN;
    return -1;
  }
  return call();
}

// A timer that sends a signal, or makes a descriptor ready.
void refuse_timer(const char* what) {
  char question[160];
  char answer[64];
  snprintf(question, sizeof question,
           "X sets a timer by %s, and timers are not modelled: let it sleep, or wait with a "
           "limit\n",
           what);
  ask_in_any_thread(question, answer, sizeof answer);
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
    links.add(descriptor);
    if (address->sa_family == AF_INET) ports.add(descriptor);
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
  const auto as_it_is = [&](int limit) { return poll_as_it_is(some, count, limit); };
  if (timeout == 0) return look_for_input([&] { return as_it_is(0); });
  bool redis = false;
  for (nfds_t i = 0; i < count; ++i) redis = redis || leads_to_redis(some[i].fd);
  if (timeout < 0 && !(redis && tells_waits())) return as_it_is(timeout);
  return wait_for_input(
      timeout < 0 ? no_limit : int64_t{timeout} * 1'000'000,
      [&](Limit limit) { return as_it_is(in_milliseconds(limit, timeout)); });
}

int __poll_chk(pollfd* some, nfds_t count, int timeout, size_t) {
  return poll(some, count, timeout);
}

int ppoll(pollfd* some, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  static auto* const as_it_is = real<decltype(ppoll)>("ppoll");
  const timespec none{0, 0};
  if (timeout != nullptr && in_nanoseconds(*timeout) <= 0) {
    return look_for_input([&] { return as_it_is(some, count, &none, mask); });
  }
  bool redis = false;
  for (nfds_t i = 0; i < count; ++i) redis = redis || leads_to_redis(some[i].fd);
  if (timeout == nullptr && !(redis && tells_waits())) {
    return as_it_is(some, count, timeout, mask);
  }
  return wait_for_input(timeout == nullptr ? no_limit : in_nanoseconds(*timeout), [&](Limit limit) {
    const timespec* const given = limit == Limit::as_given ? timeout : nullptr;
    return as_it_is(some, count, limit == Limit::none_left ? &none : given, mask);
  });
}

int pselect(int most,
            fd_set* in,
            fd_set* out,
            fd_set* other,
            const timespec* timeout,
            const sigset_t* mask) {
  static auto* const as_it_is = real<decltype(pselect)>("pselect");
  fd_set kept[3];
  fd_set* const sets[3] = {in, out, other};
  for (int i = 0; i < 3; ++i) {
    if (sets[i] != nullptr) kept[i] = *sets[i];
  }
  const timespec none{0, 0};
  const auto call = [&](const timespec* limit) {
    for (int i = 0; i < 3; ++i) {
      if (sets[i] != nullptr) *sets[i] = kept[i];
    }
    return as_it_is(most, in, out, other, limit, mask);
  };
  if (timeout != nullptr && in_nanoseconds(*timeout) <= 0) {
    return look_for_input([&] { return call(&none); });
  }
  bool redis = false;
  for (int i = 0; i < most && in != nullptr; ++i) {
    redis = redis || (FD_ISSET(i, in) && leads_to_redis(i));
  }
  if (timeout == nullptr && !(redis && tells_waits())) return call(timeout);
  return wait_for_input(timeout == nullptr ? no_limit : in_nanoseconds(*timeout), [&](Limit limit) {
    const timespec* const given = limit == Limit::as_given ? timeout : nullptr;
    return call(limit == Limit::none_left ? &none : given);
  });
}

int select(int most, fd_set* in, fd_set* out, fd_set* other, timeval* timeout) {
  timespec limit{};
  if (timeout != nullptr) limit = {timeout->tv_sec, timeout->tv_usec * 1000};
  return pselect(most, in, out, other, timeout == nullptr ? nullptr : &limit, nullptr);
}

int epoll_ctl(int epoll, int what, int descriptor, epoll_event* event) {
  if (what != EPOLL_CTL_DEL && leads_to_redis(descriptor)) epolls.add(epoll);
  return static_cast<int>(syscall(SYS_epoll_ctl, epoll, what, descriptor, event));
}

int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  static auto* const as_it_is = real<decltype(epoll_pwait)>("epoll_pwait");
  const auto call = [&](int limit) { return as_it_is(epoll, events, most, limit, mask); };
  if (timeout == 0) return look_for_input([&] { return call(0); });
  if (timeout < 0 && !(epolls.contains(epoll) && tells_waits())) return call(timeout);
  return wait_for_input(timeout < 0 ? no_limit : int64_t{timeout} * 1'000'000,
                        [&](Limit limit) { return call(in_milliseconds(limit, timeout)); });
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  return epoll_pwait(epoll, events, most, timeout, nullptr);
}

ssize_t recvfrom(
    int socket, void* into, size_t size, int flags, sockaddr* from, socklen_t* from_size) {
  static auto* const as_it_is = real<decltype(recvfrom)>("recvfrom");
  return receive(socket, (flags & MSG_DONTWAIT) != 0,
                 [&] { return as_it_is(socket, into, size, flags, from, from_size); });
}

ssize_t recv(int socket, void* into, size_t size, int flags) {
  return recvfrom(socket, into, size, flags, nullptr, nullptr);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static auto* const as_it_is = real<decltype(recvmsg)>("recvmsg");
  return receive(socket, (flags & MSG_DONTWAIT) != 0,
                 [&] { return as_it_is(socket, message, flags); });
}

ssize_t read(int descriptor, void* into, size_t size) {
  static auto* const as_it_is = real<decltype(read)>("read");
  return receive(descriptor, false, [&] { return as_it_is(descriptor, into, size); });
}

ssize_t readv(int descriptor, const iovec* into, int count) {
  static auto* const as_it_is = real<decltype(readv)>("readv");
  return receive(descriptor, false, [&] { return as_it_is(descriptor, into, count); });
}

ssize_t sendto(int socket,
               const void* from,
               size_t size,
               int flags,
               const sockaddr* to,
               socklen_t to_size) {
  if (leads_to_redis(socket)) note_sent(from, size);
  return real<decltype(sendto)>("sendto")(socket, from, size, flags, to, to_size);
}

ssize_t send(int socket, const void* from, size_t size, int flags) {
  return sendto(socket, from, size, flags, nullptr, 0);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static auto* const as_it_is = real<decltype(sendmsg)>("sendmsg");
  for (size_t i = 0; leads_to_redis(socket) && i < message->msg_iovlen; ++i) {
    note_sent(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
  }
  return as_it_is(socket, message, flags);
}

ssize_t write(int descriptor, const void* from, size_t size) {
  static auto* const as_it_is = real<decltype(write)>("write");
  if (leads_to_redis(descriptor)) note_sent(from, size);
  return as_it_is(descriptor, from, size);
}

ssize_t writev(int descriptor, const iovec* from, int count) {
  static auto* const as_it_is = real<decltype(writev)>("writev");
  for (int i = 0; leads_to_redis(descriptor) && i < count; ++i) {
    note_sent(from[i].iov_base, from[i].iov_len);
  }
  return as_it_is(descriptor, from, count);
}

unsigned alarm(unsigned seconds) {
  if (seconds != 0) refuse_timer("alarm");
  return real<decltype(alarm)>("alarm")(seconds);
}

int setitimer(__itimer_which_t which, const itimerval* value, itimerval* before) {
  const bool begins = value != nullptr && (value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0);
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
