// What `interlock top` makes of one look after the other.
#include "top/lock_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "top/top_text.hpp"

namespace interlock::cli {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LockWatchTest : public testing::Test {
 protected:
  LockLook look(LockWatch& watch) {
    now_ += seconds{1};
    const auto look = watch.look(now_, seconds{1});
    EXPECT_TRUE(look) << look.error().detail();
    return look.value_or(LockLook());
  }
  static std::vector<std::string> names_in(const LockLook& look) {
    std::vector<std::string> names;
    for (const TopLock& one : look.locks) names.push_back(one.lock.name);
    return names;
  }
  void grant(const char* name) { EXPECT_TRUE(client_.acquire(name)->release()); }

  std::shared_ptr<Backend> store_ = memory::backend();
  Client client_{store_};
  TimePoint now_{seconds{1000}};
};

TEST_F(LockWatchTest, ShowsHeldLocksAndNoOthers) {
  const AcquireResult held = client_.acquire("held");
  grant("free");
  LockWatch watch(*store_, {});
  const LockLook first = look(watch);
  EXPECT_THAT(names_in(first), ElementsAre("held"));
  EXPECT_EQ(first.held(), 1U);
  EXPECT_EQ(first.share_seen, 1);
  EXPECT_FALSE(first.locks.front().grants_per_second);
}

TEST_F(LockWatchTest, CountsAtMostOneGrantOfALockFromLookToLook) {
  std::optional<AcquireResult> held(client_.acquire("a"));
  LockWatch watch(*store_, {});
  look(watch);
  EXPECT_EQ(look(watch).grants_per_second(), 0);
  held.reset();
  grant("a");
  grant("a");
  // Free at the moment, but granted since the last look.
  const LockLook third = look(watch);
  EXPECT_THAT(names_in(third), ElementsAre("a"));
  EXPECT_EQ(third.held(), 0U);
  EXPECT_EQ(third.grants_per_second(), 0.5);
  grant("a");
  EXPECT_DOUBLE_EQ(look(watch).grants_per_second(), 2.0 / 3);
}

TEST_F(LockWatchTest, ForgetsTheGrantsOfMoreThanTenSecondsAgo) {
  std::optional<AcquireResult> held(client_.acquire("a"));
  LockWatch watch(*store_, {});
  look(watch);
  held.reset();
  grant("a");
  for (int second = 0; second < 10; ++second) EXPECT_THAT(names_in(look(watch)), ElementsAre("a"));
  EXPECT_THAT(names_in(look(watch)), ElementsAre());
}

TEST_F(LockWatchTest, ShowsNamedLocksAloneAlsoIfTheyAreFree) {
  const AcquireResult held = client_.acquire("a");
  const AcquireResult other = client_.acquire("b");
  LockWatch watch(*store_, {*LockName::parse("a"), *LockName::parse("c")});
  EXPECT_THAT(names_in(look(watch)), ElementsAre("a", "c"));
}

TEST_F(LockWatchTest, FollowsABoundedNumberOfLocks) {
  std::vector<AcquireResult> held;
  for (std::size_t number = 0; number < LockWatch::locks_max + 3; ++number) {
    held.push_back(client_.acquire("lock " + std::to_string(number)));
  }
  LockWatch watch(*store_, {});
  const LockLook all = look(watch);
  EXPECT_EQ(all.locks.size(), LockWatch::locks_max);
  EXPECT_TRUE(all.is_full);
  EXPECT_THAT(top_text(all, "memory:", {}, TopSize{80, 24}),
              AllOf(HasSubstr("more locks than 2000 are held"), HasSubstr("and 1979 more")));
}

TEST_F(LockWatchTest, TextFitsItsTerminal) {
  const AcquireResult held = client_.acquire(std::string(300, 'x'));
  LockWatch watch(*store_, {});
  const LockLook one = look(watch);
  for (const std::size_t columns : {20U, 60U, 100U, 200U}) {
    const std::string text = top_text(one, "memory:", "locks not listed", TopSize{columns, 24});
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      EXPECT_LE(end - begin, columns) << text;
      begin = end + 1;
    }
    EXPECT_THAT(text, HasSubstr("LOCK"));
  }
  EXPECT_THAT(top_text(one, "memory:", {}, TopSize{60, 24}), Not(HasSubstr("COMMAND")));
  EXPECT_THAT(top_text(one, "memory:", {}, TopSize{200, 24}),
              AllOf(HasSubstr("COMMAND"), HasSubstr("USER")));
}

TEST_F(LockWatchTest, TextSaysHowMuchWasSeen) {
  LockLook look;
  look.share_seen = 0.124;
  EXPECT_THAT(top_text(look, "redis:", {}, std::nullopt), HasSubstr("seen 12 % of the keys"));
  look.share_seen = 1;
  EXPECT_THAT(top_text(look, "redis:", {}, std::nullopt), Not(HasSubstr("seen")));
}

TEST_F(LockWatchTest, TextBeginsWithAQuarantineAlsoWhereThereIsLittleRoom) {
  LockLook look;
  EXPECT_THAT(top_text(look, "redis:", {}, std::nullopt), Not(HasSubstr("no lock")));
  look.quarantine = seconds{12};
  EXPECT_THAT(top_text(look, "redis:", {}, std::nullopt),
              StartsWith("no grants for 12 s: 0 held, 0 waiting"));
  EXPECT_THAT(top_text(look, "redis:", {}, TopSize{60, 24}), StartsWith("no grants for 12 s"));
}

}  // namespace
}  // namespace interlock::cli
