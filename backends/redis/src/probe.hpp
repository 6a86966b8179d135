// Finds out whether a server speaks TLS, after a connection has failed. A Redis server without TLS
// takes the greeting of TLS for a command without an end, and waits for more of it. A server with
// TLS closes a connection on which a command comes. So a second connection asks in the other way:
// by a command, or by a greeting of TLS. A server of that kind answers at once.
#pragma once

#include <functional>
#include <memory>

#include "interlock/store/reactor.hpp"
#include "transport.hpp"

namespace interlock::redis {

enum class Dialect { unknown, redis, tls };

// Waits for `limit` at most.
Dialect probe(const Address& address, Dialect suspected, Duration limit);

// On the loop's thread. Calls `done` once, unless it is destroyed before; `done` may destroy it.
class AsyncProbe {
 public:
  using Done = std::function<void(Dialect found)>;
  AsyncProbe(Reactor& reactor, Dialect suspected, Done done);
  void begin(const Address& address, Duration limit);

 private:
  bool start(const Address& address);
  void ready(bool readable);
  void end(Dialect found);

  Reactor& reactor_;
  Dialect suspected_;
  Done done_;
  bool is_asked_ = false;
  Transport transport_;
  std::unique_ptr<Reactor::Watch> watch_;  // ends before the socket
  std::unique_ptr<Reactor::Timer> timer_;
};

}  // namespace interlock::redis
