#include "transport.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace interlock::redis {
namespace {

Transfer read_socket(int socket, char* into, std::size_t size, int flags) {
  const ssize_t came = ::recv(socket, into, size, flags);
  if (came > 0) return Transfer::of(static_cast<std::size_t>(came));
  if (came == 0) return Transfer::broken("the server closed the connection");
  if (errno == EAGAIN || errno == EINTR) return Transfer::must_wait(POLLIN);
  return Transfer::broken(system_text(errno));
}

}  // namespace

std::optional<Error> Transport::begin_tls(const Tls& tls, std::string name) {
  auto stream = TlsStream::over(socket_.get(), tls, std::move(name));
  if (!stream) return std::move(stream).error();
  tls_ = *std::move(stream);
  return std::nullopt;
}

Transfer Transport::read(char* into, std::size_t size) {
  return tls_ ? tls_->read(into, size) : read_socket(socket_.get(), into, size, 0);
}

Transfer Transport::read_now(char* into, std::size_t size) {
  return tls_ ? tls_->read(into, size, true) : read_socket(socket_.get(), into, size, MSG_DONTWAIT);
}

// A short read has emptied the socket, most likely; if not, poll(2) says so.
bool Transport::may_have_more(std::size_t read, std::size_t asked) const noexcept {
  return tls_ ? tls_->has_buffered() : read == asked;
}

Transfer Transport::write(std::string_view bytes) {
  if (tls_) return tls_->write(bytes);
  for (;;) {
    const ssize_t size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size >= 0) return Transfer::of(static_cast<std::size_t>(size));
    if (errno == EAGAIN) return Transfer::must_wait(POLLOUT);
    if (errno != EINTR) return Transfer::broken(system_text(errno));
  }
}

bool Transport::is_at_rest() const {
  return tls_ ? tls_->is_at_rest() : has_nothing_to_read(socket_);
}

}  // namespace interlock::redis
