// How many connections a client has at the server, and when it gives them back.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/eventually.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

class ClientConnections : public ::testing::Test {
 protected:
  // For commands and for messages, while it waits or renews.
  static constexpr std::size_t of_the_loop = 2;

  std::size_t connections() {
    const std::string list = plain_.command({"CLIENT", "LIST"});
    std::size_t count = 0;
    // With the space: newer servers also list lib-name.
    for (std::size_t at = 0; (at = list.find(" name=interlock ", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  }
  // So many threads at once, each with a lock of its own and then one that all want.
  static int acquire_in_threads(Client& client, int number, bool fair) {
    std::atomic<int> granted = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < number; ++thread) {
      threads.emplace_back([&client, &granted, thread, fair] {
        LockOptions options;
        options.fair = fair;
        AcquireResult own = client.acquire("own/" + std::to_string(thread), options);
        const AcquireResult shared = client.acquire("shared", options);
        if (own && shared && own->release()) ++granted;
      });
    }
    for (std::thread& thread : threads) thread.join();
    return granted;
  }

  test::RedisServer server_;
  const std::shared_ptr<Backend> backend_ = *redis::backend(server_.url());
  test::PlainRedis plain_{server_};
};

TEST_F(ClientConnections, AreNoMoreThanTheOptionsAllowHoweverManyThreadsThereAre) {
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
    ClientOptions options;
    options.connections_max = most;
    Client client(backend_, options);
    std::atomic<bool> done = false;
    std::size_t seen = 0;
    std::thread watching([&] {
      while (!done) seen = std::max(seen, connections());
    });
    for (const bool fair : {false, true}) {
      EXPECT_EQ(acquire_in_threads(client, 60, fair), 60) << most << (fair ? " fair" : "");
    }
    done = true;
    watching.join();
    EXPECT_LE(seen, most + of_the_loop);
    EXPECT_GT(seen, 0U);
  }
}

TEST_F(ClientConnections, ThatAreIdleAreClosedAndMadeAgainWhenNeeded) {
  ClientOptions options;
  options.connection_idle_limit = milliseconds(100);
  Client client(backend_, options);
  ASSERT_EQ(acquire_in_threads(client, 20, false), 20);
  EXPECT_TRUE(test::eventually([&] { return connections() <= of_the_loop; })) << connections();
  AcquireResult again = client.acquire("again");
  EXPECT_TRUE(again);
  EXPECT_TRUE(again->release());
  EXPECT_TRUE(test::eventually([&] { return connections() <= of_the_loop; })) << connections();
}

// On a machine that stands still for that long the connection is idle after all.
TEST_F(ClientConnections, InUseAreNotClosed) {
  constexpr milliseconds idle_limit{200};
  ClientOptions options;
  options.connection_idle_limit = idle_limit;
  Client client(backend_, options);
  const auto made = [this] {
    const std::string field = "total_connections_received:";
    const std::string stats = plain_.command({"INFO", "stats"});
    return std::stoll(stats.substr(stats.find(field) + field.size()));
  };
  // Each release is answered before the next use. Else the loop borrows the connection for a
  // moment, to look for the answer, and a thread that comes then makes a second one.
  const auto use = [&client] {
    AcquireResult lock = client.acquire("a");
    return lock && lock->release();
  };
  ASSERT_TRUE(use());
  TimePoint used = local_now();
  const auto before = made();
  int standstills = 0;
  for (const TimePoint end = used + 5 * idle_limit; used < end;) {
    // The connection is idle for most of the time, as a use that is forgotten would not matter
    // else.
    std::this_thread::sleep_for(idle_limit / 4);
    ASSERT_TRUE(use());
    if (local_now() - used >= idle_limit / 2) ++standstills;
    used = local_now();
  }
  EXPECT_LE(made(), before + standstills);
}

TEST_F(ClientConnections, AllGoWithTheClient) {
  {
    Client client(backend_);
    ASSERT_EQ(acquire_in_threads(client, 20, false), 20);
    EXPECT_GT(connections(), 0U);
  }
  EXPECT_TRUE(test::eventually([&] { return connections() == 0; }));
}

}  // namespace
}  // namespace interlock
