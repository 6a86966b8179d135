#include "interlock/posix/fork.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "support/child.hpp"

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
