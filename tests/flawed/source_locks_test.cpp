// The flawed locks and their repaired twins on every store. Undisturbed (no crash, no pause, clocks
// that agree, leases that do not end) all of them exclude; what each does not keep of
// LockProtocol's promises is said here as well.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "blocking_store.hpp"
#include "interlock/flawed/bill_lock.hpp"
#include "interlock/flawed/source_locks.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"
#include "interlock/store/backend.hpp"
#include "support/redis_server.hpp"
#include "support/scratch_folder.hpp"

namespace interlock::flawed {
namespace {

using testing_support::BlockingTime;
using testing_support::NumberedTokens;

// The stores that live as long as the tests.
std::shared_ptr<Backend> backend_of(const std::string& kind) {
  static test::RedisServer server;
  static test::ScratchFolder directory;
  if (kind == "memory") return memory::backend();
  if (kind == "sqlite") return *sqlite::backend(directory.path() / "locks.db");
  return *redis::backend(server.url());
}

class OnEveryStore : public testing::TestWithParam<std::string> {
 protected:
  // One store for all clients of a test, and a lock name of its own.
  std::shared_ptr<Backend> backend_ = backend_of(GetParam());
  LockName name(std::string_view of) const {
    return *LockName::parse(GetParam() + "/" + std::string(of));
  }
};

// Does not end while a test runs.
const Ttl long_ttl(std::chrono::hours{1});

class Client {
 public:
  Client(Backend& backend, const SourceLock& source, std::string who)
      : store_(backend.open()), tokens_(std::move(who)), lock_(source.make(*store_, time_)) {}

  AcquireOutcome acquire(const LockName& name, Polling how) {
    Result<AcquireOutcome> outcome =
        run(acquire_by_polling(lock_.get(), &time_, name, tokens_.fresh(), long_ttl, how));
    EXPECT_TRUE(outcome) << outcome.error().detail();
    return outcome ? *outcome : AcquireOutcome(Busy(OwnerToken(), {}, {}));
  }
  AcquireOutcome acquire_once(const LockName& name) {
    Polling once;
    once.attempts = 1;
    return acquire(name, once);
  }
  LockProtocol& lock() { return *lock_; }

 private:
  std::unique_ptr<KeyValueStore> store_;
  BlockingTime time_;
  NumberedTokens tokens_;
  std::unique_ptr<LockProtocol> lock_;
};

// How often two clients were inside at once, and how often a client was.
class Section {
 public:
  void visit() {
    if (inside_.fetch_add(1) != 0) ++collisions;
    ++visits;
    std::this_thread::yield();
    inside_.fetch_sub(1);
  }
  std::atomic<int> collisions{0};
  std::atomic<int> visits{0};

 private:
  std::atomic<int> inside_{0};
};

void several_clients(Backend& backend, const SourceLock& source, const LockName& name, int visits) {
  Section section;
  std::vector<std::thread> threads;
  for (const char* who : {"A", "B", "C", "D"}) {
    threads.emplace_back([&, who] {
      Client client(backend, source, who);
      for (int i = 0; i < visits; ++i) {
        const AcquireOutcome outcome = client.acquire(name, Polling(milliseconds{1}));
        ASSERT_TRUE(std::holds_alternative<Lease>(outcome));
        section.visit();
        const auto released = run(client.lock().release(std::get<Lease>(outcome)));
        ASSERT_TRUE(released) << released.error().detail();
        EXPECT_EQ(*released, ReleaseOutcome::released);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(section.collisions, 0) << source.id;
  EXPECT_EQ(section.visits, 4 * visits) << source.id;
}

// The one whose release does the opposite of what it should: nobody but the first ever gets in.
bool never_releases(const SourceLock& source) {
  return source.id == "script-lock";
}

TEST_P(OnEveryStore, SeveralClientsTakeTurns) {
  for (const SourceLock& source : source_locks()) {
    if (never_releases(source)) continue;
    several_clients(*backend_, source, name(source.id), 5);
  }
}

TEST_P(OnEveryStore, AFreeLockIsGrantedAndAHeldOneIsBusy) {
  for (const SourceLock& source : source_locks()) {
    SCOPED_TRACE(std::string(source.id));
    Client one(*backend_, source, "one");
    Client other(*backend_, source, "other");
    const LockName lock = name("held-" + std::string(source.id));
    EXPECT_EQ(one.lock().id(), source.id);
    const AcquireOutcome first = one.acquire_once(lock);
    ASSERT_TRUE(std::holds_alternative<Lease>(first));
    EXPECT_TRUE(std::holds_alternative<Busy>(other.acquire_once(lock)));
    const auto released = run(one.lock().release(std::get<Lease>(first)));
    ASSERT_TRUE(released);
    EXPECT_EQ(*released,
              never_releases(source) ? ReleaseOutcome::not_holder : ReleaseOutcome::released);
    EXPECT_EQ(std::holds_alternative<Lease>(other.acquire_once(lock)), !never_releases(source));
  }
}

TEST_P(OnEveryStore, ARepairedLockIsNotReleasedByAnotherClient) {
  for (const SourceLock& source : source_locks()) {
    if (source.repairs.empty()) continue;
    SCOPED_TRACE(std::string(source.id));
    Client one(*backend_, source, "one");
    Client other(*backend_, source, "other");
    const LockName lock = name("foreign-" + std::string(source.id));
    const AcquireOutcome held = one.acquire_once(lock);
    ASSERT_TRUE(std::holds_alternative<Lease>(held));
    const Lease& mine = std::get<Lease>(held);
    const Lease theirs(lock, OwnerToken("il1:other"), FencingToken(), long_ttl, mine.sent(),
                       SafetyMargin());
    const auto foreign = run(other.lock().release(theirs));
    ASSERT_TRUE(foreign);
    EXPECT_EQ(*foreign, ReleaseOutcome::not_holder);
    EXPECT_EQ(*run(one.lock().release(mine)), ReleaseOutcome::released);
  }
}

TEST_P(OnEveryStore, BatchesTakeTurns) {
  for (const auto kind : {Version::as_shipped, Version::repaired}) {
    // One key in common. With more, in different orders, the shipped one may starve.
    const std::string prefix = GetParam() + (kind == Version::repaired ? "/repaired" : "/shipped");
    Section section;
    std::vector<std::thread> threads;
    for (const char* who : {"A", "B", "C"}) {
      threads.emplace_back([&, who] {
        const auto store = backend_->open();
        BlockingTime time;
        BillBatch batch(*store, time, kind);
        const OwnerToken owner{std::string("il1:") + who};
        const std::vector<Key> keys{Key(prefix + "/common"), Key(prefix + "/" + who)};
        for (int done = 0; done < 3;) {
          if (!run(batch.try_lock(keys, owner, long_ttl, Duration{0}))) {
            std::this_thread::sleep_for(milliseconds{1});
            continue;
          }
          section.visit();
          run(batch.unlock(keys, owner));
          ++done;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(section.collisions, 0);
    EXPECT_EQ(section.visits, 9);
  }
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         OnEveryStore,
                         testing::Values("memory", "sqlite", "redis"),
                         [](const auto& store) { return store.param; });

TEST(Polling, StopsAfterItsAttemptsAndAfterItsWait) {
  const auto backend = memory::backend();
  const SourceLock& source = *find_source_lock("stamp-lock");
  Client holder(*backend, source, "holder");
  Client other(*backend, source, "other");
  const LockName lock = *LockName::parse("held");
  ASSERT_TRUE(std::holds_alternative<Lease>(holder.acquire_once(lock)));
  Polling counted(milliseconds{1});
  counted.wait = milliseconds{3};
  counted.counts_down = true;
  EXPECT_TRUE(std::holds_alternative<Busy>(other.acquire(lock, counted)));
  counted.counts_down = false;
  EXPECT_TRUE(std::holds_alternative<Busy>(other.acquire(lock, counted)));
}

}  // namespace
}  // namespace interlock::flawed
