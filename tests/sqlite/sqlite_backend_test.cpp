// What is special to the store in a file, within one process; what it shares with all stores is in
// tests/conformance.
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "interlock/lock_client.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/script.hpp"
#include "lock_file.hpp"

namespace interlock::testing_support {
namespace {

using std::chrono::seconds;
using testing::_;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;
using testing::UnorderedElementsAre;
using testing::VariantWith;

const OwnerToken mine("il1:mine");
const OwnerToken theirs("il1:theirs");
const Ttl ttl(seconds{30});

TEST(SqliteBackend, KeepsKeysForTheNextThatOpensTheFile) {
  const LockFile file;
  {
    const auto store = file.backend()->open();
    ASSERT_TRUE(now(store->set(Key("k"), "v")));
    ASSERT_TRUE(now(store->claim(Key("lock"), mine, ttl)));
  }
  const auto backend = file.backend();
  EXPECT_THAT(now(backend->open()->get(Key("k"))), Holds(Optional(Eq("v"))));
  EXPECT_THAT(now(backend->open()->claim(Key("lock"), theirs, ttl)), Holds(VariantWith<Busy>(_)));
}

TEST(SqliteBackend, ListsTheLocksThatAreHeld) {
  const LockFile file;
  const auto backend = file.backend();
  const auto store = backend->open();
  EXPECT_THAT(backend->held_locks(), Holds(IsEmpty()));
  ASSERT_TRUE(now(store->claim(Key("a"), mine, ttl)));
  ASSERT_TRUE(now(store->claim(Key("{tag}b"), mine, ttl)));
  ASSERT_TRUE(now(store->claim(Key("released"), mine, ttl)));
  ASSERT_TRUE(now(store->release(Key("released"), mine)));
  ASSERT_TRUE(now(store->claim(Key("over"), mine, Ttl(milliseconds{1}))));
  ASSERT_TRUE(now(store->set(Key("no lock"), "v")));
  std::this_thread::sleep_for(milliseconds{5});
  EXPECT_THAT(backend->held_locks(), Holds(UnorderedElementsAre(Key("a"), Key("{tag}b"))));
}

TEST(SqliteBackend, SaysNothingBadAboutAFileOnALocalDisk) {
  const LockFile file;
  const auto backend = file.backend();
  EXPECT_EQ(backend->description(), "sqlite:" + file.path().string());
  const auto findings = backend->inspect();
  ASSERT_THAT(findings, Holds(Each(Field(&Finding::grade, Not(Finding::Grade::bad)))));
  for (const char* subject : {"file", "journal", "integrity", "file system", "free space"}) {
    EXPECT_THAT(*findings, Contains(Field(&Finding::subject, subject)));
  }
}

TEST(SqliteBackend, KeepsItsFileWhenTheProgramChangesItsDirectory) {
  const LockFile file;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(file.path().parent_path());
  const auto backend = *sqlite::backend("locks.sqlite3");
  std::filesystem::current_path(before);
  ASSERT_TRUE(now(backend->open()->claim(Key("lock"), mine, ttl)));
  EXPECT_THAT(file.backend()->held_locks(), Holds(ElementsAre(Key("lock"))));
}

TEST(SqliteBackend, GoesOnWithTheNewFileWhenTheOldOneIsDeleted) {
  const LockFile file;
  const auto store = file.backend()->open();
  ASSERT_TRUE(now(store->claim(Key("lock"), mine, ttl)));
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(file.path().string() + suffix);
  }
  const auto newcomer = file.backend()->open();
  ASSERT_THAT(now(newcomer->claim(Key("lock"), theirs, ttl)), Holds(VariantWith<Claimed>(_)));
  EXPECT_THAT(now(store->renew(Key("lock"), mine, ttl)), Holds(OwnerCheck::other));
}

TEST(SqliteBackend, RefusedScriptsLeaveNothingBehind) {
  static const Script script(
      "half_done", "",
      [](Keyspace& keyspace, const std::vector<Key>&, const std::vector<std::string>&) {
        keyspace.put(Key("half"), Entry("done"));
        return Reply(Error(Errc::rejected, "no"));
      });
  const LockFile file;
  const auto store = file.backend()->open();
  EXPECT_THAT(now(store->run(script, {}, {})), FailsWith(Errc::rejected));
  EXPECT_THAT(now(store->get(Key("half"))), Holds(std::nullopt));
}

TEST(SqliteBackend, ForgetsWhatHasExpiredAndWhatIsSilent) {
  const LockFile file;
  {
    const auto store = file.backend()->open();
    for (int i = 0; i < 600; ++i) {
      const Key lock("order/" + std::to_string(i));
      ASSERT_TRUE(now(store->claim(lock, mine, ttl)));
      if (i % 2 == 0) {
        ASSERT_TRUE(now(store->release(lock, mine)));
      }
    }
    ASSERT_TRUE(now(store->set(Key("stays"), "v")));
  }
  Sql sql(file.path());
  ASSERT_GE(std::stoi(sql("SELECT count(*) FROM keys")), 900);
  ASSERT_EQ(sql("SELECT count(*) FROM channels"), "300");
  // Two days on.
  sql("UPDATE meta SET epoch = epoch + 2 * 86400 * 1000000");
  const auto store = file.backend()->open();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(now(store->increment(Key("other"))));
  EXPECT_EQ(sql("SELECT count(*) FROM keys"), "2");
  EXPECT_EQ(sql("SELECT count(*) FROM channels"), "0");
}

TEST(SqliteBackend, ForgetsCountersOfFreeLocksOnceTheClockHasPassedThem) {
  const LockFile file;
  const Key lock("order/0");
  const Key ahead("order/ahead");
  std::uint64_t before = 0;
  {
    const auto store = file.backend()->open();
    for (int i = 0; i < 600; ++i) {
      const Key name("order/" + std::to_string(i));
      const auto claimed = now(store->claim(name, mine, Ttl(std::chrono::hours{1})));
      ASSERT_TRUE(claimed);
      if (i == 0) before = std::get<Claimed>(*claimed).fencing.value();
      if (i % 2 == 0) {
        ASSERT_TRUE(now(store->release(name, mine)));
      }
    }
    ASSERT_TRUE(now(store->set(fencing_key(ahead), "4000000000000000")));
  }
  Sql sql(file.path());
  sql("UPDATE meta SET epoch = epoch + 61 * 1000000");
  // Any process may take a step: here each is a program that ends after it.
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(now(file.backend()->open()->set(Key("other"), "v")));
  // 300 locks that are held with their counters, the one that is ahead, and `other`.
  EXPECT_EQ(sql("SELECT count(*) FROM keys WHERE CAST(key AS TEXT) NOT LIKE 'interlock:%'"), "602");
  const auto store = file.backend()->open();
  const auto again = now(store->claim(lock, mine, ttl));
  ASSERT_TRUE(again);
  EXPECT_GT(std::get<Claimed>(*again).fencing.value(), before);
  const auto after_ahead = now(store->claim(ahead, mine, ttl));
  ASSERT_TRUE(after_ahead);
  EXPECT_EQ(std::get<Claimed>(*after_ahead).fencing.value(), 4'000'000'000'000'001U);
}

TEST(SqliteBackend, AForgottenChannelIsHeardAgain) {
  const LockFile file;
  const auto backend = file.backend();
  const auto listener = backend->open();
  const auto subscription = now(listener->subscribe(Channel("c")));
  ASSERT_TRUE(subscription);
  ASSERT_TRUE(now(backend->open()->publish(Channel("c"), "")));
  EXPECT_THAT(now(listener->await_message(*subscription, local_now() + seconds{20})), Holds(true));
  Sql sql(file.path());
  sql("DELETE FROM channels");
  EXPECT_THAT(now(listener->await_message(*subscription, local_now() + milliseconds{20})),
              Holds(false));
  ASSERT_TRUE(now(backend->open()->publish(Channel("c"), "")));
  EXPECT_THAT(now(listener->await_message(*subscription, local_now() + seconds{20})), Holds(true));
}

TEST(SqliteBackend, AWaitThatFailsEndsItsSubscription) {
  const LockFile file;
  const auto store = file.backend()->open();
  const auto subscription = now(store->subscribe(Channel("c")));
  ASSERT_TRUE(subscription);
  Sql sql(file.path());
  sql("DROP TABLE channels");
  EXPECT_FALSE(now(store->await_message(*subscription, local_now() + seconds{20})));
  sql("CREATE TABLE channels (channel BLOB PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID");

  const auto again = now(store->await_message(*subscription, local_now()));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Errc::rejected);
  const auto anew = now(store->subscribe(Channel("c")));
  ASSERT_TRUE(anew);
  EXPECT_THAT(now(store->await_message(*anew, local_now())), Holds(false));
}

TEST(SqliteBackend, WaitersHearWithoutInotifyToo) {
  const LockFile file;
  const auto backend = file.backend();
  const auto listener = backend->open();
  const auto speaker = backend->open();
  const auto subscription = now(listener->subscribe(Channel("c")));
  ASSERT_TRUE(subscription);
  ASSERT_TRUE(now(speaker->publish(Channel("other"), "")));  // opens its connection

  // No descriptor is left when the waiting begins.
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int lowest_free = dup(0);
  close(lowest_free);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(lowest_free);
  setrlimit(RLIMIT_NOFILE, &none);
  const auto waited = now(listener->await_message(*subscription, local_now() + milliseconds{60}));
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_THAT(waited, Holds(false));

  EXPECT_THAT(backend->inspect(),
              Holds(Contains(AllOf(Field(&Finding::subject, "waking"),
                                   Field(&Finding::grade, Finding::Grade::warning)))));
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds{30});
    static_cast<void>(now(speaker->publish(Channel("c"), "")));
  });
  const TimePoint until = local_now() + seconds{20};
  EXPECT_THAT(now(listener->await_message(*subscription, until)), Holds(true));
  EXPECT_LT(local_now(), until);
  other.join();
}

TEST(SqliteBackend, ThreadsThatWaitForOneLockNeverHoldItTogether) {
  constexpr int threads = 6;
  constexpr int sections = 20;
  const LockFile file;
  const auto backend = file.backend();
  int unguarded = 0;  // the thread sanitizer sees a race here only if two run at once
  std::atomic<int> inside{0};
  std::atomic<int> failures{0};

  std::vector<std::thread> crowd;
  for (int t = 0; t < threads; ++t) {
    crowd.emplace_back([&, t] {
      const auto store = backend->open();
      BlockingTime time;
      NumberedTokens tokens(std::to_string(t));
      LeaseLock protocol(*store, time);
      LockClient client(*store, protocol, time, tokens);
      AcquireOptions options(Ttl(seconds(60)));
      options.wait = seconds(60);
      for (int i = 0; i < sections; ++i) {
        const auto got = run(client.acquire(*LockName::parse("counter"), options));
        if (!got || !std::holds_alternative<Lease>(*got)) {
          ++failures;
          return;
        }
        if (inside.fetch_add(1) != 0) ++failures;
        ++unguarded;
        if (inside.fetch_sub(1) != 1) ++failures;
        if (!run(client.release(std::get<Lease>(*got)))) ++failures;
      }
    });
  }
  for (auto& thread : crowd) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(unguarded, threads * sections);
}

TEST(SqliteBackend, AnInterruptionMayDieWithTheWaitThatItEnds) {
  const LockFile file;
  interrupt_waits_that_own_the_interruption(*file.backend()->open(), 200);
}

}  // namespace
}  // namespace interlock::testing_support
