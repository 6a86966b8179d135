// Calls that connect, wait for input, read and write.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client.hpp"
#include "links.hpp"

namespace interlock_preload {
namespace {

enum class Waited { not_a_client, for_io, look_again, time_passed };

constexpr int64_t no_limit = -1;

// For how many connections to Redis a call waits: for what comes first by any of them.
enum class For { none, one, several };

class WaitedFor {
 public:
  // Behind a question: which connection it is, if it is one.
  void write_suffix(char* into, size_t size) const {
    char end[32] = "";
    if (kind == For::one) write_end(link, end, sizeof end);
    const char* const text = kind == For::none ? "" : kind == For::several ? " several" : " one ";
    snprintf(into, size, "%s%s", text, end);
  }

  For kind = For::none;
  int link = -1;
};

// A wait for input: time passes only if no answer is on its way to this process.
Waited wait_for(int64_t nanoseconds, const WaitedFor& what) {
  char suffix[48];
  char question[96];
  char answer[64];
  what.write_suffix(suffix, sizeof suffix);
  if (nanoseconds == no_limit) {
    snprintf(question, sizeof question, "W%s\n", suffix);
  } else {
    snprintf(question, sizeof question, "P %lld%s\n", static_cast<long long>(nanoseconds), suffix);
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

// A call that waits for input for `nanoseconds` at most. `call` makes it with the limit it is told.
template <class Call>
int wait_for_input(int64_t nanoseconds, const WaitedFor& what, Call call) {
  const bool is_client = is_client_thread();
  for (;;) {
    int ready = call(Limit::none_left);
    if (ready != 0) return ready;
    if (!is_client) return call(Limit::as_given);
    let_everything_arrive();
    ready = call(Limit::none_left);
    if (ready != 0) return ready;
    switch (wait_for(nanoseconds, what)) {
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

// A call that takes the input that is there; `listens`: also a message.
template <class Call>
int look_for_input(bool listens, Call call) {
  int ready = call();
  while (ready == 0 && listens && is_client_thread()) {
    let_everything_arrive();
    ready = call();
    char answer[64];
    if (ready != 0 || !ask("Q one\n", answer, sizeof answer) || answer[0] != 'l') break;
    ready = call();
  }
  return ready;
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

// The connections to Redis among the descriptors of a call.
class WatchedLinks {
 public:
  void add(int descriptor) {
    if (!leads_to_redis(descriptor)) return;
    ++links;
    last = descriptor;
    listens = listens || listening.contains(descriptor);
  }
  WaitedFor all() const {
    return {links > 1 ? For::several : links == 1 ? For::one : For::none, last};
  }
  int links = 0;
  int last = -1;
  bool listens = false;
};

// A call that reads from a descriptor, and may wait unless `now`.
template <class Call>
ssize_t receive(int descriptor, bool now, Call call) {
  if (!leads_to_redis(descriptor) || !tells_waits()) return call();
  pollfd one{descriptor, POLLIN, 0};
  if (now || (syscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_NONBLOCK) != 0) {
    look_for_input(listening.contains(descriptor), [&] { return poll_as_it_is(&one, 1, 0); });
    return call();
  }
  const int64_t limit = receive_limit(descriptor);
  const int in_ms = limit == no_limit ? -1 : static_cast<int>(limit / 1'000'000);
  const int ready = wait_for_input(limit, {For::one, descriptor}, [&](Limit which) {
    return poll_as_it_is(&one, 1, in_milliseconds(which, in_ms));
  });
  if (ready == 0) {
    errno = EAGAIN;
    return -1;
  }
  return call();
}

}  // namespace
}  // namespace interlock_preload

using namespace interlock_preload;

#pragma GCC visibility push(default)
extern "C" {

int connect(int descriptor, const sockaddr* address, socklen_t size) {
  if (address != nullptr && is_redis(address)) {
    refuse_other_thread("asks Redis");
    links.add(descriptor);
    listening.remove(descriptor);
    if (address->sa_family != AF_UNIX) {
      ports.add(descriptor);
    } else {
      name_end(descriptor);
    }
  }
  return static_cast<int>(syscall(SYS_connect, descriptor, address, size));
}

int poll(pollfd* some, nfds_t count, int timeout) {
  const auto as_it_is = [&](int limit) { return poll_as_it_is(some, count, limit); };
  WatchedLinks watched;
  for (nfds_t i = 0; i < count; ++i) watched.add(some[i].fd);
  if (timeout == 0) return look_for_input(watched.listens, [&] { return as_it_is(0); });
  if (timeout < 0 && !(watched.links > 0 && tells_waits())) return as_it_is(timeout);
  return wait_for_input(timeout < 0 ? no_limit : int64_t{timeout} * 1'000'000, watched.all(),
                        [&](Limit limit) { return as_it_is(in_milliseconds(limit, timeout)); });
}

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
int __poll_chk(pollfd* some, nfds_t count, int timeout, size_t) {
  return poll(some, count, timeout);
}

int ppoll(pollfd* some, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  static auto* const as_it_is = real<decltype(ppoll)>("ppoll");
  const timespec none{0, 0};
  WatchedLinks watched;
  for (nfds_t i = 0; i < count; ++i) watched.add(some[i].fd);
  if (timeout != nullptr && in_nanoseconds(*timeout) <= 0) {
    return look_for_input(watched.listens, [&] { return as_it_is(some, count, &none, mask); });
  }
  if (timeout == nullptr && !(watched.links > 0 && tells_waits())) {
    return as_it_is(some, count, timeout, mask);
  }
  return wait_for_input(
      timeout == nullptr ? no_limit : in_nanoseconds(*timeout), watched.all(), [&](Limit limit) {
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
  WatchedLinks watched;
  for (int i = 0; i < most && in != nullptr; ++i) {
    if (FD_ISSET(i, &kept[0])) watched.add(i);
  }
  if (timeout != nullptr && in_nanoseconds(*timeout) <= 0) {
    return look_for_input(watched.listens, [&] { return call(&none); });
  }
  if (timeout == nullptr && !(watched.links > 0 && tells_waits())) return call(timeout);
  return wait_for_input(
      timeout == nullptr ? no_limit : in_nanoseconds(*timeout), watched.all(), [&](Limit limit) {
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
  if (timeout == 0) {
    const bool listens = epolls.contains(epoll) && listening.count() > 0;
    return look_for_input(listens, [&] { return call(0); });
  }
  if (timeout < 0 && !(epolls.contains(epoll) && tells_waits())) return call(timeout);
  const WaitedFor what{epolls.contains(epoll) ? For::several : For::none, -1};
  return wait_for_input(timeout < 0 ? no_limit : int64_t{timeout} * 1'000'000, what,
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

ssize_t sendto(
    int socket, const void* from, size_t size, int flags, const sockaddr* to, socklen_t to_size) {
  note_sent(socket, from, size);
  return real<decltype(sendto)>("sendto")(socket, from, size, flags, to, to_size);
}

ssize_t send(int socket, const void* from, size_t size, int flags) {
  return sendto(socket, from, size, flags, nullptr, 0);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static auto* const as_it_is = real<decltype(sendmsg)>("sendmsg");
  for (size_t i = 0; i < message->msg_iovlen; ++i) {
    note_sent(socket, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
  }
  return as_it_is(socket, message, flags);
}

ssize_t write(int descriptor, const void* from, size_t size) {
  static auto* const as_it_is = real<decltype(write)>("write");
  note_sent(descriptor, from, size);
  return as_it_is(descriptor, from, size);
}

ssize_t writev(int descriptor, const iovec* from, int count) {
  static auto* const as_it_is = real<decltype(writev)>("writev");
  for (int i = 0; i < count; ++i) {
    note_sent(descriptor, from[i].iov_base, from[i].iov_len);
  }
  return as_it_is(descriptor, from, count);
}

}  // extern "C"
#pragma GCC visibility pop
