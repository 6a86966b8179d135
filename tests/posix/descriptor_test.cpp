#include "interlock/posix/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/child.hpp"

namespace interlock::posix {
namespace {

using test::in_child;

bool is_open(int number) {
  return fcntl(number, F_GETFD) >= 0;
}

int any() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(Descriptor, IsClosedOnceByItsLastOwner) {
  const int number = any();
  {
    Descriptor first(number);
    Descriptor second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what this is about
    EXPECT_EQ(second.get(), number);
    first = std::move(second);
    EXPECT_TRUE(first);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, IsClosedInAChildBeforeItsFirstLineAndNotAgainLater) {
  Descriptor inherited(any());
  const int number = inherited.get();
  EXPECT_EQ(in_child([&] {
              if (is_open(number) || inherited) return 1;
              // The number is somebody else's now.
              if (any() != number) return 2;
              inherited.reset();
              Descriptor moved(std::move(inherited));
              moved.reset();
              return is_open(number) ? 0 : 3;
            }),
            0);
  EXPECT_TRUE(is_open(number));
  EXPECT_TRUE(inherited);
}

TEST(Descriptor, OfAChildItselfIsItsOwn) {
  Descriptor inherited(any());
  EXPECT_EQ(in_child([&] {
              inherited = Descriptor(any());
              if (!inherited) return 1;
              const int number = inherited.get();
              if (in_child([&] { return is_open(number) || inherited ? 1 : 0; }) != 0) return 2;
              inherited.reset();
              return is_open(number) ? 3 : 0;
            }),
            0);
}

}  // namespace
}  // namespace interlock::posix
