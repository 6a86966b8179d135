// Sockets, as far as both kinds of connection need them.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <string>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/posix/descriptor.hpp"
#include "interlock/posix/failure.hpp"

namespace interlock::redis {

// The clock of this backend's own deadlines.
using Clock = std::chrono::steady_clock;

class Address {
 public:
  Address(const sockaddr* address, socklen_t size);

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const noexcept { return size_; }
  int family() const noexcept { return storage_.ss_family; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_;
};

Result<Address> unix_address(const std::string& path);

// The addresses of a host; with `numeric_only`, without asking anybody: empty for a name.
// `unavailable`: the name is unknown, or nobody answers.
Result<std::vector<Address>> tcp_addresses(const std::string& host,
                                           std::uint16_t port,
                                           bool numeric_only);

using Socket = posix::Descriptor;

// Begins to connect, without blocking, and without inheritance by child processes. The socket is
// writable once it is decided; then ask connect_error(). An error here is the system's number.
Result<Socket> start_connect(const Address& address);
// 0: connected.
int connect_error(const Socket& socket);

// Whether nothing has come and the other side has not closed it. Waits for nothing.
bool has_nothing_to_read(const Socket& socket);

using posix::system_text;

}  // namespace interlock::redis
