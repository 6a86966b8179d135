// What a Redis user needs to be allowed to keep locks, and how it is told what it lacks.
#include <gmock/gmock.h>

#include <fstream>
#include <future>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using std::chrono::seconds;
using test::PlainRedis;
using test::RedisServer;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// For locks whose names begin with `app/`.
constexpr const char* keys_and_channels = "~app/* ~{app/* &{app/* &interlock:ear:*";
constexpr const char* commands =
    "+eval +evalsha +set +get +mget +del +pttl +pexpire +time +publish +pubsub|numsub "
    "+subscribe +unsubscribe +ping";
constexpr const char* commands_of_queues = "+exists +lindex +lpop +lrange +lrem +lset +rpush";
constexpr const char* commands_of_groups =
    "+zadd +zcount +zrangebyscore +zrem +zremrangebyscore +zrevrange +zscore";
constexpr const char* commands_of_looks = "+scan +exists +lrange +info";

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Notes what goes wrong, and when somebody waits.
class Notes final : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    const std::lock_guard lock(mutex_);
    if (event.kind == EventKind::waiting) waits_ = true;
    if (event.error) problems_.push_back(event.error->detail());
  }
  bool somebody_waits() const {
    const std::lock_guard lock(mutex_);
    return waits_ || !problems_.empty();
  }
  std::vector<std::string> problems() const {
    const std::lock_guard lock(mutex_);
    return problems_;
  }

 private:
  mutable std::mutex mutex_;
  bool waits_ = false;
  std::vector<std::string> problems_;
};

class RedisRights : public ::testing::Test {
 protected:
  std::shared_ptr<Backend> as_user(const std::vector<std::string>& rights,
                                   const std::string& parameters = {}) {
    std::vector<std::string> command{"ACL", "SETUSER", "locker",        "reset",
                                     "on",  ">pw",     "resetchannels", "-@all"};
    command.insert(command.end(), rights.begin(), rights.end());
    PlainRedis plain(server_);
    EXPECT_EQ(plain.command(command), "OK");
    plain.command({"FLUSHALL"});
    return *backend("redis://locker:pw@127.0.0.1:" + std::to_string(server_.port()) + parameters);
  }

  // One holds and renews, another waits and enters.
  static std::vector<std::string> problems_of_two(const std::shared_ptr<Backend>& store,
                                                  bool fair,
                                                  std::optional<Permits> permits = {}) {
    Notes notes;
    ClientOptions client_options;
    client_options.events = &notes;
    LockOptions options(Ttl(seconds{3}));
    options.fair = fair;
    options.permits = permits;
    options.wait = seconds{60};
    Client holder(store, client_options);
    Client waiter(store, client_options);
    AcquireResult held = holder.acquire("app/job", options);
    if (!held) return {held.why_not()};
    auto entered = std::async(std::launch::async, [&] {
      AcquireResult later = waiter.acquire("app/job", options);
      return later ? std::string() : later.why_not();
    });
    while (!notes.somebody_waits()) std::this_thread::sleep_for(milliseconds{1});
    // Long enough for a renewal, which comes after a third of the ttl.
    std::this_thread::sleep_for(milliseconds{1200});
    const auto released = held->release();
    std::vector<std::string> problems = notes.problems();
    if (!released) problems.push_back(released.error().detail());
    if (auto why = entered.get(); !why.empty()) problems.push_back(why);
    return problems;
  }

  const RedisServer server_;
};

TEST_F(RedisRights, ThatAreDocumentedSufficeForUnfairLocks) {
  const auto rights = words(std::string(keys_and_channels) + " " + commands);
  EXPECT_THAT(problems_of_two(as_user(rights), false), IsEmpty());
}

TEST_F(RedisRights, ThatAreDocumentedSufficeForLocks) {
  const auto rights =
      words(std::string(keys_and_channels) + " " + commands + " " + commands_of_queues);
  EXPECT_THAT(problems_of_two(as_user(rights), true), IsEmpty());
}

TEST_F(RedisRights, ThatAreDocumentedSufficeForReadersAndPermits) {
  const std::string all = std::string(keys_and_channels) + " " + commands + " " +
                          commands_of_queues + " " + commands_of_groups;
  EXPECT_THAT(problems_of_two(as_user(words(all)), true, Permits(2, 3)), IsEmpty());
  const auto store = as_user(words(all));
  Client client(store);
  AcquireResult writer = client.acquire("app/job");
  ASSERT_TRUE(writer) << writer.why_not();
  AcquireResult reader = client.downgrade(*std::move(writer));
  ASSERT_TRUE(reader) << reader.why_not();
  const AcquireResult another = client.acquire_shared("app/job");
  EXPECT_TRUE(another) << another.why_not();
  EXPECT_TRUE(reader->release());
}

TEST_F(RedisRights, ThatAreDocumentedSufficeForAStoreWithAQuarantine) {
  const std::string of_all =
      std::string(keys_and_channels) + " " + commands + " +info ~interlock:incarnation";
  const std::string waits = "?after-failover=wait&longest-ttl=3s";
  EXPECT_THAT(problems_of_two(as_user(words(of_all), waits), false), IsEmpty());
  EXPECT_THAT(problems_of_two(as_user(words(of_all + " " + commands_of_queues), waits), true),
              IsEmpty());
}

TEST_F(RedisRights, ThatAreDocumentedSufficeToLook) {
  const auto store = as_user(words(std::string(keys_and_channels) + " " + commands + " " +
                                   commands_of_queues + " " + commands_of_looks));
  Client client(store);
  const AcquireResult held = client.acquire("app/job");
  ASSERT_TRUE(held) << held.why_not();
  const auto locks = store->held_locks();
  ASSERT_TRUE(locks) << locks.error().detail();
  EXPECT_EQ(locks->size(), 1u);
}

TEST_F(RedisRights, ToSomeKeysShowTheLocksOfTheseNamesAlone) {
  const std::string all = std::string(commands) + " " + commands_of_looks;
  const auto hold = [this](const std::string& name) {
    PlainRedis plain(server_);
    plain.command({"SET", name, "il1:a"});
    plain.command({"SET", "{" + name + "}:interlock:fence", "1"});
  };
  const auto seen_by = [&](const std::string& rights) {
    const auto store = as_user(words(rights));
    hold("app/job");
    hold("zzz");
    return store->held_locks();
  };
  const auto locks = seen_by(std::string(keys_and_channels) + " " + all);
  ASSERT_TRUE(locks) << locks.error().detail();
  EXPECT_EQ(*locks, std::vector<Key>{Key("app/job")});

  // What a look reads beside the lock, nobody may read here.
  const auto none = seen_by("~app/* ~zzz " + all);
  ASSERT_TRUE(none) << none.error().detail();
  EXPECT_THAT(*none, IsEmpty());

  const auto refused = seen_by(std::string(keys_and_channels) + " " + all + " -mget");
  ASSERT_TRUE(failed_with(refused, Errc::rejected));
  EXPECT_THAT(refused.error().detail(), HasSubstr("NOPERM"));
}

TEST_F(RedisRights, ThatAScriptLacksAreNamedAsSuchAndChangeNothing) {
  for (const std::string lacking : {"+time", "+set", "+mget"}) {
    auto rights = words(std::string(keys_and_channels) + " " + commands);
    rights.push_back("-" + lacking.substr(1));
    Client client(as_user(rights));
    LockOptions unfair;
    unfair.fair = false;
    const AcquireResult refused = client.try_acquire("app/job", unfair);
    ASSERT_NE(refused.error(), nullptr) << lacking;
    EXPECT_EQ(refused.error()->code(), Errc::rejected) << lacking;
    EXPECT_THAT(refused.error()->detail(), HasSubstr("NOPERM")) << lacking;
    EXPECT_EQ(PlainRedis(server_).command({"EXISTS", "app/job"}), "0") << lacking;
  }
}

TEST_F(RedisRights, ThatAFairClaimLacksChangeNothing) {
  const std::string all =
      std::string(keys_and_channels) + " " + commands + " " + commands_of_queues;
  LockOptions fair(Ttl(seconds{60}));
  fair.wait = seconds{0};
  for (const std::string lacking : {"time", "set", "get", "exists"}) {
    Client client(as_user(words(all + " -" + lacking)));
    const AcquireResult refused = client.acquire("app/job", fair);
    ASSERT_NE(refused.error(), nullptr) << lacking;
    EXPECT_EQ(refused.error()->code(), Errc::rejected) << lacking;
    EXPECT_EQ(PlainRedis(server_).command({"DBSIZE"}), "0") << lacking;
  }
}

TEST_F(RedisRights, ThatAClaimOfAReaderOrOfPermitsLacksLeaveNoLockWithoutAnEnd) {
  const std::string all = std::string(keys_and_channels) + " " + commands + " " +
                          commands_of_queues + " " + commands_of_groups;
  for (const std::string lacking : {"zadd", "set", "del", "lindex", "pexpire"}) {
    for (const bool shared : {true, false}) {
      Client client(as_user(words(all + " -" + lacking)));
      LockOptions options(Ttl(seconds{60}));
      options.wait = seconds{0};
      options.shared = shared;
      if (!shared) options.permits = Permits(1, 2);
      const AcquireResult refused = client.acquire("app/job", options);
      ASSERT_NE(refused.error(), nullptr) << lacking;
      EXPECT_EQ(refused.error()->code(), Errc::rejected) << lacking;
      PlainRedis plain(server_);
      EXPECT_NE(plain.command({"PTTL", "app/job"}), "-1") << lacking;
      EXPECT_EQ(plain.command({"EXISTS", "app/job"}), lacking == "pexpire" ? "1" : "0") << lacking;
    }
  }
}

// Redis 7.0 does not name the command that it refuses to a script.
TEST_F(RedisRights, ThatAReleaseLacksAreToldWithTheCommand) {
  for (const auto& [lacking, fair] : {std::pair("publish", true), std::pair("del", true),
                                      std::pair("publish", false), std::pair("del", false)}) {
    auto rights = words(std::string(keys_and_channels) + " " + commands + " " + commands_of_queues);
    rights.push_back("-" + std::string(lacking));
    Client client(as_user(rights));
    LockOptions options;
    options.fair = fair;
    AcquireResult held = client.try_acquire("app/job", options);
    ASSERT_TRUE(held) << held.why_not();
    const auto released = held->release();
    ASSERT_FALSE(released) << lacking;
    EXPECT_EQ(released.error().code(), Errc::rejected) << lacking;
    const std::string in_capitals = lacking == std::string("del") ? "at DEL" : "at PUBLISH";
    EXPECT_THAT(released.error().detail(),
                AnyOf(HasSubstr("NOPERM in a script, " + in_capitals + ": The user"),
                      HasSubstr("'" + std::string(lacking) + "' command")));
    EXPECT_EQ(PlainRedis(server_).command({"EXISTS", "app/job"}), "1") << lacking;
  }
}

TEST_F(RedisRights, OfTheReadmeAreThese) {
  std::ifstream file(INTERLOCK_README);
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  for (const char* each :
       {keys_and_channels, commands, commands_of_queues, commands_of_groups, commands_of_looks}) {
    for (const std::string& word : words(each)) EXPECT_THAT(readme, HasSubstr(word));
  }
}

}  // namespace
}  // namespace interlock::redis
