// interlock::Mutex: a lock for the standard guards of locks.
#include "interlock/mutex.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/memory/memory_backend.hpp"
#include "silent_store.hpp"

namespace interlock {
namespace {

using interlock::testing::SilentBackend;
using std::chrono::seconds;

TEST(Mutex, WorksWithTheStandardLocks) {
  Client client(memory::backend());
  Mutex first(client, *LockName::parse("first"));
  Mutex second(client, *LockName::parse("second"));
  {
    const std::scoped_lock both(first, second);
    EXPECT_FALSE(client.try_acquire("first"));
    EXPECT_GT(first.guard().fencing().value(), 0U);
  }
  std::unique_lock lock(first, std::defer_lock);
  EXPECT_TRUE(lock.try_lock());
  Mutex same(client, *LockName::parse("first"));
  EXPECT_FALSE(same.try_lock());
  EXPECT_FALSE(same.try_lock_for(milliseconds(5)));
  EXPECT_FALSE(same.try_lock_until(std::chrono::steady_clock::now() + milliseconds(5)));
  lock.unlock();
  EXPECT_TRUE(same.try_lock_for(seconds(10)));
  same.unlock();
}

TEST(Mutex, TellsAThreadThatLocksItTwice) {
  Client client(memory::backend());
  for (const bool keep : {false, true}) {
    MutexOptions options;
    options.keep = keep;
    Mutex mutex(client, *LockName::parse(keep ? "kept" : "not kept"), options);
    mutex.lock();
    try {
      static_cast<void>(mutex.try_lock_for(milliseconds(10)));
      FAIL() << "it has waited for itself";
    } catch (const LockFailure& failure) {
      EXPECT_EQ(failure.error().code(), Errc::invalid_argument);
      EXPECT_STREQ(failure.what(), keep
                                       ? "acquiring 'kept': this thread has locked it already: "
                                         "unlock() first"
                                       : "acquiring 'not kept': this thread has locked it already: "
                                         "unlock() first");
    }
    EXPECT_THROW(mutex.lock(), LockFailure);
    EXPECT_EQ(mutex.guard().state(), LeaseState::held);
    std::jthread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
    EXPECT_EQ(*mutex.guard().release(), ReleaseOutcome::released);
    mutex.lock();  // its section was over
    mutex.unlock();
  }
}

TEST(Mutex, ExcludesThreadsThatShareOneObject) {
  Client client(memory::backend());
  Mutex mutex(client, *LockName::parse("shared"));
  int counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        mutex.lock();
        const int seen = counter;
        std::this_thread::yield();
        counter = seen + 1;
        mutex.unlock();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter, 200);
}

TEST(Mutex, ThrowsWhenTheStoreFails) {
  const auto backend =
      std::make_shared<SilentBackend>(memory::backend(), SilentBackend::OnLoops::offload);
  ClientOptions options;
  options.wait_policy.outage_limit = milliseconds{100};
  Client client(backend, options);
  Mutex mutex(client, *LockName::parse("a"));
  backend->fall_silent();
  EXPECT_THROW(mutex.lock(), LockFailure);
}

}  // namespace
}  // namespace interlock
