// A release that the store does not answer, and what is done about it afterwards.
#include <gmock/gmock.h>

#include "lock_client_world.hpp"

namespace interlock {
namespace {

using scripted::Fate;
using scripted::LockClientWorld;
using std::chrono::seconds;

constexpr auto claim = OperationKind::claim;
constexpr auto release = OperationKind::release;
constexpr Duration moment = milliseconds{1};

class Releasing : public LockClientWorld {
 protected:
  Lease held(std::int64_t ttl_ms = 30'000) {
    auto task = acquiring(std::nullopt, ttl_ms);
    EXPECT_TRUE(task.done());
    const auto outcome = task.take();
    return std::get<Lease>(outcome.value());
  }
  // In the background, as a program would do it.
  Task<void> finishing(const Lease& lease) {
    auto task = client.finish_release(lease, &cancellation);
    task.start();
    return task;
  }
};

TEST_F(Releasing, ReturnsAtOnceThatItFailedAndReportsTheLeaseThatIsLeft) {
  std::vector<Lease> left;
  client.on_left_behind([&](Lease lease) { left.push_back(std::move(lease)); });
  const Lease lease = held();
  for (const auto& [fate, code] : {std::pair(Fate::unavailable, Errc::unavailable),
                                   std::pair(Fate::request_lost, Errc::indeterminate)}) {
    store.weather = fate;
    EXPECT_TRUE(failed_with(run(client.release(lease)), code));
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left.front().owner(), lease.owner());
    left.clear();
  }
  store.weather = Fate::rejected;
  EXPECT_TRUE(failed_with(run(client.release(lease)), Errc::rejected));
  store.weather = Fate::served;
  EXPECT_EQ(run(client.release(lease)).value(), ReleaseOutcome::released);
  EXPECT_EQ(left.size(), 0u) << "refused, or released: nobody can do more";
}

TEST_F(Releasing, OfALockThatWasHeldNoMoreIsNotToldAsARelease) {
  const Lease lease = held();
  store.lose_key("deploy");
  EXPECT_EQ(run(client.release(lease)).value(), ReleaseOutcome::not_holder);
  EXPECT_EQ(sink.kinds(), "acquired, error");
  EXPECT_THAT(sink.events.back().error->detail(), testing::HasSubstr("not held any more"));
}

TEST_F(Releasing, IsFinishedWhenTheStoreAnswersAgain) {
  const Lease lease = held();
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  time.advance(milliseconds{200});
  EXPECT_FALSE(task.done());
  EXPECT_EQ(holder(), lease.owner().text());
  store.weather = Fate::served;
  time.advance(milliseconds{200});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(holder(), std::nullopt);
  EXPECT_EQ(sink.kinds(), "acquired, released");
}

TEST_F(Releasing, IsTriedAfterLongerAndLongerPauses) {
  const Lease lease = held();
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  int expected = 0;
  for (const std::int64_t pause : {20, 40, 80, 160, 320, 640, 1000, 1000}) {
    time.advance(milliseconds{pause} - moment);
    EXPECT_EQ(store.count(release), expected);
    time.advance(moment);
    EXPECT_EQ(store.count(release), ++expected);
  }
}

// A ttl of 10 s and its margin: 1 % and 5 ms.
TEST_F(Releasing, IsGivenUpWhenTheLeaseHasCertainlyEnded) {
  const Lease lease = held(10'000);
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  time.advance(milliseconds{10'105} - moment);
  EXPECT_FALSE(task.done());
  time.advance(moment);
  EXPECT_TRUE(task.done());
  const int tries = store.count(release);
  store.weather = Fate::served;
  time.advance(seconds{60});
  EXPECT_EQ(store.count(release), tries);
}

TEST_F(Releasing, IsFinishedForALeaseOfAYear) {
  const Lease lease = held(Ttl::longest.count());
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  time.advance(seconds{100});
  EXPECT_FALSE(task.done());
  store.weather = Fate::served;
  time.advance(seconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(holder(), std::nullopt);
}

TEST_F(Releasing, IsNotTriedAgainAfterARefusal) {
  const Lease lease = held();
  store.weather = Fate::rejected;
  auto task = finishing(lease);
  time.advance(seconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(store.count(release), 1);
  EXPECT_EQ(sink.kinds(), "acquired, error");
}

TEST_F(Releasing, LeavesTheNextOwnersLockAlone) {
  const Lease lease = held(1'000);
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  time.advance(milliseconds{990});
  time.stall(milliseconds{11});
  other_takes();
  store.weather = Fate::served;
  time.advance(seconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(holder(), other);
}

TEST_F(Releasing, KeepsALeaseThatStaysAsSoonAsTheStoreIsBack) {
  const Lease lease = held().staying_until(time.now() + seconds{60});
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  time.advance(seconds{5});
  EXPECT_FALSE(task.done());
  store.weather = Fate::served;
  time.advance(seconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(sink.kinds(), "acquired, released");
  time.advance(seconds{53});
  EXPECT_EQ(holder(), lease.owner().text());
  time.advance(seconds{2});
  EXPECT_EQ(holder(), std::nullopt);
}

TEST_F(Releasing, DoesNotReportALeaseAsReleasedThatWasToStayAndHasGone) {
  const Lease lease = held().staying_until(time.now() + seconds{60});
  store.lose_key("deploy");
  auto task = finishing(lease);
  time.advance(seconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_EQ(sink.kinds(), "acquired, error");
}

TEST_F(Releasing, IsGivenUpAtOnceWhenCancelled) {
  const Lease lease = held();
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  time.advance(seconds{1});
  const int tries = store.count(release);
  cancellation.request();
  time.settle();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(store.count(release), tries);
}

// A release that is under way would take away the new grant.
TEST_F(Releasing, AnOwnerThatReleasesDoesNotClaimAgainMeanwhile) {
  const Lease lease = held();
  store.weather = Fate::unavailable;
  auto task = finishing(lease);
  const auto again = [&](OwnerToken owner) {
    auto claiming = client.acquire(lease.name(), std::move(owner), AcquireOptions());
    claiming.start();
    return claiming;
  };
  const int claims = store.count(claim);
  auto same = again(lease.owner());
  ASSERT_TRUE(same.done());
  EXPECT_TRUE(failed_with(same.take(), Errc::invalid_argument));
  EXPECT_EQ(store.count(claim), claims);
  store.weather = Fate::served;
  auto fresh = again(OwnerToken("il1:fresh"));
  time.advance(seconds{1});
  EXPECT_TRUE(task.done());
  EXPECT_TRUE(granted(fresh.take()));
  EXPECT_EQ(holder(), "il1:fresh");
}

TEST_F(Releasing, ReportsAlsoTheLeaseOfAWithdrawalThatFailed) {
  std::vector<Lease> left;
  client.on_left_behind([&](Lease lease) { left.push_back(std::move(lease)); });
  for (int each = 0; each < 3; ++each) store.next(claim, Fate::reply_lost);
  store.next(release, Fate::unavailable);
  auto task = acquiring(Duration{0});
  ASSERT_TRUE(task.done());
  EXPECT_TRUE(failed_with(task.take(), Errc::indeterminate));
  EXPECT_EQ(holder(), "il1:1");
  ASSERT_EQ(left.size(), 1u);
  auto finished = finishing(left.front());
  time.advance(milliseconds{20});
  EXPECT_TRUE(finished.done());
  EXPECT_EQ(holder(), std::nullopt);
}

}  // namespace
}  // namespace interlock
