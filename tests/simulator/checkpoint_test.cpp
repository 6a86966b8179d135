// A search that is interrupted and goes on later comes to the verdict of one that was not: the same
// run, figures and coverage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checkpoint_folder.hpp"
#include "counting_client.hpp"
#include "independent/as_scenario.hpp"
#include "independent/random_trial.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/checkpoint.hpp"
#include "interlock/sim/thread_team.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

TEST_F(CheckpointTest, GoesOnFromEachNumberOfStates) {
  expect_the_same_in_parts(stamps(2, 1, 2), 1'000'000);
  expect_the_same_in_parts(catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 2, 1, 1),
                           1'000'000);
}

TEST_F(CheckpointTest, GoesOnInEachScenarioOfTheCatalogue) {
  const std::uint64_t most = trials(3'000, 60'000);
  int searched = 0;
  for (const catalogue::CatalogueEntry& entry : catalogue::entries()) {
    const Result<Scenario> scenario = catalogue::build(entry.name, {});
    ASSERT_TRUE(scenario) << scenario.error().detail();
    Limits limits;
    limits.states = most;
    if (entry.slow || explore(*scenario, limits).states >= most) continue;
    expect_the_same_in_parts(*scenario, 2);
    ++searched;
  }
  EXPECT_GT(searched, 40);
}

Task<void> polls(Client& me) {
  const Key key("lock");
  const OwnerToken token = me.tokens().fresh();
  me.wants("lock");
  for (;;) {
    co_await me.loop_head(0);
    const Result<bool> taken =
        co_await me.store().set_if_absent(key, token.text(), std::chrono::seconds{3});
    if (taken && *taken) break;
    co_await me.loop_head(1);
    co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
  me.enter("lock");
  co_await me.leave("lock");
  co_await me.loop_head(2);
  static_cast<void>(co_await me.store().erase(key));
}

// The longest time is guessed, and each guess begins the search anew. Cycles are looked for at the
// end.
TEST_F(CheckpointTest, GoesOnWhereTimeHasNoEnd) {
  Scenario polling("polling");
  polling.clients(3, polls).time_without_end().require(every_waiter_acquires("lock"));
  Limits limits;
  limits.states = 200'000;
  const Verdict whole = explore(polling, limits);
  EXPECT_EQ(whole.outcome, Outcome::proved) << describe(whole);
  EXPECT_THAT(whole.bounds, HasSubstr("nothing longer than 3000 ms"));
  expect_the_same_in_parts(polling, 20, limits);
}

std::ptrdiff_t done_in(const Snapshot& world) {
  return std::count_if(world.clients.begin(), world.clients.end(), [](const ClientView& client) {
    return client.status == ClientView::Status::done;
  });
}

// Predicates are asked about states and steps in an order of their own.
TEST_F(CheckpointTest, GoesOnWithPredicatesOfTheUsersOwn) {
  const auto writes_the_lock = [](const StepView& step) {
    return step.before.keys.size() != step.after.keys.size();
  };
  // Only in the first step of a run.
  const auto begins = [](const StepView& step) {
    return step.client && std::ranges::all_of(step.before.clients, [](const ClientView& client) {
             return client.status == ClientView::Status::not_started;
           });
  };
  const auto moves = [](const StepView& step) { return step.client.has_value(); };
  for (const std::ptrdiff_t most : {2, 3}) {
    Scenario scenario = stamps(3, 1, 2);
    scenario.require(each_step("a client writes the lock", writes_the_lock, moves));
    scenario.require(each_step("a client begins before time passes", begins, moves));
    scenario.require(
        always("not all end", [most](const Snapshot& world) { return done_in(world) <= most; }));
    scenario.require(each_step(
        "A ends last", [](const StepView& step) { return done_in(step.after) == 3; },
        [most](const StepView& step) { return most == 2 || done_in(step.before) == 2; }));
    expect_the_same_in_parts(scenario, 6);
  }
}

// The same with faults, which are steps, too.
TEST_F(CheckpointTest, GoesOnWithPredicatesOfStepsThatAreFaults) {
  Scenario scenario = catalogue::lease_lock_scenario(2, catalogue::LeaseClientOptions(), 2);
  scenario.faults(FaultBudget().allow(Fault::crash).allow(Fault::restart));
  scenario.require(each_step(
      "a fault is a step", [](const StepView& step) { return step.fault.has_value(); },
      [](const StepView& step) { return step.after.faults > step.before.faults; }));
  expect_the_same_in_parts(scenario, 5);
}

TEST_F(CheckpointTest, GoesOnWithHistoriesOfAnObject) {
  Scenario scenario("counting");
  scenario.clients(3, counts).require(linearizable("it", sequential::counter()));
  scenario.faults(FaultBudget().allow(Fault::lost_reply).allow(Fault::restart_empty));
  expect_the_same_in_parts(scenario, 20);
  scenario.faults(FaultBudget().allow(Fault::lost_reply));
  expect_the_same_in_parts(scenario, 20);
}

// What happens by chance in them: faults, several servers, messages, properties that are broken.
TEST_F(CheckpointTest, GoesOnInRandomScenarios) {
  for (std::uint64_t seed = 1; seed <= trials(25, 400); ++seed) {
    for (const auto& draw : {independent::random_trial, independent::random_trial_with_incarnations,
                             independent::random_trial_with_restarts}) {
      const Scenario scenario = independent::as_scenario(draw(seed));
      Limits limits;
      limits.states = 3'000;
      limits.local_states = 50'000;
      expect_the_same_in_parts(scenario, 2, limits);
      if (HasFailure()) FAIL() << "seed " << seed;
    }
  }
}

// Levels of several blocks, and a team that is not the same each time.
TEST_F(CheckpointTest, GoesOnWithAnotherNumberOfThreads) {
  ThreadTeam team(2);
  for (const Scenario& scenario : {stamps(4, 1, 4), leases_with_faults()}) {
    const Verdict whole = explore(scenario);
    ASSERT_GT(whole.states, 20'000U);
    for (const bool team_first : {true, false}) {
      remove();
      Limits limits;
      for (std::uint64_t at = 5'000; at < whole.states; at += whole.states / 4) {
        limits.states = at;
        limits.team = team_first == (at % 2 == 0) ? &team : nullptr;
        ASSERT_TRUE(explore_resumable(scenario, limits, checkpoints(is_there())));
      }
      limits = Limits();
      limits.team = team_first ? nullptr : &team;
      EXPECT_EQ(said_by(explore_resumable(scenario, limits, checkpoints(true))), said_by(whole));
    }
  }
}

TEST_F(CheckpointTest, CountsTheViolationsOfAllParts) {
  Limits limits;
  limits.count_violations = true;
  expect_the_same_in_parts(catalogue::stamp_lock_scenario(catalogue::TakeOver::del_setnx, 3, 1, 1),
                           20, limits);
}

// The walk through a tree, whose nodes are more than 16 bits can number.
Task<void> walks_far(Client& me) {
  bool last = true;
  for (int left = 8; left > 0; --left) {
    last = me.choose(4) == 2 && last;
    static_cast<void>(co_await me.store().get(Key("any")));
  }
  me.reach("the last leaf", last);
}

TEST_F(CheckpointTest, GoesOnWithNumbersOf16And32Bits) {
  Scenario scenario("tree");
  scenario.client(walks_far).sometimes("the last leaf");
  scenario.require(never("anything else"));
  const std::string expected = said_by(explore(scenario));
  EXPECT_EQ(in_parts(scenario, {}, {80'000U}), expected);
  EXPECT_EQ(in_parts(scenario, {}, {20'000U, 80'000U, 120'000U}), expected);
}

// Whenever it is asked, and not only at the end: the file is complete, whatever happens then.
TEST_F(CheckpointTest, IsWrittenWhenItIsDue) {
  const Scenario scenario = stamps();
  const std::string expected = said_by(explore(scenario));
  Checkpoints often = checkpoints(false);
  std::vector<std::string> all;
  std::uint64_t states = 0;
  often.is_due = [] { return true; };
  often.tell = [&](const CheckpointNews& news) {
    EXPECT_EQ(news.failure, "");
    EXPECT_FALSE(news.at_end);
    EXPECT_GE(news.states, states);
    states = news.states;
    all.push_back(content());
  };
  EXPECT_EQ(said_by(explore_resumable(scenario, {}, often)), expected);
  ASSERT_GT(all.size(), 10U);
  for (const std::string& one : all) {
    write(one);
    EXPECT_EQ(said_by(explore_resumable(scenario, {}, checkpoints(true))), expected);
  }
}

TEST_F(CheckpointTest, IsWrittenWhenTheCallerEndsTheSearch) {
  const Scenario scenario = stamps();
  const std::string expected = said_by(explore(scenario));
  for (int calls = 1; calls < 12; ++calls) {
    remove();
    Limits limits;
    int left = calls;
    limits.proceed = [&left](const Progress&) { return --left > 0; };
    Checkpoints how = checkpoints(false);
    int told = 0;
    how.tell = [&told](const CheckpointNews& news) { told += news.at_end ? 1 : 0; };
    const Result<Verdict> part = explore_resumable(scenario, limits, how);
    ASSERT_TRUE(part);
    ASSERT_EQ(part->outcome, Outcome::incomplete);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(said_by(explore_resumable(scenario, {}, checkpoints(true))), expected) << calls;
  }
}

// While it goes back to its place, it can be ended, too: the file stays as it is.
TEST_F(CheckpointTest, MayBeInterruptedWhileItIsRead) {
  const Scenario scenario = stamps();
  Limits limits;
  limits.states = 200;
  std::vector<std::uint64_t> told;
  Checkpoints how = checkpoints(false);
  how.tell = [&told](const CheckpointNews& news) { told.push_back(news.states); };
  ASSERT_TRUE(explore_resumable(scenario, limits, how));
  ASSERT_TRUE(is_there());
  ASSERT_EQ(told.size(), 1U);
  EXPECT_GT(told[0], 100U);
  const std::string before = content();
  limits = Limits();
  limits.proceed = [](const Progress&) { return false; };
  how.resumed = file_;
  const Result<Verdict> ended = explore_resumable(scenario, limits, how);
  ASSERT_TRUE(ended) << ended.error().detail();
  EXPECT_EQ(ended->outcome, Outcome::incomplete);
  EXPECT_EQ(content(), before);
  EXPECT_EQ(told.back(), 0U) << "nothing was written";
  // What the search before has found is not lost.
  EXPECT_EQ(ended->states, told[0]);
  EXPECT_GT(ended->transitions, told[0]);
  EXPECT_GT(ended->depth, 1U);
}

TEST_F(CheckpointTest, SaysThatNothingIsKeptBeforeTheFirstStep) {
  Limits limits;
  limits.states = 0;
  std::vector<std::uint64_t> told;
  Checkpoints how = checkpoints(false);
  how.tell = [&told](const CheckpointNews& news) {
    EXPECT_TRUE(news.at_end);
    told.push_back(news.states);
  };
  ASSERT_TRUE(explore_resumable(stamps(), limits, how));
  EXPECT_EQ(told, std::vector<std::uint64_t>{0});
  EXPECT_FALSE(is_there());
}

TEST_F(CheckpointTest, TheLimitsOfMemoryWriteOne) {
  const Scenario scenario = leases_with_faults();
  Limits limits;
  limits.memory = 8 << 20;
  const Result<Verdict> part = explore_resumable(scenario, limits, checkpoints(false));
  ASSERT_TRUE(part);
  EXPECT_GT(part->memory_limit, 0U) << describe(*part);
  ASSERT_TRUE(is_there());
  // Not even what is there fits then.
  limits.memory = 1 << 20;
  const Result<Verdict> less = explore_resumable(scenario, limits, checkpoints(true));
  ASSERT_TRUE(less);
  EXPECT_GT(less->memory_limit, 0U);
  EXPECT_EQ(said_by(explore_resumable(scenario, {}, checkpoints(true))),
            said_by(explore(scenario)));
}

}  // namespace
}  // namespace interlock::sim
