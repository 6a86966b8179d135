#include "interlock/posix/eventfd.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <cerrno>

namespace interlock::posix {
namespace {

bool is_readable(const Eventfd& event) {
  pollfd polled{event.descriptor(), POLLIN, 0};
  return ::poll(&polled, 1, 0) == 1;
}

TEST(Eventfd, IsReadableFromTheNotificationUntilItIsTaken) {
  const Eventfd event = Eventfd::open();
  ASSERT_TRUE(event);
  EXPECT_FALSE(is_readable(event));
  EXPECT_FALSE(event.take());
  event.notify();
  event.notify();
  EXPECT_TRUE(is_readable(event));
  EXPECT_TRUE(event.take());
  EXPECT_FALSE(is_readable(event));
  EXPECT_FALSE(event.take());
}

TEST(Eventfd, IsEmptyIfTheSystemHasNoDescriptorLeft) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Eventfd event = Eventfd::open();
  const int error = errno;
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(event);
  EXPECT_EQ(error, EMFILE);
  EXPECT_EQ(event.descriptor(), -1);
  event.notify();
  EXPECT_FALSE(event.take());
}

}  // namespace
}  // namespace interlock::posix
