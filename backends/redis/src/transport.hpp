// The bytes of a connection: over its socket, or through TLS.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "address.hpp"
#include "tls.hpp"

namespace interlock::redis {

class Transport {
 public:
  Transport() = default;
  explicit Transport(Socket socket) : socket_(std::move(socket)) {}

  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  int descriptor() const noexcept { return socket_.get(); }
  // How the attempt to connect has ended. 0: connected.
  int connect_error() const { return redis::connect_error(socket_); }

  // Puts TLS between. Then shake_hands() until it is done; before that, no byte of a command is
  // sent. See TlsStream::over().
  std::optional<Error> begin_tls(const Tls& tls, std::string name);
  bool has_tls() const noexcept { return tls_ != nullptr; }
  Transfer shake_hands() { return tls_->shake_hands(); }
  // Whether the other side has said anything in the handshake.
  bool was_answered() const noexcept { return tls_ != nullptr && tls_->was_answered(); }

  // Waits only if the socket blocks. Transfer::must_wait also if a signal has come.
  Transfer read(char* into, std::size_t size);
  // The same without waiting.
  Transfer read_now(char* into, std::size_t size);
  // After a read that gave so many bytes of those that were asked for: whether more may be here
  // already. With TLS poll(2) does not tell.
  bool may_have_more(std::size_t read, std::size_t asked) const noexcept;
  // How many bytes the kernel has taken; with TLS: in whole records. The others cannot be used by
  // the server.
  Transfer write(std::string_view bytes);

  // Whether nothing has arrived and the other side has not closed the connection. Does not wait.
  bool is_at_rest() const;

 private:
  Socket socket_;
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace interlock::redis
