#include "http/listen_address.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "interlock/detail/number.hpp"
#include "interlock/posix/failure.hpp"

namespace interlock::cli {
namespace {

constexpr int most_waiting = 64;  // connections that the system keeps until they are accepted

class FreesAddresses {
 public:
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreesAddresses>;

posix::Descriptor listen_at(const addrinfo& address) {
  posix::Descriptor socket(::socket(
      address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol));
  const int on = 1;
  const bool listens = socket &&
                       ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       ::bind(socket.get(), address.ai_addr, address.ai_addrlen) == 0 &&
                       ::listen(socket.get(), most_waiting) == 0;
  if (listens) return socket;
  const int why = errno;
  socket.reset();
  errno = why;
  return socket;
}

}  // namespace

std::optional<ListenAddress> ListenAddress::parse(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || text.find('/') != std::string::npos) return std::nullopt;
  constexpr int most = 65'535;
  ListenAddress address;
  address.port = text.substr(colon + 1);
  if (!detail::parse_number(address.port, 0, most)) return std::nullopt;
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  } else if (address.host.find(':') != std::string::npos) {
    return std::nullopt;
  }
  if (address.host.empty()) address.host = "127.0.0.1";
  return address;
}

Fallible<posix::Descriptor> ListenAddress::listen(const std::string& said) const {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int why = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); why != 0) {
    return Failure(usage, fmt::format("{}: host '{}' not found: {}; write an address of this "
                                      "machine, or :PORT for 127.0.0.1",
                                      said, host, ::gai_strerror(why)));
  }
  const Addresses addresses(found);
  int why = EADDRNOTAVAIL;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    posix::Descriptor socket = listen_at(*address);
    if (socket) return socket;
    why = errno;
  }
  return Failure(operating_system,
                 fmt::format("{} cannot be listened on: {}; choose another port, or end what uses "
                             "this one",
                             said, posix::system_text(why)));
}

std::string listening_url(const posix::Descriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the system's own interface
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::getsockname(listener.get(), generic, &size) != 0 ||
      ::getnameinfo(generic, size, host.data(), host.size(), port.data(), port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  const bool is_ipv6 = address.ss_family == AF_INET6;
  return fmt::format("http://{}{}{}:{}", is_ipv6 ? "[" : "", host.data(), is_ipv6 ? "]" : "",
                     port.data());
}

}  // namespace interlock::cli
