// Which locks a search finds among other keys, and in how many steps.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using test::PlainRedis;
using test::RedisCluster;
using test::RedisServer;

class LockSearchTest : public testing::Test {
 protected:
  LockSearchTest() {
    plain_.command(
        {"EVAL", "for i = 1, 20000 do redis.call('SET', 'foreign:' .. i, 'v') end", "0"});
  }

  RedisServer server_;
  PlainRedis plain_{server_};
  std::shared_ptr<Backend> backend_ = *backend(server_.url());
  Client client_{backend_};
};

TEST_F(LockSearchTest, APartIsSmallAndARoundFindsEveryLock) {
  const AcquireResult one = client_.acquire("one");
  const AcquireResult two = client_.acquire("two");
  { const AcquireResult free = client_.acquire("free"); }
  const auto search = backend_->search_locks();
  for (int round = 0; round < 2; ++round) {
    std::set<Key> found;
    double share = 0;
    int parts = 0;
    for (;;) {
      const auto part = search->next(1000);
      ASSERT_TRUE(part) << part.error().detail();
      ++parts;
      EXPECT_GT(part->share_seen, share);
      share = part->share_seen;
      found.insert(part->found.begin(), part->found.end());
      if (part->is_complete()) break;
    }
    EXPECT_EQ(found, (std::set<Key>{Key("one"), Key("two")}));
    // 20000 keys are in 32768 buckets, of which a part looks at about 1000.
    EXPECT_GE(parts, 15);
    EXPECT_LE(parts, 40);
  }
}

TEST_F(LockSearchTest, AKeyThatIsNoLockAnyMoreIsNotFound) {
  { const AcquireResult free = client_.acquire("a"); }
  plain_.command({"RPUSH", "a", "foreign"});
  const auto part = backend_->search_locks()->next(1'000'000);
  ASSERT_TRUE(part) << part.error().detail();
  EXPECT_TRUE(part->is_complete());
  EXPECT_TRUE(part->found.empty());
}

TEST_F(LockSearchTest, AUserFindsItsOwnLocksAmongThoseOfOthers) {
  plain_.command({"FLUSHALL"});  // so that one command asks for all locks
  std::vector<AcquireResult> held;
  for (int number = 0; number < 40; ++number) {
    held.push_back(client_.acquire((number % 8 == 0 ? "app/" : "other/") + std::to_string(number)));
  }
  plain_.command({"ACL", "SETUSER", "locker", "on", ">secret", "~app/*", "~{app/*", "+scan",
                  "+mget", "+info", "+ping", "+cluster"});
  const auto locker = *backend("redis://locker:secret@127.0.0.1:" + std::to_string(server_.port()));
  const auto part = locker->search_locks()->next(1'000'000);
  ASSERT_TRUE(part) << part.error().detail();
  EXPECT_EQ(
      std::set<Key>(part->found.begin(), part->found.end()),
      (std::set<Key>{Key("app/0"), Key("app/8"), Key("app/16"), Key("app/24"), Key("app/32")}));
}

// Else one look at a cluster would show the locks of one server.
TEST(ClusterSearchTest, APartIsOfEveryServer) {
  RedisCluster cluster;
  const auto store = *backend(cluster.url());
  Client client(store);
  std::vector<AcquireResult> held;
  std::set<Key> locks;
  for (std::size_t number = 0; number < RedisCluster::primaries; ++number) {
    const std::string name = cluster.name_kept_by(number);
    held.push_back(client.acquire(name));
    ASSERT_TRUE(held.back()) << held.back().why_not();
    locks.insert(Key(name));
  }
  const auto few = store->search_locks()->next(3 * 250);
  ASSERT_TRUE(few) << few.error().detail();
  EXPECT_TRUE(few->is_complete());
  EXPECT_EQ(std::set<Key>(few->found.begin(), few->found.end()), locks);

  for (std::size_t number = 0; number < RedisCluster::primaries; ++number) {
    const std::string tag = "{" + cluster.name_kept_by(number, "foreign") + "}";
    PlainRedis(cluster.primary(number))
        .command({"EVAL", "for i = 1, 2000 do redis.call('SET', KEYS[1] .. i, 'v') end", "1", tag});
  }
  const auto search = store->search_locks();
  for (int round = 0; round < 2; ++round) {
    std::set<Key> found;
    double share = 0;
    int parts = 0;
    for (bool is_complete = false; !is_complete; ++parts) {
      const auto part = search->next(3 * 250);
      ASSERT_TRUE(part) << part.error().detail();
      EXPECT_GT(part->share_seen, share);
      EXPECT_LE(part->share_seen, share + 0.3);
      share = part->share_seen;
      found.insert(part->found.begin(), part->found.end());
      is_complete = part->is_complete();
    }
    EXPECT_EQ(found, locks);
    // 2000 keys of each server are in 2048 buckets, of which a part looks at about 250.
    EXPECT_GE(parts, 6);
    EXPECT_LE(parts, 12);
  }
}

}  // namespace
}  // namespace interlock::redis
