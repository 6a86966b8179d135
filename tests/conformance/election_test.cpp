// Elections over each store: campaigns, proclamations, resignations, and those who observe.
#include "interlock/election.hpp"

#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "each_store.hpp"
#include "interlock/store/lock_keys.hpp"
#include "support/ask.hpp"
#include "support/child.hpp"
#include "support/eventually.hpp"

namespace interlock {
namespace {

using std::chrono::seconds;
using test::eventually;
using ::testing::ElementsAre;

class Elections : public test::EachStore {
 protected:
  static LockName name() { return *LockName::parse("deploy"); }
  static LockOptions once() {
    LockOptions options;
    options.wait = Duration::zero();
    return options;
  }
  static std::string value_of(const Result<std::optional<Leader>>& leader) {
    if (!leader) return leader.error().detail();
    return *leader ? (*leader)->value : "(none)";
  }

  Client client{backend_};
  Client other{backend_};
  Election election{client, name()};
  Election observing{other, name(), once()};
};

TEST_P(Elections, TheLeaderIsObservedWithItsValueAndEpoch) {
  EXPECT_EQ(value_of(observing.leader()), "(none)");
  AcquireResult leads = election.campaign("host7:9000");
  ASSERT_TRUE(leads) << leads.why_not();
  const Result<std::optional<Leader>> leader = observing.leader();
  ASSERT_EQ(value_of(leader), "host7:9000");
  EXPECT_EQ((*leader)->epoch, leads->fencing());
  EXPECT_EQ((*leader)->owner, leads->owner());
  EXPECT_NE(observing.campaign("another").busy(), nullptr);
}

TEST_P(Elections, OneLeadsWhateverTheOptionsSay) {
  LockOptions shared;
  shared.shared = true;
  shared.wait = Duration::zero();
  LockOptions permits;
  permits.permits = Permits(1, 2);
  permits.wait = Duration::zero();
  Client alone(backend_);
  for (const LockOptions& options : {shared, permits}) {
    Election one(alone, "deploy", options);
    const AcquireResult leads = one.campaign("a");
    ASSERT_TRUE(leads) << leads.why_not();
    EXPECT_FALSE(Election(alone, *LockName::parse("deploy"), options).campaign("b"));
  }
}

TEST_P(Elections, ValuesHaveAnyBytes) {
  const std::string value("\0 1\xff\n", 5);
  AcquireResult leads = election.campaign(value);
  ASSERT_TRUE(leads);
  EXPECT_EQ(value_of(observing.leader()), value);
  const std::string longest(Leader::value_max, 'x');
  EXPECT_EQ(*election.proclaim(*leads, longest), OwnerCheck::done);
  EXPECT_EQ(value_of(observing.leader()), longest);
  EXPECT_TRUE(failed_with(election.proclaim(*leads, longest + "x"), Errc::invalid_argument));
  EXPECT_EQ(observing.campaign(longest + "x").error()->code(), Errc::invalid_argument);
}

TEST_P(Elections, EachChangeIsToldOnce) {
  std::vector<std::string> told;
  std::atomic<std::size_t> count = 0;
  std::stop_source stop;
  std::thread observer([&] {
    for (;;) {
      const auto leader = observing.next_leader(stop.get_token());
      if (failed_with(leader, Errc::cancelled)) return;
      told.push_back(value_of(leader));
      ++count;
    }
  });
  const auto has_told = [&](std::size_t number) {
    return eventually([&] { return count == number; });
  };
  EXPECT_TRUE(has_told(1));
  AcquireResult leads = election.campaign("one");
  ASSERT_TRUE(leads);
  EXPECT_TRUE(has_told(2));
  EXPECT_EQ(*election.proclaim(*leads, "two"), OwnerCheck::done);
  EXPECT_TRUE(has_told(3));
  EXPECT_EQ(*election.resign(*std::move(leads)), ReleaseOutcome::released);
  EXPECT_TRUE(has_told(4));
  AcquireResult again = election.campaign("three");
  ASSERT_TRUE(again);
  EXPECT_TRUE(has_told(5));
  { const Guard dropped = *std::move(again); }  // also a resignation
  EXPECT_TRUE(has_told(6));
  stop.request_stop();
  observer.join();
  EXPECT_THAT(told, ElementsAre("(none)", "one", "two", "(none)", "three", "(none)"));
}

TEST_P(Elections, ALeaderThatDiesIsMissedWhenItsLeaseEnds) {
  // Long enough that it is seen before it ends, on a busy machine and a slow disk.
  LockOptions options(Ttl(seconds{3}));
  options.renew = false;
  Election mortal(client, name(), options);
  const AcquireResult leads = mortal.campaign("mortal");
  ASSERT_TRUE(leads);
  std::stop_source stop;
  std::jthread limit([&](const std::stop_token& is_over) {
    static_cast<void>(eventually([&] { return is_over.stop_requested(); }));
    stop.request_stop();
  });
  EXPECT_EQ(value_of(observing.next_leader(stop.get_token())), "mortal");
  EXPECT_EQ(value_of(observing.next_leader(stop.get_token())), "(none)");
}

TEST_P(Elections, CandidatesLeadInTurnWithGrowingEpochs) {
  AcquireResult first = election.campaign("first");
  ASSERT_TRUE(first);
  Election candidate(other, name());
  std::optional<AcquireResult> second;
  std::thread waits([&] { second.emplace(candidate.campaign("second")); });
  std::this_thread::sleep_for(milliseconds{50});
  const FencingToken epoch = first->fencing();
  EXPECT_EQ(*election.resign(*std::move(first)), ReleaseOutcome::released);
  waits.join();
  ASSERT_TRUE(*second) << second->why_not();
  EXPECT_GT((*second)->fencing(), epoch);
  EXPECT_EQ(value_of(observing.leader()), "second");
}

// What was said by a leader that is gone tells nobody anything.
TEST_P(Elections, AHolderThatHasNotProclaimedItselfIsNoLeader) {
  {
    const AcquireResult leads = election.campaign("gone");
    ASSERT_TRUE(leads);
  }
  AcquireResult holder = other.acquire("deploy");
  ASSERT_TRUE(holder);
  EXPECT_EQ(value_of(observing.leader()), "(none)");
}

TEST_P(Elections, ALeaderThatHasLostItsLockProclaimsNothing) {
  AcquireResult leads = election.campaign("one");
  ASSERT_TRUE(leads);
  take_away();
  EXPECT_EQ(*election.proclaim(*leads, "two"), OwnerCheck::absent);
  AcquireResult next = other.acquire("deploy");
  ASSERT_TRUE(next);
  EXPECT_EQ(*election.proclaim(*leads, "two"), OwnerCheck::other);
  EXPECT_EQ(*election.resign(*std::move(leads)), ReleaseOutcome::not_holder);
  EXPECT_EQ(value_of(observing.leader()), "(none)");
}

TEST_P(Elections, ALeaderThatResignsLeavesNothingOfItsValue) {
  AcquireResult leads = election.campaign("one");
  ASSERT_TRUE(leads);
  EXPECT_EQ(*election.resign(*std::move(leads)), ReleaseOutcome::released);
  const auto left =
      test::ask(*store_, test::operation(OperationKind::get, leader_key(lock_key(name())).text()));
  EXPECT_TRUE(left && left->is_nil());
}

TEST_P(Elections, TasksCampaignAndObserve) {
  std::vector<std::string> told;
  const auto observe = [](Election* by, std::vector<std::string>* into) -> Task<void> {
    for (int times = 0; times < 4; ++times) {
      const auto leader = co_await by->next_leader_async();
      into->push_back(value_of(leader));
    }
  };
  const auto lead = [](Client* on, Election* by, std::vector<std::string>* seen) -> Task<void> {
    while (seen->empty()) co_await on->loop().sleep_until(on->loop().now() + milliseconds{1});
    AcquireResult leads = co_await by->campaign_async("one");
    EXPECT_TRUE(leads);
    const Result<OwnerCheck> said = co_await by->proclaim_async(*leads, "one");
    EXPECT_EQ(*said, OwnerCheck::done);
    while (seen->size() < 2) co_await on->loop().sleep_until(on->loop().now() + milliseconds{1});
    const auto leader = co_await by->leader_async();
    EXPECT_EQ(value_of(leader), "one");
    const Result<ReleaseOutcome> released = co_await by->resign_async(*std::move(leads));
    EXPECT_EQ(*released, ReleaseOutcome::released);
    while (seen->size() < 3) co_await on->loop().sleep_until(on->loop().now() + milliseconds{1});
    AcquireResult again = co_await by->campaign_async("two");
    EXPECT_TRUE(again);
    while (seen->size() < 4) co_await on->loop().sleep_until(on->loop().now() + milliseconds{1});
  };
  Election tasks(client, name());
  client.spawn(observe(&tasks, &told));
  client.wait_for(lead(&client, &tasks, &told));
  EXPECT_THAT(told, ElementsAre("(none)", "one", "(none)", "two"));
}

TEST_P(Elections, ATaskThatObservesIsCancelled) {
  std::stop_source stop;
  const auto observe = [](Election* by, std::stop_token until) -> Task<Errc> {
    static_cast<void>(co_await by->next_leader_async(until));
    const auto cancelled = co_await by->next_leader_async(until);
    co_return cancelled ? Errc::unavailable : cancelled.error().code();
  };
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds{50});
    stop.request_stop();
  });
  EXPECT_EQ(client.wait_for(observe(&election, stop.get_token())), Errc::cancelled);
  stopper.join();
}

TEST_P(Elections, OneCallAtATimeWaits) {
  EXPECT_TRUE(observing.next_leader());
  std::stop_source stop;
  const auto is_refused = [](const auto& leader) {
    return failed_with(leader, Errc::invalid_argument);
  };
  std::thread waits([&] {
    // Refused only while the other thread looks whether this one waits.
    Result<std::optional<Leader>> leader = observing.next_leader(stop.get_token());
    while (is_refused(leader)) leader = observing.next_leader(stop.get_token());
    EXPECT_TRUE(failed_with(leader, Errc::cancelled));
  });
  // A call that would wait is cancelled at once.
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_TRUE(eventually([&] { return is_refused(observing.next_leader(stopped.get_token())); }));
  stop.request_stop();
  waits.join();
}

TEST_P(Elections, TheEndOfTheClientEndsTheWaits) {
  auto mortal = std::make_unique<Client>(backend_);
  auto observes = std::make_unique<Election>(*mortal, name());
  EXPECT_TRUE(observes->next_leader());
  const AcquireResult held = client.acquire("deploy");
  std::thread waits([&] { EXPECT_TRUE(failed_with(observes->next_leader(), Errc::cancelled)); });
  std::thread campaigns([&] {
    const AcquireResult leads = observes->campaign("x");
    EXPECT_TRUE(leads.error() != nullptr && leads.error()->code() == Errc::cancelled);
  });
  std::this_thread::sleep_for(milliseconds{50});
  mortal.reset();
  waits.join();
  campaigns.join();
  observes.reset();
}

TEST_P(Elections, AGuardOfAnotherLockIsNoLeadership) {
  Guard guard = *client.acquire("another");
  EXPECT_TRUE(failed_with(election.proclaim(guard, "x"), Errc::invalid_argument));
  EXPECT_TRUE(failed_with(election.resign(std::move(guard)), Errc::invalid_argument));
}

TEST_P(Elections, WhileGuardsShareTheLeadershipItGoesOn) {
  AcquireResult leads = election.campaign("one");
  ASSERT_TRUE(leads);
  EXPECT_EQ(*election.resign(leads->share()), ReleaseOutcome::released);
  EXPECT_EQ(value_of(observing.leader()), "one");
  EXPECT_EQ(*election.resign(*std::move(leads)), ReleaseOutcome::released);
  EXPECT_EQ(value_of(observing.leader()), "(none)");
}

TEST_P(Elections, AGuardThatWasReleasedProclaimsNothing) {
  LockOptions stays;
  stays.at_least = std::chrono::hours{1};
  Election lasting(client, name(), stays);
  AcquireResult leads = lasting.campaign("one");
  ASSERT_TRUE(leads);
  static_cast<void>(leads->release());
  EXPECT_EQ(*lasting.proclaim(*leads, "two"), OwnerCheck::other);
  EXPECT_EQ(value_of(observing.leader()), "one");
}

TEST_P(Elections, CallsOnTheWrongThreadAreRefused) {
  const auto block = [](Election* by) -> Task<void> {
    EXPECT_TRUE(failed_with(by->leader(), Errc::invalid_argument));
    EXPECT_TRUE(failed_with(by->next_leader(), Errc::invalid_argument));
    EXPECT_EQ(by->campaign("x").error()->code(), Errc::invalid_argument);
    co_return;
  };
  client.wait_for(block(&election));
  EXPECT_TRUE(failed_with(run(election.leader_async()), Errc::invalid_argument));
  EXPECT_TRUE(failed_with(run(election.next_leader_async()), Errc::invalid_argument));
}

INTERLOCK_FOR_EACH_STORE(Elections);

}  // namespace
}  // namespace interlock
