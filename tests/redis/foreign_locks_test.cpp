// Locks of another library on the same keys: redis-py, the most used one that Debian packages.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>

#include "interlock/redis/redis_backend.hpp"
#include "support/ask.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

using test::ask;
using test::operation;
using test::PlainRedis;
using test::RedisServer;
using test::shown;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Debian's interpreter, which is the one that sees Debian's python3-redis.
constexpr const char* interpreter = INTERLOCK_TEST_PYTHON;

// What a Python program prints, its complaints included.
std::string python(const RedisServer& server, const std::string& program) {
  const test::ScratchFolder folder;
  const std::string path = folder / "program.py";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  const std::string text = "import redis\nserver = redis.Redis(unix_socket_path='" +
                           server.unix_socket() + "')\n" + program;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  const std::string command = interpreter + (" " + path + " 2>&1");
  std::FILE* const output = popen(command.c_str(), "r");
  std::string printed;
  std::array<char, 1024> part;
  while (std::fgets(part.data(), part.size(), output) != nullptr) printed += part.data();
  pclose(output);
  return printed;
}

class ForeignLocks : public ::testing::Test {
 protected:
  void SetUp() override {
    // Not a skip: without this test nobody would notice that the two stopped excluding each other.
    ASSERT_EQ(python(server_, "print('ready')"), "ready\n")
        << "this test needs Python with the module redis: apt-get install python3-redis";
  }
  std::string claim() {
    return shown(
        ask(*store_, operation(OperationKind::claim, "k", "il1:ours", milliseconds{600'000})));
  }
  RedisServer server_;
  PlainRedis plain_{server_};
  std::unique_ptr<KeyValueStore> store_ = (*backend(server_.url()))->open();
};

TEST_F(ForeignLocks, ALockOfRedisPyKeepsOursOutUntilItIsReleased) {
  const std::string program = R"(
lock = server.lock('k', timeout=600)
print('acquired', lock.acquire(blocking=False))
print('token', lock.local.token.decode())
)";
  const std::string printed = python(server_, program);
  ASSERT_THAT(printed, StartsWith("acquired True\ntoken "));
  const std::string token = printed.substr(printed.rfind(' ') + 1, 32);
  EXPECT_THAT(claim(), StartsWith("[0, \"" + token + "\", "));
  EXPECT_EQ(shown(ask(*store_, operation(OperationKind::release, "k", "il1:ours"))), "-1");
  EXPECT_EQ(shown(ask(*store_, operation(OperationKind::renew, "k", "il1:ours", milliseconds{9}))),
            "-1");
  EXPECT_EQ(python(server_, "lock = server.lock('k')\nlock.local.token = b'" + token +
                                "'\nlock.release()\nprint('released')"),
            "released\n");
  EXPECT_THAT(claim(), StartsWith("[1, "));
}

TEST_F(ForeignLocks, OursKeepsALockOfRedisPyOutAndSafeFromItsRelease) {
  ASSERT_THAT(claim(), StartsWith("[1, "));
  const std::string program = R"(
lock = server.lock('k', timeout=600)
print('acquired', lock.acquire(blocking=False))
lock.local.token = b'another'
try:
  lock.release()
except redis.exceptions.LockNotOwnedError:
  print('not owned')
)";
  EXPECT_EQ(python(server_, program), "acquired False\nnot owned\n");
  EXPECT_EQ(plain_.command({"GET", "k"}), "il1:ours");
  EXPECT_EQ(shown(ask(*store_, operation(OperationKind::release, "k", "il1:ours"))), "1");
  EXPECT_EQ(python(server_, "print(server.lock('k', timeout=9).acquire(blocking=False))"),
            "True\n");
}

}  // namespace
}  // namespace interlock::redis
