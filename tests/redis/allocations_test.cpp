// How often an acquire that finds the lock free, and its release, ask for memory. This program
// counts the calls of operator new on the thread that makes them; what hiredis takes by malloc to
// read an answer is not among them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include "interlock/client.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "support/redis_server.hpp"

namespace {
thread_local int allocations = 0;
}  // namespace

// All other forms of new and delete, but those for types with an alignment of their own, call
// these. Not inlined: GCC would take free() in place of a delete for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace interlock {
namespace {

constexpr int pairs = 100;
constexpr std::string_view short_name = "orders/42";
constexpr std::string_view long_name = "orders/europe/2026/11/000042";

// Under the address sanitizer the frames of coroutines are not kept, so that it sees each one
// freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool frames_are_kept = false;
#else
constexpr bool frames_are_kept = true;
#endif

class Allocations : public ::testing::Test {
 protected:
  // The most that one of many pairs has taken, after some that made the connection, filled the
  // reserve of random numbers and so on. `acquire` gives an AcquireResult.
  template <class Acquire>
  static int most_of_a_pair(const Acquire& acquire) {
    int most = 0;
    for (int pair = -pairs; pair < pairs; ++pair) {
      const int before = allocations;
      {
        AcquireResult lock = acquire();
        if (!lock || !lock->release()) return -1;
      }
      if (pair >= 0) most = std::max(most, allocations - before);
    }
    return most;
  }
  int of_a_pair(std::string_view text, const LockOptions& options) {
    const LockName name = *LockName::parse(text);
    return most_of_a_pair([&] { return client_.acquire(name, options); });
  }
  int of_a_pair_by_text(std::string_view text, const LockOptions& options) {
    return most_of_a_pair([&] { return client_.acquire(text, options); });
  }
  static void expect_at_most(int limit, int counted, std::string_view what) {
    ASSERT_GE(counted, 0) << what << ": a pair failed";
    RecordProperty(std::string(what), counted);
    if (!frames_are_kept) return;
    EXPECT_LE(counted, limit) << what;
  }

  test::RedisServer server_;
  Client client_{*redis::backend(server_.url())};
};

TEST_F(Allocations, OfAPairAreFewAndDoNotDependOnTheLengthOfTheName) {
  LockOptions plain;
  plain.fair = false;
  expect_at_most(6, of_a_pair(short_name, plain), "plain_short");
  expect_at_most(6, of_a_pair(long_name, plain), "plain_long");
}

// The name is made for each acquire.
TEST_F(Allocations, OfAPairWithANameInTextAreFewToo) {
  LockOptions plain;
  plain.fair = false;
  expect_at_most(7, of_a_pair_by_text(short_name, plain), "plain_short_text");
  expect_at_most(8, of_a_pair_by_text(long_name, plain), "plain_long_text");
}

TEST_F(Allocations, OfAPairOfAFairLockAreFewAndDoNotDependOnTheLengthOfTheName) {
  const LockOptions fair;
  expect_at_most(4, of_a_pair(short_name, fair), "fair_short");
  expect_at_most(4, of_a_pair(long_name, fair), "fair_long");
}

// A pair by awaiting, in which the guard is dropped after its release. Timers fire on this thread
// now and then, and take memory, too. So this is the least of what the most expensive pair of each
// series has taken: in some series no timer fires.
Task<int> most_on_the_loop(Client* client, LockOptions options) {
  constexpr int series = 10;
  const LockName name = *LockName::parse(long_name);
  int least = std::numeric_limits<int>::max();
  for (int round = -series; round < series; ++round) {  // the first ones warm up
    int most = 0;
    for (int pair = 0; pair < pairs / series; ++pair) {
      const int before = allocations;
      {
        AcquireResult lock = co_await client->acquire_async(name, options);
        if (!lock) co_return -1;
        const auto released = co_await lock->release_async();
        if (!released) co_return -1;
      }
      most = std::max(most, allocations - before);
    }
    if (round >= 0) least = std::min(least, most);
  }
  co_return least;
}

TEST_F(Allocations, OfAPairOnTheLoopAreFew) {
  const LockOptions fair;
  expect_at_most(19, client_.wait_for(most_on_the_loop(&client_, fair)), "fair_async");
  LockOptions plain;
  plain.fair = false;
  expect_at_most(10, client_.wait_for(most_on_the_loop(&client_, plain)), "plain_async");
}

}  // namespace
}  // namespace interlock
