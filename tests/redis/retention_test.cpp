// For how long the server keeps what a lock leaves behind.
#include <gmock/gmock.h>

#include <string>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/eventually.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::eventually;
using test::PlainRedis;
using test::RedisServer;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::Le;

class RedisRetention : public ::testing::TestWithParam<bool> {
 protected:
  Client client_with(const std::string& parameters) {
    return Client(*backend(server_.url() + parameters));
  }
  LockOptions lock(Ttl ttl = Ttl(minutes{3})) const {
    LockOptions options;
    options.fair = GetParam();
    options.ttl = ttl;
    return options;
  }
  milliseconds left_of(const Key& key) {
    return milliseconds{std::stoll(PlainRedis(server_).command({"PTTL", key.text()}))};
  }
  // Written by a request that began less than a minute ago.
  static auto just_below(milliseconds time) { return AllOf(Le(time), Gt(time - minutes{1})); }

  RedisServer server_;
  const Key counter_ = fencing_key(Key("a"));
};
INSTANTIATE_TEST_SUITE_P(Locks, RedisRetention, ::testing::Bool(), [](const auto& fair) {
  return fair.param ? "Fair" : "Unfair";
});

TEST_P(RedisRetention, IsAnHourByDefault) {
  Client client = client_with("");
  ASSERT_TRUE(client.acquire("a", lock()));
  EXPECT_THAT(left_of(counter_), just_below(minutes{63}));
}

TEST_P(RedisRetention, OfTheUrlIsThatOfAllThatALockLeaves) {
  Client client = client_with("?retention=5h");
  AcquireResult held = client.acquire("a", lock());
  ASSERT_TRUE(held);
  EXPECT_THAT(left_of(counter_), just_below(hours{5} + minutes{3}));
  if (!GetParam()) return;
  // Its place is what it would leave if it were killed.
  Client other = client_with("?retention=10m");
  const std::jthread waiting(
      [&, by = &other] { EXPECT_TRUE(by->acquire("a", lock(Ttl(seconds{9})))); });
  EXPECT_TRUE(eventually([&] { return left_of(queue_key(Key("a"))) > milliseconds{0}; }));
  EXPECT_THAT(left_of(queue_key(Key("a"))), AllOf(Gt(minutes{19}), Le(minutes{25})));
  EXPECT_TRUE(held->release());
}

TEST(ClusterRetention, IsThatOfTheUrl) {
  test::RedisCluster cluster;
  const std::string name = cluster.name_kept_by(1);
  Client client(*backend(cluster.url() + "?retention=5h"));
  ASSERT_TRUE(client.acquire(name));
  const std::string left =
      PlainRedis(cluster.primary(1)).command({"PTTL", fencing_key(Key(name)).text()});
  EXPECT_GT(milliseconds{std::stoll(left)}, hours{5});
}

// 32 s are less than the ttl and half of the retention.
TEST_P(RedisRetention, BeginsAnewWithARenewal) {
  Client client = client_with("?retention=1m");
  AcquireResult held = client.acquire("a", lock(Ttl(seconds{3})));
  ASSERT_TRUE(held);
  PlainRedis(server_).command({"PEXPIRE", counter_.text(), "32000"});
  EXPECT_TRUE(eventually([&] { return left_of(counter_) > seconds{55}; }));
}

}  // namespace
}  // namespace interlock::redis
