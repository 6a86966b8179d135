// A primary, a replica and three Sentinels that watch them, on the loopback.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/redis_server.hpp"

namespace interlock::test {

// Start it on the main thread: see RedisServer. The Sentinels take a primary for dead after half a
// second of silence.
class SentinelTrio {
 public:
  SentinelTrio();
  ~SentinelTrio();
  SentinelTrio(const SentinelTrio&) = delete;
  SentinelTrio& operator=(const SentinelTrio&) = delete;

  std::string url() const;
  // The primary at the beginning, and the one that takes its place.
  RedisServer& first() { return first_; }
  RedisServer& second() { return second_; }
  // The one of these two that takes itself for the primary.
  RedisServer& primary();
  // Until all Sentinels name the second one. False: that took more than a minute.
  bool wait_until_switched() const { return wait_until_primary(second_); }
  bool wait_until_primary(const RedisServer& server) const;
  // The one that all Sentinels name has the other as a replica, with all its data.
  bool wait_until_copied(const RedisServer& primary) const;

 private:
  bool until_all(const std::vector<std::string>& command, const std::string& answer) const;

  ScratchFolder folder_;
  RedisServer first_;
  RedisServer second_;
  std::vector<int> ports_;
  std::vector<pid_t> sentinels_;
};

}  // namespace interlock::test
