// A client that is a global object outlives what the library made after it. A program of its own:
// the first use of a lock must come in the child process that ends.
#include <gtest/gtest.h>

#include <cstdlib>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

constexpr int worked = 7;

class GlobalClient {
 public:
  GlobalClient(const std::string& url, bool fair) : client_(*backend(url)) { options_.fair = fair; }
  ~GlobalClient() { std::_Exit(use() ? worked : 1); }

  bool use() {
    auto lock = client_.try_acquire("at exit", options_);
    if (!lock) return false;
    const auto released = lock->release();
    return released && *released == ReleaseOutcome::released;
  }

 private:
  Client client_;
  LockOptions options_;
};

[[noreturn]] void end_with_a_global_client(const std::string& url, bool fair) {
  static GlobalClient client(url, fair);
  std::exit(client.use() ? 0 : 2);
}

class AtExit : public ::testing::TestWithParam<bool> {};

TEST_P(AtExit, AGlobalClientStillAcquiresAndReleases) {
  const test::RedisServer server;
  EXPECT_EXIT(end_with_a_global_client(server.url(), GetParam()), ::testing::ExitedWithCode(worked),
              "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, AtExit, ::testing::Bool(), [](const auto& each) {
  return each.param ? "Fair" : "Unfair";
});

}  // namespace
}  // namespace interlock::redis
