#include "probe.hpp"

#include <utility>

#include "interlock/local_clock.hpp"
#include "support/plain_redis.hpp"

namespace interlock::test {
namespace {

// A quarter of the time that the suite's offers last.
constexpr milliseconds slow{60};
constexpr milliseconds between_questions{20};

}  // namespace

Probe::Probe(const RedisServer& server)
    : unix_socket_(server.unix_socket()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Probe::ask(const RedisServer& server) {
  const std::lock_guard lock(mutex_);
  unix_socket_ = server.unix_socket();
}

std::vector<Window> Probe::take_stalls() {
  const std::lock_guard lock(mutex_);
  return std::exchange(stalls_, {});
}

void Probe::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::string unix_socket;
    {
      const std::lock_guard lock(mutex_);
      unix_socket = unix_socket_;
    }
    // The sleep is included: a machine that does not run this thread does not run the networks.
    const TimePoint from = local_now();
    std::this_thread::sleep_for(between_questions);
    // The server writes each command to its disk before it answers.
    PlainRedis(unix_socket).command({"SET", "what-the-probe-writes", "1"});
    const TimePoint to = local_now();
    if (to - from < between_questions + slow) continue;
    const std::lock_guard lock(mutex_);
    stalls_.emplace_back(from, to);
  }
}

}  // namespace interlock::test
