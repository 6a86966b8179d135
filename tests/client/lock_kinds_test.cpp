// The table of kinds, and what becomes of a release that a kind could not finish.
#include "lock_kinds.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "interlock/store/key_value_store.hpp"
#include "interlock/system_token_source.hpp"
#include "unfinished_releases.hpp"

namespace interlock {
namespace {

// A store that is always away.
class AwayStore final : public KeyValueStore {
 public:
  Submitted submit(PendingOperation& pending) override {
    pending.complete(Error(Errc::unavailable, "the store is away"));
    return Submitted::completed;
  }
};

// Whose store needs nothing of its users.
class AwayBackend final : public Backend {
 public:
  std::unique_ptr<KeyValueStore> open() override { return std::make_unique<AwayStore>(); }
  std::unique_ptr<KeyValueStore> open_on(Reactor&) override { return nullptr; }
  std::string description() const override { return "away"; }
  Result<std::vector<Finding>> inspect() override { return std::vector<Finding>(); }
  Result<std::vector<Key>> held_locks() override { return std::vector<Key>(); }
};

class Kinds : public ::testing::Test {
 protected:
  static LockOptions options(bool fair) {
    LockOptions options;
    options.fair = fair;
    return options;
  }
  Lease lease(LockKind kind) {
    return {*LockName::parse("a"),
            tokens.fresh_with(kinds.protocol(kind).owner_mark()),
            FencingToken(1),
            Ttl(std::chrono::hours{1}),
            loop.now(),
            SafetyMargin()};
  }
  EventLoop loop;
  AwayStore store;
  SystemTokenSource tokens;
  std::vector<LockKind> left_behind;
  LockKinds kinds{
      store,         loop,
      tokens,        ClientOptions(),
      AwayBackend(), [this](LockKind kind, const Lease&) { left_behind.push_back(kind); }};
};

TEST_F(Kinds, AreChosenByTheOptionsAndServedByTheirProtocol) {
  EXPECT_EQ(kinds.protocol(kind_of(options(false))).id(), "lease-lock");
  EXPECT_EQ(kinds.protocol(kind_of(options(true))).id(), "queue-lock");
}

TEST_F(Kinds, ShareGrantsOnlyIfEachCallerHasAFencingToken) {
  EXPECT_TRUE(shares_grants(LockKind::fair));
  EXPECT_FALSE(shares_grants(LockKind::plain));
}

TEST_F(Kinds, ALeaseThatIsLeftBehindKeepsItsKind) {
  for (const LockKind kind : {LockKind::fair, LockKind::plain}) {
    EXPECT_FALSE(run(kinds.client(kind).release(lease(kind))));
  }
  EXPECT_EQ(left_behind, (std::vector{LockKind::fair, LockKind::plain}));
}

TEST_F(Kinds, AnUnfinishedReleaseIsWaitedForUntilTheLimitAndEndsWithTheClient) {
  TaskGroup tasks(loop);
  UnfinishedReleases unfinished(tasks, kinds);
  unfinished.wait(std::chrono::hours{1});  // there is none
  unfinished.add(LockKind::plain, lease(LockKind::plain));
  unfinished.wait(milliseconds{5});
  EXPECT_EQ(tasks.running(), 1);
  std::promise<void> ended;
  loop.post([&] {
    unfinished.end();
    ended.set_value();
  });
  ended.get_future().get();
  tasks.wait();
}

}  // namespace
}  // namespace interlock
