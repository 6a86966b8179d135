// A call for which memory runs out throws std::bad_alloc, and the other callers go on. A program of
// its own: it replaces operator new.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "interlock/sqlite/sqlite_backend.hpp"
#include "interlock/store/value.hpp"
#include "support/eventually.hpp"
#include "support/scratch_folder.hpp"

namespace {
// The first block that this thread does not get, counted from 1. 0: it gets all.
thread_local int fails_at = 0;
// A thread has asked for that block.
std::atomic<bool> has_failed = false;
}  // namespace

// Not inlined: GCC would take free() in place of a delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (fails_at > 0 && --fails_at == 0) {
    has_failed = true;
    throw std::bad_alloc();
  }
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace interlock {
namespace {

using test::eventually;

LockOptions briefly() {
  LockOptions options(Ttl(milliseconds{200}));
  return options;
}

// False: this block was missing. The call has thrown then, or has gone on without it.
template <class Call>
bool needs_fewer_blocks(int number, const Call& call) {
  has_failed = false;
  fails_at = number;
  try {
    call();
  } catch (const std::bad_alloc&) {
    EXPECT_TRUE(has_failed);
  }
  fails_at = 0;
  return !has_failed;
}

// Whether another thread gets the lock, however long it has to wait for a ttl.
bool another_gets_it(Client& client, const char* lock = "a") {
  std::optional<bool> got;
  std::stop_source stop;
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    LockOptions options = briefly();
    options.stop = stop.get_token();
    got = static_cast<bool>(client.acquire(lock, options));
    is_over = true;
  });
  static_cast<void>(eventually([&] { return is_over.load(); }));
  stop.request_stop();
  other.join();
  return got.value_or(false);
}

class OutOfMemory : public ::testing::Test {
 protected:
  ~OutOfMemory() override {
    std::atomic<bool> has_ended = false;
    std::thread ends([&] {
      client_.reset();
      has_ended = true;
    });
    if (!eventually([&] { return has_ended.load(); })) {
      std::fputs("~Client waits for ever\n", stderr);
      std::_Exit(1);
    }
    ends.join();
  }
  // Calls it without its first block, then without its second one, and so on, until it needs no
  // more. Asks `goes_on` each time, and stops if that is false.
  template <class Call, class GoesOn>
  void without_each_block(const Call& call, const GoesOn& goes_on) {
    constexpr int more_than_enough = 1000;
    int missing = 1;
    while (!needs_fewer_blocks(missing, call)) {
      ASSERT_TRUE(goes_on()) << "without block " << missing;
      ASSERT_LT(++missing, more_than_enough);
    }
    EXPECT_GT(missing, 1) << "it needs no memory";
  }
  template <class Call>
  void expect_that_others_go_on(const Call& call) {
    const auto another = [&] { return another_gets_it(client); };
    without_each_block(call, another);
    EXPECT_TRUE(another());
  }
  const std::shared_ptr<Backend> backend = memory::backend();

 private:
  std::unique_ptr<Client> client_ = std::make_unique<Client>(backend);

 protected:
  Client& client = *client_;
};

TEST_F(OutOfMemory, AnAcquireThatThrowsLeavesTheOtherCallersTheirTurn) {
  expect_that_others_go_on([&] {
    const AcquireResult lock = client.acquire("a", briefly());
    // A release for which memory runs out ends the process: see Client.
    fails_at = 0;
    EXPECT_TRUE(lock) << lock.why_not();
  });
}

// Before its renewal has begun, and afterwards, when the loop keeps the lease alive.
TEST_F(OutOfMemory, AReleaseThatThrowsLeavesTheOtherCallersTheirTurn) {
  for (const milliseconds held_for : {milliseconds{0}, milliseconds{100}}) {
    if (HasFailure()) return;  // the next acquire would wait for ever
    expect_that_others_go_on([&] {
      const int missing = std::exchange(fails_at, 0);
      AcquireResult lock = client.acquire("a", briefly());
      ASSERT_TRUE(lock) << lock.why_not();
      std::this_thread::sleep_for(held_for);
      fails_at = missing;
      EXPECT_TRUE(lock->release());
      fails_at = 0;
    });
  }
}

TEST_F(OutOfMemory, AReleaseInATaskThatThrowsLeavesTheOtherCallersTheirTurn) {
  const auto hold = [](Client* of, int missing) -> Task<void> {
    AcquireResult lock = co_await of->acquire_async(*LockName::parse("a"), briefly());
    EXPECT_TRUE(lock) << lock.why_not();
    fails_at = missing;
    std::optional<Task<Result<ReleaseOutcome>>> releasing;
    try {
      releasing.emplace(lock->release_async());
      releasing->start();
    } catch (...) {
      fails_at = 0;
      throw;
    }
    fails_at = 0;
    EventLoop& loop = of->loop();
    while (!releasing->done()) co_await loop.sleep_until(loop.now() + milliseconds{1});
    EXPECT_TRUE(releasing->take());
  };
  // A loop keeps the memory of its tasks for the next ones: so each time a client with a loop of
  // its own.
  std::unique_ptr<Client> fresh;
  without_each_block(
      [&] {
        const int missing = std::exchange(fails_at, 0);
        fresh = std::make_unique<Client>(backend);
        fresh->wait_for(hold(fresh.get(), missing));
      },
      [&] { return another_gets_it(*fresh); });
}

TEST_F(OutOfMemory, ADowngradeThatThrowsEndsTheLock) {
  Client other(backend);
  const auto others_go_on = [&] { return another_gets_it(other) && another_gets_it(client); };
  without_each_block(
      [&] {
        const int missing = std::exchange(fails_at, 0);
        AcquireResult alone = client.acquire("a", briefly());
        ASSERT_TRUE(alone) << alone.why_not();
        fails_at = missing;
        const AcquireResult shared = client.downgrade(*std::move(alone));
        fails_at = 0;
        EXPECT_TRUE(shared) << shared.why_not();
      },
      others_go_on);
}

// A transaction that stays open would keep all other processes from the file.
TEST(OutOfMemoryInAFile, ACallThatThrowsLeavesTheFileToTheOthers) {
  const test::ScratchFolder folder;
  const auto file = folder.path() / "locks.sqlite3";
  constexpr int more_than_enough = 1000;
  Client other(*sqlite::backend(file));
  for (const bool releases : {false, true}) {
    int missing = 1;
    bool needs_no_more = false;
    for (; !needs_no_more; ++missing) {
      ASSERT_LT(missing, more_than_enough);
      Client client(*sqlite::backend(file));
      needs_no_more = needs_fewer_blocks(missing, [&] {
        if (releases) fails_at = 0;
        AcquireResult lock = client.acquire("a", briefly());
        fails_at = 0;
        ASSERT_TRUE(lock) << lock.why_not();
        if (!releases) return;
        fails_at = missing;
        EXPECT_TRUE(lock->release());
        fails_at = 0;
      });
      LockOptions at_once = briefly();
      at_once.wait = Duration::zero();
      const AcquireResult unrelated = other.acquire("b", at_once);
      ASSERT_TRUE(unrelated) << "without block " << missing << ": " << unrelated.why_not();
      const AcquireResult again = client.acquire("c", at_once);
      ASSERT_TRUE(again) << "without block " << missing << ": " << again.why_not();
    }
    EXPECT_GT(missing, 2) << "it needs no memory";
  }
}

TEST_F(OutOfMemory, AnAcquireOfSeveralThatThrowsKeepsNone) {
  const auto others_get_both = [&] {
    return another_gets_it(client, "a") && another_gets_it(client, "b");
  };
  const auto call = [&] {
    const AcquireAllResult locks = client.acquire_all({"a", "b"}, briefly());
    fails_at = 0;
    EXPECT_TRUE(locks) << locks.why_not();
  };
  without_each_block(call, others_get_both);
  EXPECT_TRUE(others_get_both());
}

// Others of the same client and of another one hold the locks now and then, so that it waits.
TEST_F(OutOfMemory, AnAcquireThatThrowsWhileItWaitsLeavesTheOtherCallersTheirTurn) {
  Client another(backend);
  std::atomic<bool> is_over = false;
  const auto hold_now_and_then = [&](Client* of, const char* lock, int longest) {
    for (int hold = 0; !is_over; hold = (hold + 1) % longest) {
      const AcquireResult held = of->acquire(lock, briefly());
      std::this_thread::sleep_for(milliseconds{hold});
    }
  };
  std::vector<std::jthread> others;
  for (Client* const of : {&client, &another}) {
    for (const char* const lock : {"a", "b"}) {
      others.emplace_back([=, &hold_now_and_then] { hold_now_and_then(of, lock, 7); });
    }
  }
  const auto goes_on = [] { return true; };
  without_each_block(
      [&] {
        const AcquireAllResult locks = client.acquire_all({"a", "b"}, briefly());
        fails_at = 0;
        EXPECT_TRUE(locks) << locks.why_not();
      },
      goes_on);
  without_each_block(
      [&] {
        const AcquireResult lock = client.acquire("a", briefly());
        fails_at = 0;
        EXPECT_TRUE(lock) << lock.why_not();
      },
      goes_on);
  is_over = true;
}

TEST(ValueWithoutMemory, ACopyThrows) {
  const Value text(std::string(100, 'a'));
  const Value list(std::vector<Value>{text, Value(1), text});
  for (int missing = 1; missing <= 4; ++missing) {
    EXPECT_EQ(needs_fewer_blocks(missing, [&] { EXPECT_EQ(Value(text), text); }), missing > 1);
    EXPECT_EQ(needs_fewer_blocks(missing, [&] { EXPECT_EQ(Value(list), list); }), missing > 3);
  }
}

class CountedHolds : public EventSink {
 public:
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::acquired) ++acquired;
    if (event.kind == EventKind::hold_ended) ++ended;
  }
  std::atomic<int> acquired = 0;
  std::atomic<int> ended = 0;
};

// With a client of its own for each block that is missing. All have their connections, and nothing
// that their loops have to look at soon.
TEST(OutOfMemoryAtOneAcquire, TheLocksThatFollowAreRenewedAndItsOwnIsNot) {
  constexpr int more_than_enough = 60;
  const std::shared_ptr<Backend> backend = memory::backend();
  CountedHolds holds;
  ClientOptions counted;
  counted.events = &holds;
  const LockOptions options(Ttl(milliseconds{3000}));
  std::vector<std::unique_ptr<Client>> clients;
  for (int number = 0; number < more_than_enough; ++number) {
    clients.push_back(std::make_unique<Client>(backend, counted));
    ASSERT_TRUE(clients.back()->acquire("warm", options));
  }
  std::this_thread::sleep_for(milliseconds{3200});
  std::vector<AcquireResult> others;
  for (int missing = 1; missing < more_than_enough; ++missing) {
    Client& client = *clients[static_cast<std::size_t>(missing)];
    const std::string number = std::to_string(missing);
    const LockName name = *LockName::parse("thrown/" + number);
    if (needs_fewer_blocks(missing, [&] {
          const AcquireResult lock = client.acquire(name, options);
          fails_at = 0;
        })) {
      break;
    }
    others.push_back(client.acquire("other/" + number, options));
    ASSERT_TRUE(others.back()) << missing;
  }
  ASSERT_GT(others.size(), 1U);
  ASSERT_LT(others.size(), static_cast<std::size_t>(more_than_enough) - 1);
  const auto thrown_locks = [&] {
    const auto locks = *backend->held_locks();
    return std::count_if(locks.begin(), locks.end(),
                         [](const Key& lock) { return lock.text().starts_with("thrown/"); });
  };
  EXPECT_TRUE(eventually([&] { return thrown_locks() == 0; }));
  // Longer than a ttl, so that each that is held was renewed.
  std::this_thread::sleep_for(milliseconds{3200});
  for (AcquireResult& other : others) {
    EXPECT_EQ(other->state(), LeaseState::held) << other->name().text();
    EXPECT_TRUE(other->release());
  }
  clients.clear();
  EXPECT_EQ(holds.acquired, holds.ended);
}

// Only until its first rest: then the loop, whose thread this is, goes on with other work.
Task<void> acquire_on_the_loop(Client* client, int missing) {
  fails_at = missing;
  std::optional<Task<AcquireResult>> acquiring;
  try {
    acquiring.emplace(client->acquire_async(*LockName::parse("a"), briefly()));
    acquiring->start();
  } catch (...) {
    fails_at = 0;
    throw;
  }
  fails_at = 0;
  EventLoop& loop = client->loop();
  while (!acquiring->done()) co_await loop.sleep_until(loop.now() + milliseconds{1});
  const AcquireResult lock = acquiring->take();
  EXPECT_TRUE(lock) << lock.why_not();
}

TEST_F(OutOfMemory, ATaskThatThrowsLeavesTheOtherCallersTheirTurn) {
  expect_that_others_go_on([&] {
    const int missing = std::exchange(fails_at, 0);
    client.wait_for(acquire_on_the_loop(&client, missing));
  });
}

TEST_F(OutOfMemory, AWaitThatThrowsDoesNotKeepItsClientFromEnding) {
  Client other(backend);
  const AcquireResult held = other.acquire("a");
  LockOptions options = briefly();
  options.wait = milliseconds{1};
  const auto wait = [&] {
    const AcquireResult busy = client.acquire("a", options);
    fails_at = 0;
    EXPECT_NE(busy.busy(), nullptr);
  };
  // The second time it does not try first, because the lock was busy a moment ago.
  for (int times = 0; times < 2; ++times) without_each_block(wait, [] { return true; });
}

TEST_F(OutOfMemory, AMutexThatThrowsCanBeLockedAgain) {
  for (const bool keep : {false, true}) {
    MutexOptions options(briefly());
    options.keep = keep;
    Mutex mutex(client, *LockName::parse("a"), options);
    expect_that_others_go_on([&] {
      mutex.lock();
      fails_at = 0;
      mutex.unlock();
    });
  }
}

}  // namespace
}  // namespace interlock
