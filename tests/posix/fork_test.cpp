#include "interlock/posix/fork.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

#include "support/child.hpp"

// The thread sanitizer makes a fork() of each vfork().
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INTERLOCK_VFORK_IS_FORK
#endif
#elif defined(__SANITIZE_THREAD__)
#define INTERLOCK_VFORK_IS_FORK
#endif

namespace interlock::posix {
namespace {

using test::in_child;
using ::testing::StartsWith;

TEST(ForkMark, KnowsAChildAndItsChildren) {
  const ForkMark mine;
  EXPECT_FALSE(mine.in_child());
  EXPECT_EQ(in_child([&] {
              if (!mine.in_child()) return 1;
              const ForkMark own;
              if (own.in_child()) return 2;
              return in_child([&] { return mine.in_child() && own.in_child() ? 0 : 3; });
            }),
            0);
  EXPECT_FALSE(mine.in_child());
}

// pthread_atfork() handlers run at fork(), and not for these children.
TEST(ForkMark, KnowsAChildForWhichNoHandlerRan) {
  for (const auto& in : {test::in_untold_child, test::in_cloned_child}) {
    const ForkMark mine;
    EXPECT_EQ(in([&] {
                if (!mine.in_child()) return 1;
                const ForkMark own;
                if (own.in_child()) return 2;
                return in([&] { return mine.in_child() && own.in_child() ? 0 : 3; });
              }),
              0);
    EXPECT_FALSE(mine.in_child());
  }
}

#if !defined(INTERLOCK_VFORK_IS_FORK)
// A child of vfork() shares its parent's memory: if it changed an object, the object would be
// changed in its parent, too.
TEST(ForkMark, TakesAChildThatSharesItsParentsMemoryForItsParent) {
  static bool in_child = true;
  static const ForkMark mine;
  const pid_t child = vfork();
  if (child == 0) {
    in_child = mine.in_child();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(in_child);
  EXPECT_FALSE(mine.in_child());
}
#endif

TEST(ForkMark, ThreadsOfAChildAgreeOnWhereTheyAre) {
  const ForkMark mine;
  EXPECT_EQ(in_child([&] {
              std::vector<unsigned> seen(8);
              std::vector<std::thread> threads;
              for (unsigned& number : seen) {
                threads.emplace_back([&number] { number = this_process(); });
              }
              for (std::thread& thread : threads) thread.join();
              for (const unsigned number : seen) {
                if (number != this_process()) return 1;
              }
              return mine.in_child() ? 0 : 2;
            }),
            0);
}

TEST(UsedInChild, NamesWhatWasUsedTheFactAndWhatToDo) {
  const Error error = used_in_child("acquiring 'a'", "its client");
  EXPECT_EQ(error.code(), Errc::forked);
  EXPECT_THAT(error.detail(),
              StartsWith("acquiring 'a': its client was made before fork(), by the parent"));
}

class Counter final : public ForkGuard {
 public:
  Counter() { enter(); }
  ~Counter() { leave(); }
  int before = 0;
  int in_parent = 0;
  int in_child = 0;

 private:
  void before_fork() override { ++before; }
  void after_fork_in_parent() override { ++in_parent; }
  void after_fork_in_child() override { ++in_child; }
};

TEST(ForkGuard, IsCalledAroundEachForkWhileItLives) {
  {
    Counter counter;
    EXPECT_EQ(in_child([&] {
                return counter.before == 1 && counter.in_child == 1 && counter.in_parent == 0 ? 0
                                                                                              : 1;
              }),
              0);
    EXPECT_EQ(counter.before, 1);
    EXPECT_EQ(counter.in_parent, 1);
    EXPECT_EQ(counter.in_child, 0);
  }
  EXPECT_EQ(in_child([] { return 0; }), 0);
}

TEST(ForkGuard, KnowsThatItsFunctionsDidNotRunAtAFork) {
  const Counter counter;
  EXPECT_FALSE(counter.carried());
  EXPECT_EQ(in_child([&] { return counter.carried() ? 1 : 0; }), 0);
  EXPECT_EQ(test::in_untold_child([&] {
              if (!counter.carried()) return 1;
              const Counter own;  // the list is free, even if a thread of the parent held its lock
              if (own.carried()) return 2;
              return in_child([&] { return own.in_child == 1 && !own.carried() ? 0 : 3; });
            }),
            0);
  EXPECT_FALSE(counter.carried());
}

class Witness {
 public:
  explicit Witness(bool* destroyed) : destroyed_(destroyed) {}
  Witness(Witness&& other) noexcept : destroyed_(std::exchange(other.destroyed_, nullptr)) {}
  ~Witness() {
    if (destroyed_ != nullptr) *destroyed_ = true;
  }

 private:
  bool* destroyed_;
};

TEST(LeaveBehind, KeepsAnObjectThatIsNeverDestroyed) {
  static bool destroyed = false;
  leave_behind(Witness(&destroyed));
  leave_behind(std::make_shared<int>(1));
  EXPECT_FALSE(destroyed);
}

}  // namespace
}  // namespace interlock::posix
