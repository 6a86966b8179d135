// Readers and holders of permits, over each kind of store.
#include <gmock/gmock.h>

#include <atomic>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "each_store.hpp"
#include "interlock/client.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/shared_mutex.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using testing::HasSubstr;

LockOptions once() {
  LockOptions options;
  options.wait = Duration::zero();
  return options;
}

class GroupLocks : public test::EachStore {
 protected:
  Client client_{backend_};
  Client other_{backend_};
};

TEST_P(GroupLocks, ReadersHaveItTogether) {
  std::optional<Guard> one(*client_.acquire_shared("deploy", once()));
  std::optional<Guard> two(*other_.acquire_shared("deploy", once()));
  EXPECT_EQ(one->fencing(), two->fencing());
  EXPECT_NE(one->owner(), two->owner());
  EXPECT_FALSE(other_.try_acquire("deploy"));
  EXPECT_EQ(*one->release(), ReleaseOutcome::released);
  EXPECT_FALSE(client_.try_acquire("deploy")) << "the other reads";
  EXPECT_EQ(two->state(), LeaseState::held);
  EXPECT_EQ(*two->release(), ReleaseOutcome::released);
  const AcquireResult writer = client_.try_acquire("deploy");
  EXPECT_TRUE(writer) << writer.why_not();
}

TEST_P(GroupLocks, AReaderWaitsForAWriterAndAWriterForReaders) {
  std::optional<Guard> writer(*client_.acquire("deploy"));
  std::atomic<int> reading = 0;
  std::atomic<bool> let_go = false;
  std::vector<std::jthread> readers;
  for (int each = 0; each < 3; ++each) {
    readers.emplace_back([&] {
      const AcquireResult reader = other_.acquire_shared("deploy");
      ASSERT_TRUE(reader) << reader.why_not();
      ++reading;
      while (!let_go) std::this_thread::sleep_for(milliseconds{1});
      --reading;
    });
  }
  std::this_thread::sleep_for(milliseconds{20});
  EXPECT_EQ(reading, 0);
  writer.reset();
  EXPECT_TRUE(eventually([&] { return reading == 3; })) << "together";
  EXPECT_FALSE(client_.try_acquire("deploy"));
  let_go = true;
  const AcquireResult next = client_.acquire("deploy");
  EXPECT_TRUE(next) << next.why_not();
  EXPECT_EQ(reading, 0);
}

TEST_P(GroupLocks, AsManyAsThereArePermits) {
  const AcquireResult two = client_.acquire_permits("deploy", Permits(2, 3), once());
  ASSERT_TRUE(two) << two.why_not();
  EXPECT_FALSE(other_.acquire_permits("deploy", Permits(2, 3), once()));
  std::optional<Guard> one(*other_.acquire_permits("deploy", Permits(1, 3), once()));
  EXPECT_FALSE(client_.acquire_permits("deploy", Permits(1, 3), once()));
  EXPECT_EQ(*one->release(), ReleaseOutcome::released);
  EXPECT_TRUE(client_.acquire_permits("deploy", Permits(1, 3), once()));
}

TEST_P(GroupLocks, AnotherNumberOfPermitsIsAnError) {
  const AcquireResult held = client_.acquire_permits("deploy", Permits(1, 3), once());
  for (const LockOptions& options : {once(), LockOptions()}) {
    const AcquireResult refused = other_.acquire_permits("deploy", Permits(1, 4), options);
    ASSERT_NE(refused.error(), nullptr);
    EXPECT_EQ(refused.error()->code(), Errc::invalid_argument);
    EXPECT_THAT(refused.error()->detail(), HasSubstr("there are 3"));
  }
  LockOptions both = once();
  both.shared = true;
  const AcquireResult unclear = other_.acquire_permits("deploy", Permits(1, 3), both);
  ASSERT_NE(unclear.error(), nullptr);
  EXPECT_EQ(unclear.error()->code(), Errc::invalid_argument);
}

TEST_P(GroupLocks, ADowngradeLetsReadersInAndWritersNot) {
  AcquireResult writer = client_.acquire("deploy", once());
  ASSERT_TRUE(writer);
  const FencingToken token = writer->fencing();
  AcquireResult reader = client_.downgrade(*std::move(writer));
  ASSERT_TRUE(reader) << reader.why_not();
  EXPECT_GT(reader->fencing(), token);
  const AcquireResult another = other_.acquire_shared("deploy", once());
  EXPECT_TRUE(another) << another.why_not();
  EXPECT_FALSE(other_.try_acquire("deploy"));
  EXPECT_EQ(*reader->release(), ReleaseOutcome::released);
}

TEST_P(GroupLocks, ADowngradeKeepsTheTimeForWhichALockStays) {
  LockOptions stays = once();
  stays.at_least = seconds{60};
  AcquireResult writer = client_.acquire("deploy", stays);
  ASSERT_TRUE(writer);
  AcquireResult reader = client_.downgrade(*std::move(writer));
  ASSERT_TRUE(reader) << reader.why_not();
  EXPECT_EQ(*reader->release(), ReleaseOutcome::released);
  EXPECT_FALSE(other_.try_acquire("deploy"));
}

TEST_P(GroupLocks, AThreadThatReadsIsNoReaderAgain) {
  SharedMutex mutex(client_, *LockName::parse("deploy"));
  const std::shared_lock outer(mutex);
  EXPECT_THROW(mutex.lock_shared(), LockFailure);
  EXPECT_THROW(mutex.lock(), LockFailure);
  EXPECT_THROW(static_cast<void>(mutex.try_lock_for(seconds{1})), LockFailure);
  EXPECT_FALSE(other_.try_acquire("deploy")) << "the outer section goes on";
}

TEST_P(GroupLocks, WhyNotNamesAGroupInWords) {
  const AcquireResult reader = client_.acquire_shared("deploy");
  EXPECT_THAT(other_.try_acquire("deploy").why_not(), testing::StartsWith("held by readers for "));
  const AcquireResult permits = client_.acquire_permits("gpu", Permits(2, 3));
  EXPECT_EQ(other_.try_acquire("gpu").why_not(), "2 of 3 permits are taken");
}

TEST_P(GroupLocks, ALostLeaseIsNotDowngraded) {
  AcquireResult writer = client_.acquire("deploy", once());
  ASSERT_TRUE(writer);
  take_away();
  const AcquireResult reader = client_.downgrade(*std::move(writer));
  ASSERT_NE(reader.busy(), nullptr) << reader.why_not();
  EXPECT_EQ(reader.busy()->holder, OwnerToken(""));
  EXPECT_TRUE(other_.try_acquire("deploy"));
}

TEST_P(GroupLocks, OnlyWhatIsHeldAloneIsDowngraded) {
  const auto refused = [&](Guard guard, const char* why) {
    const AcquireResult result = client_.downgrade(std::move(guard));
    ASSERT_NE(result.error(), nullptr);
    EXPECT_EQ(result.error()->code(), Errc::invalid_argument);
    EXPECT_THAT(result.error()->detail(), HasSubstr(why));
  };
  refused(*client_.acquire_shared("deploy"), "does not hold it alone");
  refused(*other_.acquire("deploy"), "of another client");
  Guard shared = *client_.acquire("deploy");
  const Guard second = shared.share();
  refused(std::move(shared), "another guard of the same grant");
  Guard released = *client_.acquire("another");
  EXPECT_TRUE(released.release());
  refused(std::move(released), "released");
  Guard moved = *client_.acquire("another");
  const Guard to = std::move(moved);
  refused(std::move(moved), "holds nothing");  // NOLINT(bugprone-use-after-move)
}

TEST_P(GroupLocks, LeasesAreRenewed) {
  LockOptions options = once();
  options.ttl = Ttl(seconds{2});
  const Guard reader = *client_.acquire_shared("deploy", options);
  const Guard permits = *client_.acquire_permits("gpu", Permits(1, 2), options);
  const TimePoint granted_until = reader.certain_until();
  EXPECT_TRUE(
      eventually([&] { return reader.certain_until() > granted_until + milliseconds{400}; }));
  EXPECT_FALSE(other_.try_acquire("deploy"));
  EXPECT_EQ(permits.state(), LeaseState::held);
}

TEST_P(GroupLocks, WhoWaitsCanGiveUp) {
  const AcquireResult held = client_.acquire("deploy", once());
  LockOptions brief;
  brief.wait = milliseconds{30};
  EXPECT_NE(other_.acquire_shared("deploy", brief).busy(), nullptr);
  EXPECT_NE(other_.acquire_permits("deploy", Permits(1, 1), brief).busy(), nullptr);
  std::stop_source stop;
  LockOptions stopped;
  stopped.stop = stop.get_token();
  std::jthread stopping([&] { stop.request_stop(); });
  const AcquireResult cancelled = other_.acquire_shared("deploy", stopped);
  ASSERT_NE(cancelled.error(), nullptr);
  EXPECT_EQ(cancelled.error()->code(), Errc::cancelled);
}

TEST_P(GroupLocks, TasksHaveThemToo) {
  const auto task = [](Client* client) -> Task<bool> {
    LockOptions shared;
    shared.shared = true;
    AcquireResult reader = co_await client->acquire_async(*LockName::parse("deploy"), shared);
    LockOptions permits;
    permits.permits = Permits(2, 3);
    AcquireResult holder = co_await client->acquire_async(*LockName::parse("gpu"), permits);
    AcquireResult writer = co_await client->acquire_async(*LockName::parse("page"));
    AcquireResult after = co_await client->downgrade_async(*std::move(writer));
    const bool all = reader && holder && after;
    const bool released = all && co_await (*reader).release_async() &&
                          co_await (*holder).release_async() && co_await (*after).release_async();
    co_return released;
  };
  EXPECT_TRUE(client_.wait_for(task(&client_)));
  EXPECT_TRUE(other_.try_acquire("page"));
}

// Writers change two numbers, one after the other; readers see no difference.
TEST_P(GroupLocks, ASharedMutexExcludesThreadsAndOrdersTheirMemory) {
  SharedMutex mutex(client_, *LockName::parse("deploy"));
  long one = 0;
  long two = 0;
  std::atomic<int> torn = 0;
  std::atomic<int> together = 0;
  std::atomic<int> reading = 0;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < 2; ++writer) {
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          const std::unique_lock lock(mutex);
          ++one;
          ++two;
        }
      });
    }
    for (int reader = 0; reader < 4; ++reader) {
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          const std::shared_lock lock(mutex);
          if (++reading > 1) ++together;
          if (one != two) ++torn;
          EXPECT_GT(mutex.shared_guard().fencing().value(), 0U);
          std::this_thread::yield();
          --reading;
        }
      });
    }
  }
  EXPECT_EQ(one, 40);
  EXPECT_EQ(torn, 0);
  RecordProperty("together", together.load());
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
  std::shared_lock first(mutex, std::defer_lock);
  EXPECT_TRUE(first.try_lock_for(seconds{5}));
}

INTERLOCK_FOR_EACH_STORE(GroupLocks);

}  // namespace
}  // namespace interlock
