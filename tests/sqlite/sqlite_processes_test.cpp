// Many processes on one file, and what becomes of it when they are killed or fork.
#include <signal.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "connection.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "lock_file.hpp"
#include "support/child.hpp"
#include "wakeups.hpp"

namespace interlock::testing_support {
namespace {

using std::chrono::seconds;
using testing::_;
using testing::Eq;
using testing::Optional;
using testing::VariantWith;

const Ttl ttl(seconds{60});

void take_index_away(const std::filesystem::path& file, bool replaced) {
  const std::filesystem::path index = file.string() + "-shm";
  const std::filesystem::path copy = file.string() + "-copy";
  std::filesystem::copy_file(index, copy);
  if (replaced) {
    std::filesystem::rename(copy, index);
  } else {
    std::filesystem::remove(index);
  }
}

// A process that waits for the file `go`, opens the store, claims another lock and ends.
pid_t start_one_that_claims_other(const LockFile& file, const std::filesystem::path& go) {
  return start_process([&] {
    while (!std::filesystem::exists(go)) std::this_thread::sleep_for(milliseconds(1));
    {
      const auto other = file.backend()->open();
      if (!now(other->claim(Key("other"), OwnerToken("il1:other"), ttl))) return 1;
    }
    // A store removes no log that is as short as this one.
    empty_log(file.path());
    return 0;
  });
}

// A client with all that it needs, in one thread of one process.
class Worker {
 public:
  Worker(Backend& backend, const std::string& name) : store_(backend.open()), tokens_(name) {}

  std::optional<Lease> acquire(const char* name) {
    AcquireOptions options(ttl);
    options.wait = seconds(60);
    const auto outcome = run(client_.acquire(*LockName::parse(name), options));
    if (!outcome || !std::holds_alternative<Lease>(*outcome)) return std::nullopt;
    return std::get<Lease>(*outcome);
  }
  bool release(Lease lease) {
    const auto outcome = run(client_.release(std::move(lease)));
    return outcome && *outcome == ReleaseOutcome::released;
  }
  KeyValueStore& store() { return *store_; }

 private:
  std::unique_ptr<KeyValueStore> store_;
  BlockingTime time_;
  NumberedTokens tokens_;
  LeaseLock protocol_{*store_, time_};
  LockClient client_{*store_, protocol_, time_, tokens_};
};

int read_number(const std::filesystem::path& path) {
  int number = 0;
  std::ifstream(path) >> number;
  return number;
}

int increment_a_plain_file(const LockFile& file, const std::filesystem::path& counter, int times) {
  const auto backend = file.backend();
  Worker worker(*backend, std::to_string(getpid()));
  for (int i = 0; i < times; ++i) {
    const auto lease = worker.acquire("counter");
    if (!lease) return 1;
    const int number = read_number(counter);
    std::ofstream(counter, std::ios::trunc) << number + 1;
    if (!worker.release(*lease)) return 2;
  }
  return 0;
}

TEST(SqliteProcesses, ACounterInAPlainFileComesOutExact) {
  constexpr int processes = 8;
  constexpr int times = 50;
  const LockFile file;
  const auto counter = file.path().parent_path() / "counter";
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(start_process([&] { return increment_a_plain_file(file, counter, times); }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(read_number(counter), processes * times);
}

// Claims and releases for ever: its own lock and one that all share.
[[noreturn]] void work_until_killed(const LockFile& file) {
  const auto store = file.backend()->open();
  const OwnerToken owner("il1:" + std::to_string(getpid()));
  const Key own("own/" + std::to_string(getpid()));
  for (;;) {
    for (const Key& key : {own, Key("shared")}) {
      static_cast<void>(now(store->claim(key, owner, Ttl(milliseconds(50)))));
      static_cast<void>(now(store->release(key, owner)));
    }
  }
}

TEST(SqliteProcesses, KillingThemAtAnyMomentNeitherLocksNorDamagesTheFile) {
  constexpr int kills = 100;
  const LockFile file;
  const auto backend = file.backend();
  const auto store = backend->open();
  std::mt19937 random(20240229);
  std::uniform_int_distribution<int> pause_us(0, 12000);
  const auto start = [&] { return start_process([&]() -> int { work_until_killed(file); }); };
  std::vector<pid_t> victims{start(), start(), start()};
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(Duration(pause_us(random)));
    pid_t& victim = victims[static_cast<std::size_t>(i) % victims.size()];
    kill(victim, SIGKILL);
    ASSERT_EQ(end_of(victim), 128 + SIGKILL);
    // The others work on; so must we, and at once.
    const Key mine("parent/" + std::to_string(i));
    ASSERT_THAT(now(store->claim(mine, OwnerToken("il1:parent"), ttl)),
                Holds(VariantWith<Claimed>(_)));
    if (i % 20 == 19) {
      ASSERT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
    }
    victim = start();
  }
  for (const pid_t victim : victims) {
    kill(victim, SIGKILL);
    end_of(victim);
  }
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
  const auto held = backend->held_locks();
  ASSERT_TRUE(held);
  EXPECT_GE(held->size(), static_cast<std::size_t>(kills));

  // What they held ends by its ttl.
  Worker last(*backend, "last");
  const auto lease = last.acquire("shared");
  EXPECT_TRUE(lease);
}

TEST(SqliteProcesses, WhatAKilledProcessHadCommittedStaysInTheLog) {
  const LockFile file;
  const pid_t child = start_process([&]() -> int {
    const auto store = file.backend()->open();
    static_cast<void>(now(store->claim(Key("lock"), OwnerToken("il1:child"), ttl)));
    kill(getpid(), SIGKILL);
    return 0;
  });
  ASSERT_EQ(end_of(child), 128 + SIGKILL);
  const std::filesystem::path log = file.path().string() + "-wal";
  ASSERT_TRUE(std::filesystem::exists(log));
  // And a torn write behind it, as of one who was killed in the middle.
  std::ofstream(log, std::ios::app | std::ios::binary) << std::string(3000, '\x5a');
  EXPECT_THAT(now(file.backend()->open()->claim(Key("lock"), OwnerToken("il1:mine"), ttl)),
              Holds(VariantWith<Busy>(testing::Field(&Busy::holder, OwnerToken("il1:child")))));
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

// To copy the log into the file, wait for the disk and remove the log took longer than a claim.
TEST(SqliteProcesses, AShortLogOutlivesItsLastUserAndALongOneDoesNot) {
  const LockFile file;
  const std::filesystem::path log = file.path().string() + "-wal";
  const OwnerToken mine("il1:mine");
  constexpr int rounds = 200;
  int removed = 0;
  std::uintmax_t longest = 0;
  for (int round = 0; round < rounds; ++round) {
    {
      const auto store = file.backend()->open();
      ASSERT_THAT(now(store->claim(Key("lock"), mine, ttl)), Holds(VariantWith<Claimed>(_)));
      ASSERT_THAT(now(store->release(Key("lock"), mine)), Holds(OwnerCheck::done));
    }
    const bool stays = std::filesystem::exists(log);
    removed += stays ? 0 : 1;
    if (stays) longest = std::max(longest, std::filesystem::file_size(log));
  }
  EXPECT_GT(removed, 0);
  EXPECT_LT(removed, rounds / 4);
  EXPECT_LT(longest, 1U << 20U);
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

TEST(SqliteProcesses, ALogWithoutItsFileIsNotTakenForTheNewOnes) {
  const LockFile file;
  const pid_t child = start_process([&]() -> int {
    const auto store = file.backend()->open();
    static_cast<void>(now(store->claim(Key("lock"), OwnerToken("il1:child"), ttl)));
    kill(getpid(), SIGKILL);
    return 0;
  });
  end_of(child);
  std::filesystem::remove(file.path());
  EXPECT_THAT(now(file.backend()->open()->claim(Key("lock"), OwnerToken("il1:mine"), ttl)),
              Holds(VariantWith<Claimed>(_)));
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

// A program that opens and closes the file by itself loses the file locks of its connections. Then
// the next process that closes the file takes itself for the last one, and removes the log.
TEST(SqliteProcesses, AHolderWhoseLogWasRemovedRenewsNothing) {
  const LockFile file;
  const auto go = file.path().parent_path() / "go";
  const pid_t child = start_one_that_claims_other(file, go);
  const auto store = file.backend()->open();
  const auto second = file.backend()->open();
  const OwnerToken mine("il1:mine");
  ASSERT_THAT(now(store->claim(Key("lock"), mine, ttl)), Holds(VariantWith<Claimed>(_)));
  ASSERT_TRUE(now(second->get(Key("lock"))));
  std::ifstream(file.path()).get();
  std::ofstream(go).close();
  EXPECT_EQ(end_of(child), 0);

  const auto renewed = now(store->renew(Key("lock"), mine, ttl));
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().code(), Errc::unavailable);
  EXPECT_THAT(renewed.error().detail(),
              testing::HasSubstr("its log (-wal), or the index of the log (-shm), was"));
  // SQLite would share its index of the old log with the second connection, which nobody uses.
  EXPECT_THAT(now(store->renew(Key("lock"), mine, ttl)), Holds(OwnerCheck::done));
  EXPECT_THAT(now(second->get(Key("lock"))), Holds(std::optional<std::string>("il1:mine")));
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

// SQLite makes a new index where it finds none. Who has the old one sees nothing of what others
// write from then on, and they see nothing of its renewals.
TEST(SqliteProcesses, AHolderWhoseIndexOfTheLogWasRemovedOrReplacedRenewsNothing) {
  for (const bool replaced : {false, true}) {
    const LockFile file;
    const auto go = file.path().parent_path() / "go";
    const pid_t child = start_one_that_claims_other(file, go);
    const auto store = file.backend()->open();
    const OwnerToken mine("il1:mine");
    ASSERT_THAT(now(store->claim(Key("lock"), mine, ttl)), Holds(VariantWith<Claimed>(_)));
    take_index_away(file.path(), replaced);
    std::ofstream(go).close();
    EXPECT_EQ(end_of(child), 0);

    const auto renewed = now(store->renew(Key("lock"), mine, ttl));
    ASSERT_FALSE(renewed) << replaced;
    EXPECT_EQ(renewed.error().code(), Errc::unavailable);
    EXPECT_THAT(renewed.error().detail(), testing::HasSubstr("the index of the log (-shm)"));
    EXPECT_THAT(now(store->renew(Key("lock"), mine, ttl)), Holds(OwnerCheck::done));
    EXPECT_THAT(now(store->get(Key("other"))), Holds(std::optional<std::string>("il1:other")));
    EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
  }
}

// SQLite has one index for all connections of a process. The path leads to another one by then.
TEST(SqliteProcesses, ANewStoreDoesNotShareAnIndexOfTheLogThatWasRemoved) {
  const LockFile file;
  const auto go = file.path().parent_path() / "go";
  const pid_t child = start_one_that_claims_other(file, go);
  const auto backend = file.backend();
  const auto idle = backend->open();
  ASSERT_TRUE(now(idle->set(Key("k"), "v")));
  take_index_away(file.path(), false);
  std::ofstream(go).close();
  EXPECT_EQ(end_of(child), 0);

  const std::optional<std::string> others("il1:other");
  EXPECT_THAT(now(backend->open()->get(Key("other"))), Holds(others));
  EXPECT_THAT(now(idle->get(Key("other"))), Holds(others));
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

// SQLite keeps both beside the file that a symbolic link leads to.
TEST(SqliteProcesses, AnIndexOfTheLogThatWasRemovedIsNoticedThroughALink) {
  const LockFile file;
  static_cast<void>(file.backend());
  const test::ScratchFolder elsewhere;
  std::filesystem::create_symlink(file.path(), elsewhere.path() / "link");
  const auto store = (*sqlite::backend(elsewhere.path() / "link"))->open();
  ASSERT_TRUE(now(store->set(Key("k"), "v")));
  take_index_away(file.path(), false);
  EXPECT_FALSE(now(store->set(Key("k"), "w")));
  EXPECT_TRUE(now(store->set(Key("k"), "w")));
}

TEST(SqliteProcesses, AWriteDuringWhichTheIndexOfTheLogWasRemovedIsNotTakenForDone) {
  const LockFile file;
  sqlite::Connection connection(file.path());
  const auto write = [&](auto meanwhile) {
    return connection.transact<int>(sqlite::Access::write, "writing",
                                    [&](sqlite::SqlKeyspace&, sqlite::Database& database) {
                                      database.execute("UPDATE meta SET latest = latest + 1");
                                      meanwhile();
                                      return Result<int>(1);
                                    });
  };
  EXPECT_TRUE(write([] {}));
  const auto written = write([&] { take_index_away(file.path(), false); });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), Errc::indeterminate);
  EXPECT_TRUE(write([] {}));
}

// The backend has a connection of its own, which it uses only when it is asked about the file.
TEST(SqliteProcesses, ANewStoreWorksAfterTheLogOfAnIdleOneWasRemoved) {
  const LockFile file;
  const auto go = file.path().parent_path() / "go";
  const pid_t child = start_one_that_claims_other(file, go);
  const auto backend = file.backend();
  const auto idle = backend->open();
  const auto used = backend->open();
  ASSERT_TRUE(now(idle->set(Key("k"), "v")));
  ASSERT_TRUE(now(used->set(Key("k"), "v")));
  std::ifstream(file.path()).get();
  std::ofstream(go).close();
  EXPECT_EQ(end_of(child), 0);

  ASSERT_FALSE(now(used->get(Key("k"))));
  EXPECT_THAT(now(backend->open()->claim(Key("lock"), OwnerToken("il1:mine"), ttl)),
              Holds(VariantWith<Claimed>(_)));
  EXPECT_TRUE(now(used->get(Key("k"))));
  EXPECT_TRUE(now(idle->get(Key("k"))));
  EXPECT_TRUE(backend->held_locks());
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

TEST(SqliteProcesses, AMessageRingsInOtherProcesses) {
  const LockFile file;
  const auto backend = file.backend();
  sqlite::Wakeups wakeups(file.path());
  ASSERT_TRUE(wakeups.watching());
  // Opening, and the closing of a last connection, may ring as well; only what comes after counts.
  const auto store = backend->open();
  ASSERT_TRUE(now(store->set(Key("k"), "v")));
  const auto go = file.path().parent_path() / "go";
  const pid_t child = start_process([&] {
    while (!std::filesystem::exists(go)) std::this_thread::sleep_for(milliseconds(1));
    const auto other = sqlite::backend(file.path());
    return other && now((*other)->open()->publish(Channel("c"), "")) ? 0 : 1;
  });
  const std::uint64_t seen = wakeups.count();
  std::ofstream(go).close();
  ASSERT_EQ(end_of(child), 0);
  const TimePoint until = local_now() + seconds{20};
  while (wakeups.count() == seen && local_now() < until) wakeups.wait(seen, seconds{20});
  EXPECT_NE(wakeups.count(), seen);
}

TEST(SqliteProcesses, ChangesWithoutMessageDoNotRing) {
  const LockFile file;
  const auto store = file.backend()->open();
  ASSERT_TRUE(now(store->set(Key("k"), "v")));
  sqlite::Wakeups wakeups(file.path());
  const std::uint64_t seen = wakeups.count();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(now(store->claim(Key("lock"), OwnerToken("il1:mine"), ttl)));
  }
  std::this_thread::sleep_for(milliseconds{20});
  EXPECT_EQ(wakeups.count(), seen);
}

TEST(SqliteProcesses, AReleaseInAnotherProcessEndsTheWait) {
  const LockFile file;
  const auto backend = file.backend();
  Worker holder(*backend, "holder");
  const auto lease = holder.acquire("lock");
  ASSERT_TRUE(lease);
  const pid_t waiter = start_process([&] {
    Worker worker(*backend, "waiter");
    return worker.acquire("lock") ? 0 : 1;
  });
  std::this_thread::sleep_for(milliseconds{50});
  const TimePoint released = local_now();
  ASSERT_TRUE(holder.release(*lease));
  EXPECT_EQ(end_of(waiter), 0);
  // The holder's ttl would have ended the wait as well, a minute later.
  EXPECT_LT(local_now() - released, seconds{30});
}

TEST(SqliteFork, ParentAndChildGoOnWithTheSameBackend) {
  constexpr int times = 300;
  const LockFile file;
  const auto backend = file.backend();
  const auto store = backend->open();
  ASSERT_TRUE(now(store->set(Key("count"), "0")));
  const auto count = [](KeyValueStore& by) {
    for (int i = 0; i < times; ++i) {
      if (!now(by.increment(Key("count")))) return 1;
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(start_process([&] { return count(*backend->open()); }));
  }
  EXPECT_EQ(count(*store), 0);
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_THAT(now(store->get(Key("count"))), Holds(Optional(Eq(std::to_string(5 * times)))));
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

// The locks on the file's log index are what tells SQLite that somebody uses it; a child that only
// believes that it has them loses the log under its feet.
TEST(SqliteFork, AChildHoldsTheFilesLocksItself) {
  const LockFile file;
  auto backend = file.backend();
  auto store = backend->open();
  ASSERT_TRUE(now(store->set(Key("k"), "v")));
  int to_child[2];
  int to_parent[2];
  ASSERT_EQ(pipe(to_child), 0);
  ASSERT_EQ(pipe(to_parent), 0);
  const pid_t child = start_process([&] {
    char byte = 'x';
    const auto own = backend->open();
    if (!now(own->set(Key("k"), "child"))) return 1;
    if (write(to_parent[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 1) return 2;
    return now(own->set(Key("k"), "child again")) ? 0 : 3;
  });
  char byte = 0;
  ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
  store.reset();
  backend.reset();
  // The last one out removes the log, unless somebody is still there.
  { Sql(file.path())("SELECT count(*) FROM keys"); }
  EXPECT_TRUE(std::filesystem::exists(file.path().string() + "-wal"));
  ASSERT_EQ(write(to_child[1], &byte, 1), 1);
  EXPECT_EQ(end_of(child), 0);
  EXPECT_THAT(now(file.backend()->open()->get(Key("k"))), Holds(Optional(Eq("child again"))));
}

TEST(SqliteFork, ForkingBetweenBusyAndWaitingThreadsLeavesAWorkingChild) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  const LockFile file;
  const auto backend = file.backend();
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    const auto store = backend->open();
    while (!stop) static_cast<void>(now(store->increment(Key("count"))));
  });
  const auto listener = backend->open();
  const auto subscription = now(listener->subscribe(Channel("c")));
  ASSERT_TRUE(subscription);
  std::thread waiting([&] {
    static_cast<void>(now(listener->await_message(*subscription, local_now() + seconds{60})));
  });

  for (int i = 0; i < 20; ++i) {
    const pid_t child = start_process([&] {
      Worker worker(*backend, std::to_string(getpid()));
      const auto lease = worker.acquire("lock");
      const auto own = now(worker.store().subscribe(Channel("own")));
      if (!lease || !own || !now(worker.store().publish(Channel("own"), ""))) return 1;
      const auto heard = now(worker.store().await_message(*own, local_now() + seconds{20}));
      if (!heard || !*heard) return 2;
      return worker.release(*lease) ? 0 : 3;
    });
    ASSERT_EQ(end_of(child), 0);
  }
  ASSERT_TRUE(now(backend->open()->publish(Channel("c"), "")));
  waiting.join();
  stop = true;
  busy.join();
  EXPECT_EQ(Sql(file.path())("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace interlock::testing_support
