// Finds out when this machine, or its disk, keeps the server from answering. The lease of an offer
// is so short that it may be lost then, which is no fault of the lock.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "history.hpp"
#include "support/redis_server.hpp"

namespace interlock::test {

// Writes to the server all the time, past the networks that fail. A thread of its own does so; the
// functions may be called by any one thread.
class Probe {
 public:
  explicit Probe(const RedisServer& server);

  // Asks this server from now on.
  void ask(const RedisServer& server);
  // When an answer took 60 ms or more, since the last call. Another server, or none, is no stall.
  std::vector<Window> take_stalls();

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::string unix_socket_;
  std::vector<Window> stalls_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace interlock::test
