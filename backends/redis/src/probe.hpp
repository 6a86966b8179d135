// Finds out whether a server speaks TLS, after it has not answered those who took it for the other
// kind. A Redis server waits for more of a TLS greeting, which looks like a command without an end;
// a server of TLS closes a connection on which a command comes. So each is asked in its own
// language, on a connection of its own, and answers at once.
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
