// Readers and holders of permits at a real server: how many commands they cost, and that readers
// who come and go keep no writer out.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using test::PlainRedis;
using test::RedisServer;

// How many waits have begun.
class Waits final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::waiting && !event.again) ++begun_;
  }
  int begun() const { return begun_; }

 private:
  std::atomic<int> begun_ = 0;
};

ClientOptions telling(Waits& waits) {
  ClientOptions options;
  options.events = &waits;
  return options;
}

class GroupCommands : public testing::TestWithParam<const char*> {
 protected:
  AcquireResult acquire(Client& client) const {
    const bool reads = std::string(GetParam()) == "reader";
    return reads ? client.acquire_shared("k") : client.acquire_permits("k", Permits(1, 2));
  }
  // Since the last call; what scripts call does not count.
  int scripts() {
    const std::string field = "cmdstat_evalsha:calls=";
    const std::string info = plain_.command({"INFO", "commandstats"});
    plain_.command({"CONFIG", "RESETSTAT"});
    const auto at = info.find(field);
    return at == std::string::npos ? 0 : std::stoi(info.substr(at + field.size()));
  }
  // So that the scripts are known, and the connections made.
  void warm_up(Client& client) { static_cast<void>(acquire(client)->release()); }

  RedisServer server_;
  PlainRedis plain_{server_};
  Waits waits_;
  Client client_{*backend(server_.url())};
  Client other_{*backend(server_.url()), telling(waits_)};
};

TEST_P(GroupCommands, TwoWithoutAWait) {
  warm_up(client_);
  scripts();
  static_cast<void>(acquire(client_)->release());
  EXPECT_EQ(scripts(), 2);
  const AcquireResult first = acquire(other_);
  scripts();
  static_cast<void>(acquire(client_)->release());
  EXPECT_EQ(scripts(), 2) << "beside another";
}

// The first wait for a name also tries twice: on the caller's connection, and on that of the loop.
// A client that knows that the lock was busy within the last second queues at once.
TEST_P(GroupCommands, ThreeAfterAWaitAndNoneMeanwhile) {
  warm_up(client_);
  warm_up(other_);
  int fewest = 5;
  for (int round = 0; round < 10; ++round) {
    std::optional<Guard> alone(*client_.acquire("k"));
    scripts();
    const int before = waits_.begun();
    std::jthread waiter([&] {
      AcquireResult result = acquire(other_);
      ASSERT_TRUE(result) << result.why_not();
      static_cast<void>(result->release());
    });
    while (waits_.begun() == before) std::this_thread::sleep_for(milliseconds{1});
    int sent = scripts();
    if (round == 0) {
      while (sent < 3) sent += scripts();
      std::this_thread::sleep_for(milliseconds{300});
      EXPECT_EQ(scripts(), 0) << "nothing is asked while it waits";
    }
    static_cast<void>(alone->release());
    waiter.join();
    sent += scripts() - 1;  // without the release of the other
    EXPECT_LE(sent, 5);
    fewest = std::min(fewest, sent);
  }
  EXPECT_EQ(fewest, 3);
}

INSTANTIATE_TEST_SUITE_P(Both, GroupCommands, testing::Values("reader", "permits"));

// --- a writer behind readers that come and go ----------------------------------------------------

class ManyReaders {
 public:
  std::atomic<bool> writer_waits = false;
  std::atomic<bool> writer_has_been_in = false;
  std::atomic<bool> is_over = false;
  std::atomic<int> inside = 0;
  std::atomic<int> sections = 0;
  std::atomic<int> passed_the_writer = 0;
};

Task<void> read_again_and_again(Client* client, ManyReaders* all) {
  const LockName name = *LockName::parse("k");
  while (!all->is_over) {
    const bool is_behind = all->writer_waits && !all->writer_has_been_in;
    LockOptions shared;
    shared.shared = true;
    AcquireResult result = co_await client->acquire_async(name, shared);
    if (!result) co_return;
    if (is_behind && !all->writer_has_been_in) ++all->passed_the_writer;
    ++all->inside;
    ++all->sections;
    co_await client->loop().sleep_until(client->loop().now() + milliseconds{1});
    --all->inside;
    static_cast<void>(co_await result->release_async());
  }
}

TEST(WriterBehindReaders, EntersAfterThoseThatWereInside) {
  RedisServer server;
  Client reading(*backend(server.url()));
  ManyReaders all;
  for (int each = 0; each < 1000; ++each) reading.spawn(read_again_and_again(&reading, &all));
  while (all.sections < 2000) std::this_thread::sleep_for(milliseconds{1});

  Client writing(*backend(server.url()));
  std::jthread writer([&] {
    const AcquireResult alone = writing.acquire("k");
    ASSERT_TRUE(alone) << alone.why_not();
    EXPECT_EQ(all.inside, 0);
    all.writer_has_been_in = true;
  });
  // The first in the queue is the writer. A reader that begins after that does not enter before it.
  PlainRedis plain(server);
  const std::string queue = queue_key(Key("k")).text();
  while (plain.command({"LLEN", queue}) == "0" && !all.writer_has_been_in) {
    std::this_thread::sleep_for(milliseconds{1});
  }
  all.writer_waits = true;
  writer.join();
  EXPECT_EQ(all.passed_the_writer, 0);
  all.is_over = true;
}

}  // namespace
}  // namespace interlock::redis
