// How many descriptors and threads a client of a lock file has, and when it gives them back.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "lock_file.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using testing_support::LockFile;

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}
std::ptrdiff_t descriptors() {
  return entries("/proc/self/fd");
}
std::ptrdiff_t threads() {
  return entries("/proc/self/task");
}

// Each waits for a lock that all want, so that all connections are in use at once.
void acquire_in_threads(Client& client, int number) {
  std::atomic<int> granted = 0;
  std::vector<std::thread> started;
  for (int thread = 0; thread < number; ++thread) {
    started.emplace_back([&client, &granted, thread] {
      LockOptions options;
      options.fair = thread % 2 == 0;
      for (int lock = 0; lock < 3; ++lock) {
        if (client.acquire("hot" + std::to_string(lock), options)) ++granted;
      }
    });
  }
  for (std::thread& each : started) each.join();
  EXPECT_EQ(granted, 3 * number);
}

TEST(SqliteDescriptors, AndThreadsOfABurstAreGivenBackWhenTheyAreIdle) {
  const LockFile file;
  const auto backend = file.backend();
  ClientOptions options;
  options.connection_idle_limit = milliseconds(100);
  Client client(backend, options);
  { const AcquireResult first = client.acquire("first"); }
  const auto descriptors_before = descriptors();
  const auto threads_before = threads();
  for (int burst = 0; burst < 3; ++burst) {
    acquire_in_threads(client, 60);
    // One thread watches the file for all who wait, and one for each lock keeps an ear for the next
    // fair wait.
    ASSERT_TRUE(test::eventually([&] { return threads() <= threads_before + 4; }))
        << threads() << " after " << threads_before;
    ASSERT_TRUE(test::eventually([&] { return descriptors() <= descriptors_before + 10; }))
        << descriptors() << " after " << descriptors_before;
  }
  AcquireResult again = client.acquire("again");
  EXPECT_TRUE(again) << again.why_not();
}

TEST(SqliteDescriptors, OfABurstAreGivenBackBesideALockThatIsHeld) {
  const LockFile file;
  ClientOptions options;
  options.connection_idle_limit = milliseconds(100);
  Client client(file.backend(), options);
  AcquireResult held = client.acquire("held", LockOptions(Ttl(std::chrono::seconds(60))));
  ASSERT_TRUE(held) << held.why_not();
  const auto before = descriptors();
  acquire_in_threads(client, 60);
  EXPECT_TRUE(test::eventually([&] { return descriptors() <= before + 10; }))
      << descriptors() << " after " << before;
  const auto released = held->release();
  ASSERT_TRUE(released) << released.error().detail();
  EXPECT_EQ(*released, ReleaseOutcome::released);
}

// Connections that nobody uses are closed under others that work.
TEST(SqliteDescriptors, AreGivenBackWhileOthersWork) {
  const LockFile file;
  ClientOptions options;
  options.connection_idle_limit = milliseconds(2);
  Client client(file.backend(), options);
  std::atomic<bool> done = false;
  std::atomic<int> failures = 0;
  std::thread worker([&] {
    while (!done) {
      AcquireResult lock = client.acquire("own");
      if (!lock || !lock->release()) ++failures;
    }
  });
  for (int burst = 0; burst < 20; ++burst) acquire_in_threads(client, 20);
  done = true;
  worker.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(testing_support::Sql(file.path())("PRAGMA integrity_check"), "ok");
}

// An operation waits 10 s for a file that another one keeps locked.
TEST(SqliteClosing, AClientEndsAtItsLimitAlthoughTheFileIsKeptLocked) {
  const LockFile file;
  ClientOptions options;
  options.release_limit = milliseconds(100);
  options.connections_max = 0;  // the loop's connection sends the release
  auto client = std::make_unique<Client>(file.backend(), options);
  testing_support::Sql other(file.path());
  {
    const AcquireResult lock = client->acquire("a");
    ASSERT_TRUE(lock);
    other("BEGIN IMMEDIATE");
  }
  const TimePoint began = local_now();
  client.reset();
  EXPECT_LT(local_now() - began, std::chrono::seconds(6));
}

// Its loop may have been told to end before it had made the connection of its first request.
TEST(SqliteClosing, AStoreThatEndsBeforeItsFirstRequestDoesNotWaitForTheFile) {
  const LockFile file;
  const auto backend = file.backend();
  EXPECT_TRUE(testing_support::now(backend->open()->increment(Key("count"))));
  const auto store = backend->open();
  PendingOperation end{Operation(OperationKind::interrupt)};
  store->submit(end);
  testing_support::Sql other(file.path());
  other("BEGIN IMMEDIATE");
  const TimePoint began = local_now();
  EXPECT_FALSE(testing_support::now(store->increment(Key("count"))));
  EXPECT_LT(local_now() - began, std::chrono::seconds(6));
}

}  // namespace
}  // namespace interlock
