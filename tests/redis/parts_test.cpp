// The parts that no outside behaviour pins down: digests of every length, and the pauses between
// attempts to connect.
#include <gmock/gmock.h>

#include "back_off.hpp"
#include "sha1.hpp"
#include "support/plain_redis.hpp"
#include "support/redis_server.hpp"

namespace interlock::redis {
namespace {

TEST(Sha1, GivesThePublishedDigests) {
  EXPECT_EQ(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST(Sha1, AgreesWithTheServerAtEveryLengthAroundABlock) {
  const test::RedisServer server;
  test::PlainRedis plain(server);
  std::string text;
  for (int length = 0; length <= 200; ++length) {
    ASSERT_EQ(sha1_hex(text), plain.command({"EVAL", "return redis.sha1hex(ARGV[1])", "0", text}))
        << length;
    text.push_back(static_cast<char>(length * 7));
  }
}

TEST(BackOff, PausesDoubleUpToASecondAndStayInTheUpperHalf) {
  BackOff back_off;
  const Clock::time_point now{};
  Duration full = BackOff::first;
  for (int failure = 0; failure < 20; ++failure) {
    back_off.failed(Error(Errc::unavailable, "away"), now);
    EXPECT_LE(back_off.length(), full);
    EXPECT_GE(back_off.length(), full / 2);
    const auto why = back_off.pause(now + back_off.length() - Duration{1});
    ASSERT_TRUE(why.has_value());
    EXPECT_EQ(*why, Error(Errc::unavailable, "away"));
    EXPECT_FALSE(back_off.pause(now + back_off.length()).has_value());
    full = std::min(full * 2, BackOff::longest);
  }
  back_off.succeeded();
  EXPECT_FALSE(back_off.pause(now).has_value());
  back_off.failed(Error(Errc::unavailable, "away"), now);
  EXPECT_LE(back_off.length(), BackOff::first);
}

TEST(BackOff, ARefusalIsFollowedByTheLongestPause) {
  BackOff back_off;
  back_off.failed(Error(Errc::rejected, "wrong password"), Clock::time_point{});
  EXPECT_GE(back_off.length(), BackOff::longest / 2);
}

}  // namespace
}  // namespace interlock::redis
