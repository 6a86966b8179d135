// Children of _Fork() or the system's clone(), for which no handler runs: they have nothing of
// their parent either, although its locks and descriptors are as they were when the child began.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "each_store.hpp"
#include "interlock/client.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/mutex.hpp"
#include "support/child.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;

bool is_forked(AcquireResult result) {
  return !result && result.error() != nullptr && result.error()->code() == Errc::forked;
}

class UntoldFork : public test::EachStore {
 protected:
  static constexpr auto kinds = {test::in_untold_child, test::in_cloned_child};

  // For a child that makes a store of its own, on the same server.
  std::shared_ptr<Backend> backend_anew() {
    if (store_is("redis")) return *redis::backend(server_->url());
    if (store_is("cluster")) return *redis::backend(cluster().url());
    return memory::backend();
  }
};

TEST_P(UntoldFork, AChildThatEndsTheScopeReleasesNothingAndReturnsAtOnce) {
  for (const auto& in : kinds) {
    auto client = std::make_unique<Client>(backend_);
    std::optional<Guard> lock(*client->acquire("deploy"));
    const std::string before = holder();
    EXPECT_EQ(in([&] {
                const TimePoint began = local_now();
                if (lock->state() != LeaseState::lost) return 1;
                if (lock->loss() != LossReason::forked) return 2;
                if (!failed_with(lock->release(), Errc::forked)) return 3;
                if (!is_forked(client->try_acquire("other"))) return 4;
                lock.reset();
                client.reset();
                store_.reset();
                backend_.reset();
                return local_now() - began < seconds(5) ? 0 : 5;
              }),
              0);
    EXPECT_EQ(holder(), before);
    EXPECT_EQ(lock->state(), LeaseState::held);
    EXPECT_EQ(*lock->release(), ReleaseOutcome::released);
    EXPECT_TRUE(client->try_acquire("deploy"));
  }
}

TEST_P(UntoldFork, WhatTheParentsBackendOpensInTheChildAnswersThatAndABackendOfItsOwnServes) {
  Client client(backend_);
  const Guard lock = *client.acquire("deploy");
  const auto locks = directory_.path() / "locks.db";
  for (const auto& in : kinds) {
    EXPECT_EQ(in([&] {
                Client over_the_parents(backend_);
                if (!is_forked(over_the_parents.try_acquire("other"))) return 1;
                if (!failed_with(backend_->held_locks(), Errc::forked)) return 2;
                if (store_is("sqlite")) {
                  // SQLite would take its parent's file locks for its own.
                  return failed_with(sqlite::backend(locks), Errc::forked) ? 0 : 5;
                }
                Client own(backend_anew());
                if (static_cast<bool>(own.try_acquire("deploy")) != store_is("memory")) return 3;
                return own.acquire("own") ? 0 : 4;
              }),
              0);
  }
  EXPECT_EQ(lock.state(), LeaseState::held);
}

// The locks of all these objects may be held by threads that do not exist in the child.
TEST_P(UntoldFork, AChildLetsGoOfEverythingWhileThreadsOfItsParentAcquireAndWait) {
  INTERLOCK_SKIP_IF_A_FORK_MAY_HANG();
  auto client = std::make_unique<Client>(backend_);
  std::atomic<bool> stop = false;
  std::atomic<int> sections = 0;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number) {
    threads.emplace_back([&] {
      while (!stop) {
        EXPECT_TRUE(client->with_lock("counter", [&](Guard&) { ++counter; }));
        ++sections;
      }
    });
  }
  for (int child = 0; child < 20; ++child) {
    EXPECT_EQ(test::in_untold_child([&] {
                if (!is_forked(client->try_acquire("counter"))) _exit(1);
                static_cast<void>(client.release());
                _exit(0);
                return 2;
              }),
              0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, sections);
}

INTERLOCK_FOR_EACH_STORE(UntoldFork);

}  // namespace
}  // namespace interlock
