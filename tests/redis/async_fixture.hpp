// A store on an event loop and a real server, for tests; and what its thread sends.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"
#include "support/test_reactor.hpp"

namespace interlock::redis {

// Counts only what this thread sends, which drives the store: a proxy's thread sends as well.
inline thread_local int sends = 0;
inline thread_local std::size_t last_send = 0;  // in bytes
// While not 0, a send takes this many bytes, and the one after it finds the socket full.
inline thread_local std::size_t send_limit = 0;
inline thread_local bool socket_is_full = false;

using test::Asked;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::RedisSettings;
using test::shown;
using test::TestReactor;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

inline Operation get(std::string key = "k") {
  return operation(OperationKind::get, std::move(key));
}
inline Operation set(std::string value) {
  return operation(OperationKind::set, "k", std::move(value));
}
inline Operation claim(std::string key, std::string owner = "il1:a") {
  return operation(OperationKind::claim, std::move(key), std::move(owner), milliseconds{60'000});
}
inline Operation release(std::string key, std::string owner = "il1:a") {
  return operation(OperationKind::release, std::move(key), std::move(owner));
}

class RedisAsync : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    plain_.command({"FLUSHALL"});
    send_limit = 0;
    socket_is_full = false;
  }

  void use(const RedisServer& server, Duration command_timeout = std::chrono::seconds{10}) {
    Options options = *parse_url(server.url());
    options.command_timeout = command_timeout;
    options.connect_timeout = command_timeout;
    store_ = backend(options)->open_on(reactor_);
  }
  std::string answer(Operation op) {
    Asked asked(*store_, std::move(op));
    EXPECT_TRUE(reactor_.run_until([&] { return asked.done(); }));
    return shown(asked.take());
  }
  std::string eventually(const Operation& op) {
    std::string said;
    const TimePoint end = reactor_.now() + std::chrono::seconds{20};
    do {
      said = answer(op);
      reactor_.run_for(milliseconds{1});
    } while (said.starts_with("unavailable") && reactor_.now() < end);
    return said;
  }
  // All at once, and the answers in order.
  std::vector<std::string> answers(const std::vector<Operation>& ops) {
    std::deque<Asked> asked;
    for (const Operation& op : ops) asked.emplace_back(*store_, op);
    EXPECT_TRUE(all_done(asked));
    std::vector<std::string> said;
    for (Asked& each : asked) said.push_back(shown(each.take()));
    return said;
  }
  // How many of a command the server has carried out since the last call.
  int calls(PlainRedis& plain, const std::string& command) {
    const std::string stats = plain.command({"INFO", "commandstats"});
    plain.command({"CONFIG", "RESETSTAT"});
    const std::string before = "cmdstat_" + command + ":calls=";
    const auto found = stats.find(before);
    return found == std::string::npos ? 0 : std::stoi(stats.substr(found + before.size()));
  }
  int calls(const std::string& command) { return calls(plain_, command); }
  bool all_done(const std::deque<Asked>& asked) {
    return reactor_.run_until([&] {
      return std::all_of(asked.begin(), asked.end(), [](const Asked& a) { return a.done(); });
    });
  }

  static inline std::unique_ptr<RedisServer> server_;
  PlainRedis plain_{*server_};
  TestReactor reactor_;
  std::unique_ptr<KeyValueStore> store_ = (*backend(server_->url()))->open_on(reactor_);
};

}  // namespace interlock::redis
