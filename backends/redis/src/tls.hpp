// TLS over a connected socket, by OpenSSL.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "interlock/error.hpp"
#include "interlock/redis/redis_backend.hpp"

namespace interlock::redis {

// What came of a call that reads, writes or shakes hands.
class Transfer {
 public:
  static Transfer of(std::size_t bytes) { return {bytes, 0, {}, false}; }
  // For input or output: POLLIN or POLLOUT.
  static Transfer must_wait(short event) { return {0, event, {}, false}; }
  // The bare fact.
  static Transfer broken(std::string fact) { return {0, 0, std::move(fact), false}; }
  // What is wrong with a certificate or a setting, and what to do: "fact: advice". Another attempt
  // ends in the same way.
  static Transfer refused(std::string why) { return {0, 0, std::move(why), true}; }

  bool is_broken() const noexcept { return !fact.empty(); }

  std::size_t size;
  short wait_for;
  std::string fact;
  bool is_refusal;

 private:
  Transfer(std::size_t bytes, short event, std::string why, bool refusal)
      : size(bytes), wait_for(event), fact(std::move(why)), is_refusal(refusal) {}
};

// Not thread-safe. The socket must live as long; its end sends nothing. In a child of fork() it may
// only be destroyed.
class TlsStream {
 public:
  // Reads the files that `tls` names, so that each new connection uses what they have now.
  // `rejected`: one of them cannot be used. `name`: that the certificate must have.
  static Result<std::unique_ptr<TlsStream>> over(int socket, const Tls& tls, std::string name);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Until it returns neither an event to wait for nor an error. Then the server is the right one.
  Transfer shake_hands();
  // `now`: does not wait, whatever the socket does.
  Transfer read(char* into, std::size_t size, bool now = false);
  // The bytes whose record the kernel has taken to the last byte. The server can use no others.
  Transfer write(std::string_view bytes);

  // Whether nothing has come, and the other side has not closed the connection. Does not wait.
  bool is_at_rest();
  // Whether bytes are here that poll(2) does not report.
  bool has_buffered() const noexcept;
  // Whether anything has come from the other side.
  bool was_answered() const noexcept;

 private:
  class Parts;
  explicit TlsStream(std::unique_ptr<Parts> parts);
  Transfer result_of(int result);
  Transfer why_failed();

  std::unique_ptr<Parts> parts_;
};

}  // namespace interlock::redis
