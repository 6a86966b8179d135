// Runs whose steps a strategy of the user's chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/stamp_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/strategy.hpp"

namespace interlock::sim {
namespace {

using catalogue::stamp_lock_scenario;
using catalogue::TakeOver;
using testing::HasSubstr;

Scenario race() {
  return stamp_lock_scenario(TakeOver::del_setnx, 2, 1, 1);
}

// Goes through all runs, the first choices first.
class AllRuns final : public Strategy {
 public:
  bool begin_run(std::uint64_t run) override {
    depth_ = 0;
    if (run == 0) {
      path_.clear();
      return true;
    }
    while (!path_.empty() && path_.back().chosen + 1 == path_.back().of) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().chosen;
    return true;
  }
  std::size_t choose(const sim::Run& so_far, const std::vector<RunStep>& choices) override {
    EXPECT_EQ(so_far.steps.size(), depth_);
    if (depth_ == path_.size()) path_.push_back({0, choices.size()});
    EXPECT_EQ(path_[depth_].of, choices.size());
    return path_[depth_++].chosen;
  }

 private:
  class Choice {
   public:
    std::size_t chosen;
    std::size_t of;
  };
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
};

// One function for each step.
template <class Choose>
class By final : public Strategy {
 public:
  explicit By(Choose choose) : choose_(choose) {}
  bool begin_run(std::uint64_t) override { return true; }
  std::size_t choose(const sim::Run& so_far, const std::vector<RunStep>& choices) override {
    return choose_(so_far, choices);
  }

 private:
  Choose choose_;
};

TEST(Strategy, ThatGoesThroughAllRunsFindsWhatTheSearchFinds) {
  AllRuns all;
  const RandomVerdict found = search_by(race(), all);
  ASSERT_EQ(found.verdict.outcome, Outcome::violated) << found.verdict.reason;
  const Verdict searched = explore(race());
  EXPECT_EQ(found.verdict.property, searched.property);
  EXPECT_EQ(found.verdict.run.steps.back().violates, searched.property);
  const sim::Run shorter = shorten(race(), found.verdict.run);
  EXPECT_EQ(shorter.steps.size(), searched.run.steps.size());
  const Result<sim::Run> again = replay(race(), make_schedule(found.verdict.run));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(found.verdict.run));
}

TEST(Strategy, EndsTheSearchAndNothingIsProved) {
  AllRuns all;
  const Scenario alone = stamp_lock_scenario(TakeOver::del_setnx, 1, 1, 1);
  const RandomVerdict found = search_by(alone, all);
  EXPECT_EQ(found.verdict.outcome, Outcome::incomplete);
  EXPECT_GT(found.runs, 0U);
  EXPECT_THAT(found.verdict.reason, HasSubstr("1 run of a strategy broke nothing"));
  EXPECT_THAT(found.verdict.bounds, HasSubstr("runs of a strategy"));
}

TEST(Strategy, SeesWhatEachChoiceWouldDo) {
  // Goes where somebody enters, and then where somebody enters beside him.
  By greedy([](const sim::Run&, const std::vector<RunStep>& choices) {
    for (std::size_t at = 0; at < choices.size(); ++at) {
      if (!choices[at].violates.empty()) return at;
    }
    for (std::size_t at = 0; at < choices.size(); ++at) {
      if (choices[at].note.find("enters") != std::string::npos) return at;
    }
    return choices.size() - 1;
  });
  StrategySearch how;
  how.runs = 1;
  const RandomVerdict found = search_by(race(), greedy, how);
  EXPECT_EQ(found.runs, 1U);
  EXPECT_GT(found.longest, 0U);
}

TEST(Strategy, ThatChoosesWhatThereIsNotMakesTheVerdictInvalid) {
  By beyond([](const sim::Run&, const std::vector<RunStep>& choices) { return choices.size(); });
  const RandomVerdict found = search_by(race(), beyond);
  EXPECT_EQ(found.verdict.outcome, Outcome::invalid);
  EXPECT_THAT(found.verdict.reason,
              HasSubstr("the strategy chose number 2 at step 1, which has 2"));
  EXPECT_EQ(found.runs, 1U);
}

TEST(Strategy, ThatThrowsMakesTheVerdictInvalid) {
  By throws([](const sim::Run&, const std::vector<RunStep>&) -> std::size_t {
    throw std::runtime_error("no idea");
  });
  const RandomVerdict found = search_by(race(), throws);
  EXPECT_EQ(found.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(found.verdict.reason, "the strategy threw 'no idea' at step 1");

  class ThrowsAtTheBeginning final : public Strategy {
   public:
    bool begin_run(std::uint64_t) override { throw std::runtime_error("nothing to do"); }
    std::size_t choose(const sim::Run&, const std::vector<RunStep>&) override { return 0; }
  } at_the_beginning;
  const RandomVerdict begun = search_by(race(), at_the_beginning);
  EXPECT_EQ(begun.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(begun.verdict.reason, "the strategy threw 'nothing to do' when a run was to begin");
}

TEST(Strategy, KeepsToTheLimits) {
  By first([](const sim::Run&, const std::vector<RunStep>&) { return std::size_t{0}; });
  StrategySearch how;
  how.runs = 3;
  how.steps = 2;
  const RandomVerdict few = search_by(race(), first, how);
  EXPECT_EQ(few.runs, 3U);
  EXPECT_EQ(few.cut_off, 3U);
  EXPECT_EQ(few.steps, 6U);
  EXPECT_EQ(few.longest, 2U);
  how = StrategySearch();
  how.proceed = [](const RandomProgress& progress) { return progress.runs < 2; };
  EXPECT_THAT(search_by(race(), first, how).verdict.reason, HasSubstr("ended by its caller"));
}

TEST(Strategy, MayEndARunBeforeNothingMoreCanHappen) {
  By two_steps([](const sim::Run& so_far, const std::vector<RunStep>&) {
    return so_far.steps.size() < 2 ? std::size_t{0} : Strategy::end_of_run;
  });
  StrategySearch how;
  how.runs = 3;
  const RandomVerdict few = search_by(race(), two_steps, how);
  EXPECT_EQ(few.verdict.outcome, Outcome::incomplete) << few.verdict.reason;
  EXPECT_EQ(few.runs, 3U);
  EXPECT_EQ(few.cut_off, 0U);
  EXPECT_EQ(few.steps, 6U);
}

TEST(Strategy, DrivesASimulation) {
  By last([](const sim::Run& so_far, const std::vector<RunStep>& choices) {
    return so_far.steps.size() < 3 ? choices.size() - 1 : Strategy::end_of_run;
  });
  Simulation simulation(race());
  const Result<std::size_t> taken = simulation.follow(last);
  ASSERT_TRUE(taken) << taken.error().detail();
  EXPECT_EQ(*taken, 3U);
  EXPECT_EQ(simulation.run().steps.size(), 3U);
  By first([](const sim::Run&, const std::vector<RunStep>&) { return std::size_t{0}; });
  EXPECT_EQ(*simulation.follow(first, 4), 1U);
  EXPECT_GT(*simulation.follow(first), 1U);
  EXPECT_TRUE(simulation.choices().empty());
  EXPECT_EQ(*simulation.follow(first), 0U);
}

TEST(Strategy, ThatFailsEndsASimulationWithAnError) {
  By beyond([](const sim::Run& so_far, const std::vector<RunStep>& choices) {
    return so_far.steps.empty() ? 0 : choices.size() + 7;
  });
  Simulation simulation(race());
  const Result<std::size_t> beyond_all = simulation.follow(beyond);
  ASSERT_TRUE(failed_with(beyond_all, Errc::invalid_argument));
  EXPECT_THAT(beyond_all.error().detail(), HasSubstr("at step 2, which has"));
  EXPECT_EQ(simulation.run().steps.size(), 1U);
  By throws([](const sim::Run&, const std::vector<RunStep>&) -> std::size_t {
    throw std::runtime_error("no idea");
  });
  EXPECT_EQ(simulation.follow(throws).error().detail(), "the strategy threw 'no idea' at step 2");
}

TEST(Strategy, SeesAViolationAndMayGoOnBehindIt) {
  const Verdict searched = explore(race());
  const std::vector<RunStep>& wanted = searched.run.steps;
  By repeats([&](const sim::Run& so_far, const std::vector<RunStep>& choices) {
    if (so_far.steps.size() >= wanted.size()) return std::size_t{0};
    const auto at = std::find_if(choices.begin(), choices.end(), [&](const RunStep& step) {
      return step.code == wanted[so_far.steps.size()].code;
    });
    return static_cast<std::size_t>(at - choices.begin());
  });
  Simulation simulation(race());
  const Result<std::size_t> taken = simulation.follow(repeats);
  ASSERT_TRUE(taken) << taken.error().detail();
  EXPECT_EQ(simulation.run().steps[wanted.size() - 1].violates, searched.property);
  EXPECT_GT(*taken, wanted.size());
}

TEST(Strategy, IsNotAskedAboutAScenarioWithAMistake) {
  By asked([](const sim::Run&, const std::vector<RunStep>&) -> std::size_t {
    ADD_FAILURE();
    return 0;
  });
  EXPECT_EQ(search_by(Scenario("empty"), asked).verdict.outcome, Outcome::invalid);
}

}  // namespace
}  // namespace interlock::sim
