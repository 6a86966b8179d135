// The store goes away while a command runs: the command is gone before anybody else can be let in.
#include "outage.hpp"

namespace interlock::test {
namespace {

using std::chrono::seconds;
using testing::SizeIs;

TEST_F(Outage, ASilentNetworkEndsADeafCommandBeforeAnotherEnters) {
  start_holder(log_.beats_deaf("A"));
  start_waiter();
  proxy_.set(FaultProxy::Mode::swallow);
  expect_waiter_enters_afterwards();
  expect_ended_within_the_lease();
}

TEST_F(Outage, ASilentNetworkEndsAWillingCommandWithTerm) {
  start_holder("trap 'echo told; exit 0' TERM; " + log_.beats("A"));
  start_waiter();
  proxy_.set(FaultProxy::Mode::swallow);
  expect_waiter_enters_afterwards();
  expect_ended_within_the_lease();
  EXPECT_EQ(holder_->out(), "told\n");
}

TEST_F(Outage, LostRepliesNeverCountAsRenewals) {
  start_holder(log_.beats_deaf("A"));
  // Renewals go on arriving, so nobody else is admitted; the holder cannot know, and must stop.
  proxy_.set(FaultProxy::Mode::drop_replies);
  expect_ended_within_the_lease();
}

TEST_F(Outage, APausedServerEndsTheCommandInTime) {
  start_holder(log_.beats_deaf("A"));
  start_waiter();
  redis_.pause();
  expect_ended_within_the_lease();
  redis_.resume();
  expect_waiter_enters_afterwards();
}

TEST_F(Outage, AKilledServerEndsTheCommandInTime) {
  start_holder(log_.beats_deaf("A"));
  redis_.kill();
  expect_ended_within_the_lease();
}

TEST_F(Outage, AServerRestartedEmptyIsNoticedAtTheNextRenewal) {
  start_holder(log_.beats_deaf("A"));
  redis_.kill();
  redis_.start_without_data();
  const TimePoint restarted = local_now();
  // Every third of the ttl; the grace of a lock that is gone begins when that is told. The bound
  // stays below the ttl, so the local clock alone cannot meet it.
  EXPECT_EQ(holder_->wait(seconds{15}), 79) << holder_->err();
  ASSERT_THAT(said(), SizeIs(1));
  const auto sent = proxy_.last_answered_request();
  ASSERT_TRUE(sent);
  std::printf("  ended %d ms after the restart\n",
              static_cast<int>(
                  std::chrono::duration_cast<milliseconds>(log_.last_of("A") - restarted).count()));
  EXPECT_GE(*sent, restarted) << "not told by a renewal";
}

}  // namespace
}  // namespace interlock::test
