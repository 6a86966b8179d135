#include "address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

namespace interlock::redis {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

void set_option(int descriptor, int level, int option, int value) {
  // An error is ignored: without this option the connection still works.
  static_cast<void>(setsockopt(descriptor, level, option, &value, sizeof value));
}

// The kernel notices a peer that vanished after 30 seconds of silence, also on a connection that
// only listens.
void tune_tcp(int descriptor) {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

Address::Address(const sockaddr* address, socklen_t size) : size_(size) {
  std::memcpy(&storage_, address, size);
}

std::string Address::text() const {
  std::array<char, NI_MAXHOST> host{};
  const bool is_known =
      getnameinfo(get(), size_, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  return is_known && family() != AF_UNIX ? host.data() : "";
}

std::string Address::text_with_port() const {
  std::array<char, NI_MAXSERV> port{};
  const bool is_known =
      getnameinfo(get(), size_, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV) == 0;
  return is_known && family() != AF_UNIX ? text() + ":" + port.data() : "";
}

Result<Address> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error(Errc::rejected, "the socket's path is longer than " +
                                     std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  path.copy(address.sun_path, path.size());
  const auto size = offsetof(sockaddr_un, sun_path) + path.size() + 1;
  return Address(reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size));
}

Result<std::vector<Address>> tcp_addresses(const std::string& host,
                                           std::uint16_t port,
                                           bool numeric_only) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (numeric_only ? AI_NUMERICHOST : 0);
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  if (failed == EAI_NONAME && numeric_only) return std::vector<Address>();
  if (failed != 0) {
    if (failed == EAI_SYSTEM && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
      return posix::failure("its address cannot be looked up", errno);
    }
    const std::string why = failed == EAI_SYSTEM ? system_text(errno) : gai_strerror(failed);
    return Error(Errc::unavailable,
                 "the name '" + host + "' cannot be looked up (" + why +
                     "): is the name right, and do the name servers of this machine answer?");
  }
  std::vector<Address> addresses;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    addresses.emplace_back(each->ai_addr, each->ai_addrlen);
  }
  return addresses;
}

Result<Socket> start_connect(const Address& address) {
  Socket socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return posix::failure("no socket", errno);
  if (address.family() != AF_UNIX) tune_tcp(socket.get());
  if (connect(socket.get(), address.get(), address.size()) != 0 && errno != EINPROGRESS) {
    return Error(Errc::unavailable, system_text(errno));
  }
  return socket;
}

int connect_error(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

bool has_nothing_to_read(const Socket& socket) {
  char byte = 0;
  const ssize_t size = recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EINTR);
}

}  // namespace interlock::redis
