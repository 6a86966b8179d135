#include "renewal_schedule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "manual_loop.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using Stage = RenewalSchedule::Stage;

// A lease that notes what is asked of it.
class NotedLease final : public RenewalSchedule::ScheduledLease {
 public:
  NotedLease(TimePoint first, TimePoint renewal) : first_(first), renewal_(renewal) {}
  TimePoint first_due() const override { return first_; }
  TimePoint renewal_due() const override { return renewal_; }
  void on_due() override { asked += "due "; }
  void keep_alive() override { asked += "kept "; }
  std::string asked;

 private:
  const TimePoint first_;
  const TimePoint renewal_;
};

class Renewals : public ::testing::Test {
 protected:
  Renewals() { schedule.begin(); }
  std::shared_ptr<NotedLease> add(seconds first, seconds renewal) {
    auto lease = std::make_shared<NotedLease>(began + first, began + renewal);
    schedule.add(lease);
    return lease;
  }
  test::ManualLoop loop;
  RenewalSchedule schedule{loop};
  const TimePoint began = loop.now();
};

TEST_F(Renewals, AreDueForTheOtherCallersFirstAndThenForRenewal) {
  const auto lease = add(seconds{1}, seconds{5});
  loop.run_until(began + milliseconds{999});
  EXPECT_EQ(lease->asked, "");
  loop.run_until(began + seconds{1});
  EXPECT_EQ(lease->asked, "due ");
  loop.run_until(began + seconds{5});
  EXPECT_EQ(lease->asked, "due due kept ");
  loop.run_until(began + seconds{500});
  EXPECT_EQ(lease->asked, "due due kept ");
  EXPECT_EQ(schedule.remove(*lease), Stage::kept_alive);
}

TEST_F(Renewals, AreDueOnceIfNobodyElseWaits) {
  const auto lease = add(seconds{5}, seconds{5});
  loop.run_until(began + seconds{5});
  EXPECT_EQ(lease->asked, "due kept ");
}

TEST_F(Renewals, OfALeaseThatWasReleasedBeforeAreNeverDue) {
  const auto lease = add(seconds{1}, seconds{1});
  EXPECT_EQ(schedule.remove(*lease), Stage::scheduled);
  loop.run_until(began + seconds{10});
  EXPECT_EQ(lease->asked, "");
  EXPECT_TRUE(schedule.has_ended(*lease));
  EXPECT_EQ(schedule.remove(*lease), Stage::ended);
}

TEST_F(Renewals, WakeTheLoopOnlyForALeaseThatIsDueBeforeAllOthers) {
  const auto first = add(seconds{3}, seconds{3});
  const auto later = add(seconds{4}, seconds{4});
  EXPECT_EQ(loop.posted, 1);
  const auto sooner = add(seconds{2}, seconds{2});
  EXPECT_EQ(loop.posted, 2);
  loop.run_until(began + seconds{4});
  for (const auto& lease : {first, later, sooner}) EXPECT_EQ(lease->asked, "due kept ");
}

TEST_F(Renewals, EndWithTheClient) {
  const auto one = add(seconds{1}, seconds{2});
  const auto other = add(seconds{2}, seconds{2});
  loop.run_until(began + seconds{1});
  EXPECT_EQ(schedule.remove_all().size(), 2U);
  EXPECT_TRUE(schedule.has_ended(*one) && schedule.has_ended(*other));
  schedule.end();
  const auto late = add(seconds{1}, seconds{1});
  loop.run_until(began + seconds{9});
  EXPECT_EQ(late->asked, "");
  EXPECT_EQ(other->asked, "");
}

}  // namespace
}  // namespace interlock
