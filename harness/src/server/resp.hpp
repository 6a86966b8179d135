// The protocol of Redis, versions 2 and 3: https://redis.io/docs/reference/protocol-spec/
#pragma once

#include <optional>
#include <string>

#include "interlock/store/value.hpp"
#include "server/command.hpp"

namespace interlock::harness {

// Takes requests off what a client has sent.
class RequestReader {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  bool empty() const { return bytes_.empty(); }

  // The next whole request; none: the rest is still on its way, or broken().
  std::optional<Words> next();
  // Why the bytes are no request; empty: they are, so far.
  const std::string& broken() const { return broken_; }

 private:
  std::optional<std::size_t> count(char kind, std::size_t& at);
  std::string bytes_;
  std::string broken_;
};

// The bytes of a reply to this request. `queued`: the requests of the transaction that EXEC ended.
std::string encode(const Reply& reply,
                   Shape shape,
                   bool resp3,
                   const std::vector<Words>& queued = {});
std::string encode_status(std::string_view status);
std::string encode_error(std::string_view error);
std::string encode_text(std::string_view text);
// The answer to a PING of a subscriber.
std::string encode_pong(std::string_view text, bool resp3);

}  // namespace interlock::harness
