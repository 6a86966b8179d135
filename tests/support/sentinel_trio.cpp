#include "support/sentinel_trio.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "support/plain_redis.hpp"

namespace interlock::test {
namespace {

constexpr int sentinels = 3;

}  // namespace

SentinelTrio::SentinelTrio() : second_(replica_of(first_)) {
  for (int n = 0; n < sentinels; ++n) {
    const std::string name = folder_ / ("sentinel" + std::to_string(n));
    ports_.push_back(free_port());
    std::ofstream(name) << "port " << ports_.back() << "\nbind 127.0.0.1\nunixsocket " << name
                        << ".sock\nsentinel monitor mine 127.0.0.1 " << first_.port() << " 2\n"
                        << "sentinel down-after-milliseconds mine 500\n"
                        << "sentinel failover-timeout mine 3000\n";
    sentinels_.push_back(start_redis_server({name, "--sentinel"}, name + ".log"));
  }
  // They know each other, and the replica, by messages that come every two seconds.
  if (until_all({"SENTINEL", "CKQUORUM", "mine"}, "OK 3 usable") &&
      until_all({"SENTINEL", "REPLICAS", "mine"}, std::to_string(second_.port()))) {
    return;
  }
  std::fprintf(stderr, "sentinel_trio: the Sentinels do not find each other\n");
  std::abort();
}

SentinelTrio::~SentinelTrio() {
  for (const pid_t each : sentinels_) {
    ::kill(each, SIGKILL);
    waitpid(each, nullptr, 0);
  }
}

std::string SentinelTrio::url() const {
  std::string hosts;
  for (const int port : ports_) {
    hosts += (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
  }
  return "redis+sentinel://" + hosts + "/mine/0";
}

RedisServer& SentinelTrio::primary() {
  const bool is_first =
      first_.pid() != 0 && PlainRedis(first_).command({"ROLE"}).starts_with("[master");
  return is_first ? first_ : second_;
}

bool SentinelTrio::wait_until_primary(const RedisServer& server) const {
  return until_all({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mine"}, std::to_string(server.port()));
}

bool SentinelTrio::wait_until_copied(const RedisServer& primary) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (std::chrono::steady_clock::now() < deadline) {
    if (PlainRedis(primary).command({"INFO", "replication"}).find("state=online") !=
        std::string::npos) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return false;
}

bool SentinelTrio::until_all(const std::vector<std::string>& command,
                             const std::string& answer) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  for (int n = 0; n < sentinels;) {
    PlainRedis sentinel(folder_ / ("sentinel" + std::to_string(n) + ".sock"));
    if (sentinel.command(command).find(answer) != std::string::npos) {
      ++n;
      continue;
    }
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return true;
}

}  // namespace interlock::test
