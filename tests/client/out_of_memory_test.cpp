// An acquire for which memory runs out throws std::bad_alloc, and the other callers go on. A
// program of its own: it replaces operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <thread>

#include "interlock/client.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "interlock/mutex.hpp"
#include "support/eventually.hpp"

namespace {
// The first block that this thread does not get, counted from 1. 0: it gets all.
thread_local int fails_at = 0;
}  // namespace

// Not inlined: GCC would take free() in place of a delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (fails_at > 0 && --fails_at == 0) throw std::bad_alloc();
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

// Core is built without exceptions, so what its coroutines have at such a time is not freed.
extern "C" int __lsan_is_turned_off() {
  return 1;
}

namespace interlock {
namespace {

using test::eventually;

LockOptions briefly() {
  LockOptions options(Ttl(milliseconds{200}));
  return options;
}

// True: it got to the end. False: this block was missing.
template <class Call>
bool succeeds_without_block(int number, const Call& call) {
  bool was_missing = false;
  fails_at = number;
  try {
    call();
  } catch (const std::bad_alloc&) {
    was_missing = true;
  }
  fails_at = 0;
  return !was_missing;
}

// Whether another thread gets the lock, however long it has to wait for a ttl.
bool another_gets_it(Client& client) {
  std::optional<bool> got;
  std::stop_source stop;
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    LockOptions options = briefly();
    options.stop = stop.get_token();
    got = static_cast<bool>(client.acquire("a", options));
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
  // more.
  template <class Call>
  void expect_that_others_go_on(const Call& call) {
    constexpr int more_than_enough = 1000;
    int missing = 1;
    while (missing < more_than_enough && !succeeds_without_block(missing, call)) {
      ASSERT_TRUE(another_gets_it(client)) << "without block " << missing;
      ++missing;
    }
    EXPECT_GT(missing, 1) << "it needs no memory";
    EXPECT_LT(missing, more_than_enough);
    EXPECT_TRUE(another_gets_it(client));
  }

 private:
  std::unique_ptr<Client> client_ = std::make_unique<Client>(memory::backend());

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
