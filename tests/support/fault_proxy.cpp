#include "support/fault_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "interlock/local_clock.hpp"

namespace interlock::test {
namespace {

void require(bool works, const char* what) {
  if (works) return;
  std::perror(what);
  std::abort();
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

class Chunk {
 public:
  std::string bytes;
  TimePoint due;
};

}  // namespace

// One direction of a connection.
class FaultProxy::Pipe {
 public:
  static constexpr std::size_t limit = 1 << 20;

  bool wants_bytes() const { return size_ < limit; }
  bool due(TimePoint now) const { return !chunks_.empty() && chunks_.front().due <= now; }
  std::optional<TimePoint> next() const {
    if (chunks_.empty()) return std::nullopt;
    return chunks_.front().due;
  }

  // False: the sender has closed. What was read is to arrive so many `times`.
  bool read(int from, TimePoint due, int times) {
    std::array<char, 65536> bytes;
    const ssize_t count = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    for (; times > 0; --times) {
      size_ += static_cast<std::size_t>(count);
      chunks_.push_back({std::string(bytes.data(), static_cast<std::size_t>(count)), due});
    }
    return true;
  }

  // The last chunk arrives byte by byte, so far apart.
  void drip(Duration apart) {
    Chunk whole = std::move(chunks_.back());
    chunks_.pop_back();
    for (const char byte : whole.bytes) {
      chunks_.push_back({std::string(1, byte), whole.due});
      whole.due += apart;
    }
  }

  // What is left of the next chunk when it breaks.
  void halve() {
    std::string& bytes = chunks_.front().bytes;
    const std::size_t lost = bytes.size() - bytes.size() / 2;
    size_ -= lost;
    bytes.resize(bytes.size() - lost);
  }

  // False: the receiver has closed.
  bool write(int to) {
    std::string& bytes = chunks_.front().bytes;
    const ssize_t count = ::send(to, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      // A receiver that reads nothing is tried again a little later, not in a busy loop.
      chunks_.front().due = local_now() + std::chrono::milliseconds{5};
      return errno == EAGAIN || errno == EINTR;
    }
    size_ -= static_cast<std::size_t>(count);
    bytes.erase(0, static_cast<std::size_t>(count));
    if (bytes.empty()) chunks_.pop_front();
    return true;
  }

 private:
  std::deque<Chunk> chunks_;
  std::size_t size_ = 0;
};

class FaultProxy::Link {
 public:
  Link(int client_socket, int server_socket) : client(client_socket), server(server_socket) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    ::close(client);
    ::close(server);
  }

  int client;
  int server;
  Pipe to_server;
  Pipe to_client;
  TimePoint last_request{};
  bool abandoned = false;
  bool mute = false;
  bool over = false;
};

FaultProxy::FaultProxy(int server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  require(listener_ >= 0, "fault proxy: socket");
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  require(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
              ::listen(listener_, 128) == 0 &&
              ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0,
          "fault proxy: listen");
  port_ = ntohs(address.sin_port);
  wake_ = posix::Eventfd::open();
  require(static_cast<bool>(wake_), "fault proxy: eventfd");
  thread_ = std::thread([this] { work(); });
}

FaultProxy::~FaultProxy() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify();
  thread_.join();
  ::close(listener_);
}

void FaultProxy::set(Mode mode) {
  const std::lock_guard lock(mutex_);
  mode_ = mode;
  wake_.notify();
}

void FaultProxy::delay(Duration each_way) {
  const std::lock_guard lock(mutex_);
  delay_ = each_way;
}

void FaultProxy::cut() {
  const std::lock_guard lock(mutex_);
  for (Link& link : links_) {
    link.over = true;
    // The sockets are closed by the thread, which may be polling them.
    ::shutdown(link.client, SHUT_RDWR);
    ::shutdown(link.server, SHUT_RDWR);
  }
  wake_.notify();
}

void FaultProxy::abandon() {
  const std::lock_guard lock(mutex_);
  for (Link& link : links_) {
    link.abandoned = true;
    ::shutdown(link.server, SHUT_RDWR);
  }
  wake_.notify();
}

void FaultProxy::lead_to(int server_port) {
  const std::lock_guard lock(mutex_);
  server_port_ = server_port;
}

std::optional<TimePoint> FaultProxy::last_answered_request() const {
  const std::lock_guard lock(mutex_);
  return last_answered_request_;
}

int FaultProxy::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void FaultProxy::accept_one() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  // On the loopback a connection comes about or is refused at once.
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(server >= 0, "fault proxy: socket");
  const sockaddr_in address = loopback(server_port_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  const int yes = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ++connections_;
  links_.emplace_back(client, server);
}

Duration FaultProxy::until_next_delivery() const {
  constexpr Duration far = std::chrono::hours{1};
  if (mode_ == Mode::swallow) return far;
  std::optional<TimePoint> next;
  for (const Link& link : links_) {
    if (link.abandoned) continue;
    for (const auto& due : {link.to_server.next(), link.to_client.next()}) {
      if (due && (!next || *due < *next)) next = due;
    }
  }
  if (!next) return far;
  return std::max(Duration::zero(), *next - local_now());
}

void FaultProxy::work() {
  for (;;) {
    std::vector<pollfd> files;
    Duration longest;
    {
      const std::lock_guard lock(mutex_);
      links_.remove_if([](const Link& link) { return link.over; });
      const bool silent = mode_ == Mode::swallow;
      files.push_back({wake_.descriptor(), POLLIN, 0});
      files.push_back({silent ? -1 : listener_, POLLIN, 0});
      for (const Link& link : links_) {
        files.push_back({silent || !link.to_server.wants_bytes() ? -1 : link.client, POLLIN, 0});
        const bool deaf = silent || link.abandoned || !link.to_client.wants_bytes();
        files.push_back({deaf ? -1 : link.server, POLLIN, 0});
      }
      longest = until_next_delivery();
    }
    // Rounded up: a chunk that is nearly due is not waited for in a busy loop.
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(longest);
    ::poll(files.data(), files.size(), static_cast<int>(timeout.count()));

    const std::lock_guard lock(mutex_);
    static_cast<void>(wake_.take());
    if (ending_) break;
    if (mode_ == Mode::swallow) continue;
    const TimePoint now = local_now();
    std::size_t file = 2;
    for (Link& link : links_) {
      const bool asks = files[file++].revents != 0;
      const bool answers = files[file++].revents != 0;
      if (link.over) continue;
      if (asks) {
        link.last_request = now;
        if (!link.to_server.read(link.client, now + delay_, link.abandoned ? 0 : 1)) {
          link.over = true;
        }
      }
      if (answers && !link.abandoned) {
        // What comes after a gap never arrives: a stream has none.
        link.mute = link.mute || mode_ == Mode::drop_replies;
        const int times = link.mute ? 0 : mode_ == Mode::double_replies ? 2 : 1;
        if (times != 0) last_answered_request_ = link.last_request;
        if (!link.to_client.read(link.server, now + delay_, times)) {
          link.over = true;
        } else if (mode_ == Mode::drip_replies) {
          link.to_client.drip(std::chrono::milliseconds{5});
        }
      }
      if (link.abandoned) continue;
      if (link.to_server.due(now) && !link.to_server.write(link.server)) link.over = true;
      if (!link.to_client.due(now)) continue;
      const bool breaks = mode_ == Mode::half_replies;
      if (breaks) link.to_client.halve();
      if (!link.to_client.write(link.client) || breaks) link.over = true;
    }
    if (files[1].revents != 0) accept_one();
  }
  links_.clear();
}

}  // namespace interlock::test
