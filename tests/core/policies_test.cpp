// Policies whose fields are out of range say so, with field, value and range.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "interlock/local_queue.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/protocols/queue_lock.hpp"
#include "scripted_world.hpp"

namespace interlock {
namespace {

using std::chrono::hours;

constexpr milliseconds year = Ttl::longest;

// What is wrong with a policy after a change.
template <class Policy>
std::string wrong(const std::function<void(Policy&)>& change) {
  Policy policy;
  change(policy);
  const std::optional<Error> error = policy.wrong();
  if (!error) return {};
  EXPECT_EQ(error->code(), Errc::invalid_argument);
  return error->detail();
}

TEST(Policies, AreRightAsTheyComeAndAtTheEndsOfTheirRanges) {
  EXPECT_EQ(WaitPolicy().wrong(), std::nullopt);
  EXPECT_EQ(QueuePolicy().wrong(), std::nullopt);
  EXPECT_EQ(HandOverPolicy().wrong(), std::nullopt);
  EXPECT_EQ(wrong<QueuePolicy>([](auto& policy) {
              policy.claim_window = milliseconds{1};
              policy.grace = year;
              policy.recheck = milliseconds{1};
              policy.fencing_block = 1'000'000;
            }),
            "");
  EXPECT_EQ(wrong<WaitPolicy>([](auto& policy) {
              policy.poll_interval = milliseconds{1};
              policy.recheck_interval = year;
              policy.outage_limit = Duration::max();
              policy.idle_wake_up_channels = 0;
            }),
            "");
  EXPECT_EQ(wrong<HandOverPolicy>([](auto& policy) {
              policy.sections = 1;
              policy.within = Duration::zero();
              policy.lease_percent = 33;
            }),
            "");
}

TEST(Policies, OfQueuesNameTheFieldTheValueAndTheRange) {
  using Change = QueuePolicy;
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.claim_window = milliseconds{0}; }),
            "QueuePolicy::claim_window of 0 is out of range: choose 1 ms to 365 days");
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.claim_window = milliseconds{-3}; }),
            "QueuePolicy::claim_window of -3 ms is out of range: choose 1 ms to 365 days");
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.grace = hours{24 * 366}; }),
            "QueuePolicy::grace of 366 days is out of range: choose 1 ms to 365 days");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.recheck = milliseconds{0}; }), "");
  // In microseconds this is more than a number of 64 bits holds.
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.grace = milliseconds{18446744073709553}; }),
            "QueuePolicy::grace of 18446744073709553 ms is out of range: choose 1 ms to 365 days");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.recheck = milliseconds::max(); }), "");
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.fencing_block = 0; }),
            "QueuePolicy::fencing_block of 0 is out of range: choose 1 to 1000000");
}

TEST(Policies, OfWaitingNameTheFieldTheValueAndTheRange) {
  using Change = WaitPolicy;
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.poll_interval = Duration{0}; }),
            "WaitPolicy::poll_interval of 0 is out of range: choose 1 ms to 365 days");
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.backoff_first = Duration{999}; }),
            "WaitPolicy::backoff_first of 999 us is out of range: choose 1 ms to 365 days");
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.outage_limit = milliseconds{-1}; }),
            "WaitPolicy::outage_limit of -1 ms is out of range: choose 0 or more");
  EXPECT_EQ(
      wrong<Change>([](auto& policy) { policy.longest_pause_after_release = Duration{0}; }),
      "WaitPolicy::longest_pause_after_release of 0 is out of range: choose 1 ms to 365 days");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.recheck_interval = Duration{0}; }), "");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.backoff_longest = Duration::max(); }), "");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.idle_wake_up_channels = ~std::size_t{0}; }),
            "");
}

TEST(Policies, OfHandOverNameTheFieldTheValueAndTheRange) {
  using Change = HandOverPolicy;
  EXPECT_EQ(wrong<Change>([](auto& policy) { policy.lease_percent = 34; }),
            "HandOverPolicy::lease_percent of 34 is out of range: choose 0 to 33");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.lease_percent = -1; }), "");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.sections = 0; }), "");
  EXPECT_NE(wrong<Change>([](auto& policy) { policy.within = Duration{-1}; }), "");
}

TEST(PoliciesDeathTest, WhatIsMadeOfAWrongOneTellsTheMistake) {
  HandOverPolicy hand_over;
  hand_over.lease_percent = 50;
  EXPECT_DEATH(LocalQueues{hand_over}, "interlock: misuse: HandOverPolicy::lease_percent of 50");
  scripted::FakeTime time;
  scripted::ScriptedStore store(time);
  QueuePolicy queue;
  queue.claim_window = milliseconds{0};
  EXPECT_DEATH(QueueLock(store, time, SafetyMargin(), queue),
               "interlock: misuse: QueuePolicy::claim_window of 0");
}

}  // namespace
}  // namespace interlock
