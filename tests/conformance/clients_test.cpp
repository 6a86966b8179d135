// Clients over each of the three stores: what a lock that somebody else holds by now is never told,
// and that a hundred thousand locks leave nothing behind.
#include "interlock/client.hpp"

#include <gmock/gmock.h>
#include <malloc.h>

#include <cstdio>
#include <thread>

#include "each_store.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/ask.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define INTERLOCK_TEST_FINDS_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INTERLOCK_TEST_FINDS_LEAKS 1
#endif
#endif

namespace interlock {
namespace {

using std::chrono::seconds;
using test::ask;
using test::operation;
using test::shown;

class Clients : public test::EachStore {};

TEST_P(Clients, AReleaseNeverTouchesALockThatSomebodyElseHoldsByNow) {
  Client one(backend_);
  Client two(backend_);
  AcquireResult first = one.acquire("deploy");
  ASSERT_TRUE(first) << first.why_not();
  take_away();
  AcquireResult second = two.acquire("deploy");
  ASSERT_TRUE(second) << second.why_not();
  const Result<ReleaseOutcome> released = first->release();
  ASSERT_TRUE(released);
  EXPECT_EQ(*released, ReleaseOutcome::not_holder);
  EXPECT_EQ(holder(), '"' + second->owner().text() + '"');
  EXPECT_EQ(*second->release(), ReleaseOutcome::released);
}

TEST_P(Clients, ARenewalNeverTouchesALockThatSomebodyElseHoldsByNow) {
  Client one(backend_);
  Client two(backend_);
  LockOptions renewed_soon(Ttl(milliseconds{900}));
  AcquireResult first = one.acquire("deploy", renewed_soon);
  ASSERT_TRUE(first) << first.why_not();
  take_away();
  LockOptions not_renewed(Ttl(seconds{3600}));
  not_renewed.renew = false;
  AcquireResult second = two.acquire("deploy", not_renewed);
  ASSERT_TRUE(second) << second.why_not();
  const auto left = [&] {
    return *ask(*store_, operation(OperationKind::remaining, "deploy"))->number();
  };
  const std::int64_t before = left();
  const TimePoint limit = local_now() + seconds{20};
  while (!first->loss() && local_now() < limit) std::this_thread::sleep_for(milliseconds{5});
  ASSERT_TRUE(first->loss());
  EXPECT_EQ(holder(), '"' + second->owner().text() + '"');
  EXPECT_LE(left(), before);
  EXPECT_GT(left(), before - 600'000) << "not cut down to the other's ttl";
}

// The sanitizer sees what nobody points to any more; the heap's size what is kept for no reason.
#ifdef INTERLOCK_TEST_FINDS_LEAKS
constexpr int locks = 100'000;
#else
constexpr int locks = 5'000;
#endif
constexpr TimePoint::duration longest{seconds{120}};

std::size_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

int acquire_and_release(Client& client, int times) {
  const TimePoint limit = local_now() + longest;
  int done = 0;
  for (; done < times && local_now() < limit; ++done) {
    AcquireResult lock = client.acquire("deploy");
    if (!lock || !lock->release()) break;
  }
  return done;
}

TEST_P(Clients, AHundredThousandLocksLeaveNothingBehind) {
  Client client(backend_);
  ASSERT_EQ(acquire_and_release(client, 500), 500);
  const std::size_t before = heap_in_use();
  const int done = acquire_and_release(client, locks);
  std::printf("  %d of %d\n", done, locks);
  ASSERT_GT(done, 500) << "else this has shown nothing";
  // Less than a byte and a half for each, where a leak costs at least sixteen.
  EXPECT_LT(heap_in_use(), before + 8 * 1024);
}

Task<int> lock_on_loop(Client* client, int number, int times) {
  const LockName name = *LockName::parse("deploy-" + std::to_string(number));
  int done = 0;
  for (; done < times; ++done) {
    AcquireResult lock = co_await client->acquire_async(name);
    if (!lock) break;
    const Result<ReleaseOutcome> released = co_await lock->release_async();
    if (!released) break;
  }
  co_return done;
}

TEST_P(Clients, LocksOnTheLoopLeaveNothingBehindEither) {
  Client client(backend_);
  ASSERT_EQ(client.wait_for(lock_on_loop(&client, 0, 500)), 500);
  const std::size_t before = heap_in_use();
  ASSERT_EQ(client.wait_for(lock_on_loop(&client, 0, 2'000)), 2'000);
  EXPECT_LT(heap_in_use(), before + 8 * 1024);
}

INTERLOCK_FOR_EACH_STORE(Clients);

}  // namespace
}  // namespace interlock
