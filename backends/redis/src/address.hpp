// The socket functions that both kinds of connection need.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
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
  // The address of the Internet in it, without or with the port; empty: there is none.
  std::string text() const;
  std::string text_with_port() const;

 private:
  sockaddr_storage storage_{};
  socklen_t size_;
};

Result<Address> unix_address(const std::string& path);

// The addresses of a host. With `numeric_only` this asks no server: the result is empty for a name.
// `unavailable`: the name is unknown, or no server answers.
Result<std::vector<Address>> tcp_addresses(const std::string& host,
                                           std::uint16_t port,
                                           bool numeric_only);

using Socket = posix::Descriptor;

// Begins to connect, without blocking; child processes do not inherit the socket. The socket
// becomes writable when the attempt has ended; then call connect_error().
Result<Socket> start_connect(const Address& address);
// 0: connected.
int connect_error(const Socket& socket);

// Whether nothing has arrived and the other side has not closed the connection. Does not wait.
bool has_nothing_to_read(const Socket& socket);

using posix::system_text;

}  // namespace interlock::redis
