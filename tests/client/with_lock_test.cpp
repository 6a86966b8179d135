// Client::with_lock: what it says of a section that ran, or did not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using test::eventually;
using ::testing::HasSubstr;

TEST(WithLock, SaysWhetherTheLockWasHeldThroughout) {
  Client client(memory::backend());
  int ran = 0;
  EXPECT_TRUE(client.with_lock("a", [&](Guard&) { ++ran; }));

  LockOptions brief{Ttl(milliseconds(20))};
  brief.renew = false;
  const SectionResult lost = client.with_lock(
      "a",
      [&](Guard&) {
        ++ran;
        std::this_thread::sleep_for(milliseconds(40));
      },
      brief);
  EXPECT_FALSE(lost);
  EXPECT_TRUE(lost.ran);
  EXPECT_EQ(lost.loss, LossReason::not_renewed_in_time);
  EXPECT_EQ(ran, 2);

  const AcquireResult held = client.acquire("a");
  LockOptions one_try;
  one_try.wait = Duration::zero();
  const SectionResult busy = client.with_lock(
      "a", [&](Guard&) { ++ran; }, one_try);
  EXPECT_TRUE(busy.busy.has_value());
  EXPECT_EQ(ran, 2);
}

TEST(WithLock, SaysInWordsWhyItIsNotTrue) {
  Client client(memory::backend());
  const auto nothing = [](Guard&) {};
  EXPECT_EQ(client.with_lock("a", nothing).why_not(), "");
  EXPECT_THAT(client.with_lock("", nothing).why_not(), HasSubstr("lock name"));
  const auto releases = [](Guard& guard) { EXPECT_TRUE(guard.release()); };
  EXPECT_EQ(client.with_lock("a", releases).why_not(),
            "the section released the lock before its end");
  LockOptions brief{Ttl(milliseconds(20))};
  brief.renew = false;
  const auto sleeps = [](Guard&) { std::this_thread::sleep_for(milliseconds(40)); };
  EXPECT_EQ(client.with_lock("a", sleeps, brief).why_not(),
            "the lock was lost while the section ran: no renewal was confirmed in time");
  const AcquireResult held = client.acquire("a");
  LockOptions one_try;
  one_try.wait = Duration::zero();
  EXPECT_THAT(client.with_lock("a", nothing, one_try).why_not(),
              HasSubstr(" pid " + std::to_string(getpid())));
  EXPECT_EQ(SectionResult().why_not(), "the section did not run");
}

// The client had heard nothing of it when the section ended.
TEST(WithLock, SaysThatTheReleaseFoundTheLockGone) {
  const auto store = memory::backend();
  const auto remove = [](KeyValueStore* from) -> Task<Result<bool>> {
    co_return co_await from->erase(Key("a"));
  };
  Client client(store);
  for (const bool fair : {false, true}) {
    LockOptions options;
    options.fair = fair;
    const SectionResult gone = client.with_lock(
        "a", [&](Guard&) { EXPECT_TRUE(*run(remove(store->open().get()))); }, options);
    EXPECT_FALSE(gone);
    EXPECT_TRUE(gone.ran);
    EXPECT_EQ(gone.loss, LossReason::gone);
  }
}

// Somebody else may have held the lock while the rest of the section ran.
TEST(WithLock, SaysThatTheSectionReleasedTheLockItself) {
  Client client(memory::backend());
  for (const bool fair : {false, true}) {
    LockOptions options;
    options.fair = fair;
    for (const bool moves_out : {false, true}) {
      const SectionResult result = client.with_lock(
          "a",
          [&](Guard& guard) {
            if (moves_out) {
              const Guard ends_here = std::move(guard);
            } else {
              EXPECT_TRUE(guard.release());
            }
            EXPECT_TRUE(client.try_acquire("a"));
          },
          options);
      EXPECT_FALSE(result);
      EXPECT_TRUE(result.ran);
      EXPECT_TRUE(result.released_early);
      EXPECT_EQ(result.loss, std::nullopt);
    }
  }
}

TEST(WithLock, LeavesAGuardThatTheSectionKept) {
  Client client(memory::backend());
  std::optional<Guard> kept;
  EXPECT_TRUE(client.with_lock("a", [&](Guard& guard) { kept.emplace(std::move(guard)); }));
  EXPECT_EQ(kept->state(), LeaseState::held);
  EXPECT_FALSE(client.try_acquire("a"));
  EXPECT_EQ(*kept->release(), ReleaseOutcome::released);
}

// The loop reports losses, and here it is blocked.
TEST(WithLock, SeesALossBeforeTheLoopReportsIt) {
  Client client(memory::backend());
  std::promise<void> stands_still;
  std::promise<void> goes_on;
  client.loop().post([&] {
    stands_still.set_value();
    goes_on.get_future().get();
  });
  stands_still.get_future().get();
  const SectionResult result = client.with_lock(
      "a",
      [](Guard& guard) {
        EXPECT_TRUE(eventually([&] { return guard.state() == LeaseState::lost; }));
        EXPECT_FALSE(guard.loss());
      },
      LockOptions(Ttl(milliseconds(30))));
  goes_on.set_value();
  EXPECT_TRUE(result.ran);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.loss, LossReason::not_renewed_in_time);
}

TEST(WithLock, ReleasesWhenTheSectionThrows) {
  Client client(memory::backend());
  EXPECT_THROW(static_cast<void>(client.with_lock(
                   "a", [](Guard&) { throw std::runtime_error("section failed"); })),
               std::runtime_error);
  EXPECT_TRUE(client.try_acquire("a"));
}

}  // namespace
}  // namespace interlock
