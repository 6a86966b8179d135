#include "links.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.hpp"

namespace interlock_preload {

Descriptors links;
Descriptors ports;
Descriptors epolls;
Descriptors listening;

namespace {

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

void look_at_thread(pid_t thread, OtherThreads& all) {
  char path[64];
  char text[4096] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  if (file < 0) return;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  const char* const state = strstr(text, "\nState:\t");
  if (state != nullptr) all.work = all.work || state[8] == 'R' || state[8] == 'D';
  static const char* const counters[] = {"\nvoluntary_ctxt_switches:",
                                         "\nnonvoluntary_ctxt_switches:"};
  for (const char* const counter : counters) {
    const char* const at = strstr(text, counter);
    if (at != nullptr) all.waits += strtoul(at + strlen(counter), nullptr, 10);
  }
}

}  // namespace

OtherThreads look_at_other_threads() {
  OtherThreads all;
  DIR* const threads = opendir("/proc/self/task");
  const long self = syscall(SYS_gettid);
  if (threads == nullptr) return all;
  while (const dirent* const one = all.work ? nullptr : readdir(threads)) {
    const pid_t thread = atoi(one->d_name);
    if (thread == 0 || thread == self) continue;
    all.exist = true;
    look_at_thread(thread, all);
  }
  closedir(threads);
  return all;
}

namespace {

bool begins_with(const char* at, const char* end, const char* word) {
  for (; *word != '\0'; ++word, ++at) {
    if (at == end || (*at | 0x20) != *word) return false;
  }
  return true;
}

}  // namespace

void let_everything_arrive() {
  const int saved = errno;
  // The other side waits for the acknowledgement, which Linux delays by 40 ms otherwise: tcp(7).
  const int yes = 1;
  for (int at = 0; at < ports.count(); ++at) {
    setsockopt(ports[at], IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
  }
  constexpr int tries = 20'000;
  const timespec pause{0, 50'000};
  for (int i = 0; i < tries; ++i) {
    const OtherThreads before = look_at_other_threads();
    bool arrives = before.work;
    for (int at = 0; at < ports.count(); ++at) arrives = arrives || is_on_its_way(ports[at]);
    if (!arrives) {
      if (!before.exist) break;
      const OtherThreads now = look_at_other_threads();
      if (!now.work && now.waits == before.waits) break;
    }
    ask_machine(SYS_nanosleep, &pause, nullptr);
  }
  errno = saved;
}

void note_sent(int descriptor, const void* bytes, size_t size) {
  if (!leads_to_redis(descriptor)) return;
  refuse_other_thread("asks Redis");
  const char* const begin = static_cast<const char*>(bytes);
  const char* const end = begin + size;
  static const char* const words[] = {"subscribe", "psubscribe", "bl", "br", "bz"};
  for (const char* at = begin; at < end; ++at) {
    if (at != begin && at[-1] != '\n') continue;
    for (const char* const word : words) {
      if (begins_with(at, end, word)) listening.add(descriptor);
    }
  }
}

bool tells_waits() {
  return links.count() > 0 && is_client_thread();
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
  if ((address->sa_family != AF_INET && address->sa_family != AF_INET6) || at == nullptr)
    return false;
  // Both have it at the same place.
  const long port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  for (char* end = nullptr; *at != '\0'; at = *end == ',' ? end + 1 : end) {
    if (strtol(at, &end, 10) == port) return true;
  }
  return false;
}

// Without a path the kernel chooses a name that nobody else has: unix(7), "autobind".
void name_end(int descriptor) {
  const int saved = errno;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  [[maybe_unused]] const int bound =
      bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address.sun_family);
  errno = saved;
}

void write_end(int descriptor, char* into, size_t size) {
  into[0] = '\0';
  sockaddr_un address{};
  socklen_t length = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) return;
  const auto before_name = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path)) + 1;
  if (address.sun_family == AF_INET || address.sun_family == AF_INET6) {
    snprintf(into, size, "p%d", ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port));
  } else if (length > before_name && address.sun_path[0] == '\0') {
    const int name_length = static_cast<int>(length - before_name);
    snprintf(into, size, "u%.*s", name_length, address.sun_path + 1);
  }
}

bool leads_to_redis(int descriptor) {
  if (!links.contains(descriptor)) return false;
  sockaddr_un address{};
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  return getpeername(descriptor, plain, &size) == 0 && is_redis(plain);
}

}  // namespace interlock_preload
