// What is said of steps that are not possible, compared with the steps that are: in all states of
// small scenarios, each step that a caller may expect is either possible or refused with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/fault_text.hpp"
#include "interlock/sim/simulation.hpp"
#include "run/expected_steps.hpp"
#include "run/possible_steps.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

using Components = std::array<std::uint32_t, WideState::components>;

Components components_of(const WideState& state) {
  Components all{};
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = state[at];
  return all;
}

// For each kind of fault, everything that it may happen to.
std::size_t targets(const Scenario& scenario) {
  const std::size_t clients = scenario.processes().size();
  std::size_t count = 0;
  for (const FaultKind& kind : fault_table) {
    switch (kind.target) {
      case FaultTarget::client:
      case FaultTarget::request:
        count += clients;
        break;
      case FaultTarget::server:
        count += scenario.servers();
        break;
      case FaultTarget::clock:
        count += clients + scenario.servers();
        break;
      case FaultTarget::world:
        count += 1;
    }
  }
  return count;
}

// What the steps of a state come to: empty if all is as it should be.
std::string mistake(const Scenario& scenario, Engine& engine, const WideState& state) {
  std::map<std::uint32_t, std::size_t> named;
  std::size_t faults = 0;
  std::set<std::size_t> clients;
  for (const ExpectedStep& step : expected_steps(engine, state)) {
    const std::string what = step.fault ? std::string(to_string(*step.fault)) : "a step";
    if (step.is_possible() == !step.why_not.empty()) {
      return what + (step.is_possible() ? " is possible and refused: " + step.why_not
                                        : " is neither possible nor refused");
    }
    for (const std::uint32_t code : step.codes) ++named[code];
    faults += step.fault ? 1 : 0;
    if (step.is_own()) clients.insert(*step.client);
  }
  if (faults != targets(scenario)) return "there are " + std::to_string(faults) + " faults";
  if (clients.size() != scenario.processes().size()) return "a client's own step is missing";
  const std::vector<BriefStep> possible = possible_steps<Transition>(engine, state);
  for (const BriefStep& step : possible) {
    const std::uint32_t code = step.detail.action.code();
    if (named[code] != 1) return "a step is named " + std::to_string(named[code]) + " times";
  }
  return named.size() == possible.size() ? "" : "a step is named that is not possible";
}

class SmallWorld {
 public:
  const char* scenario;
  const char* faults;
  const char* clients;
  const char* instants;
};

// The states that are found first, breadth first.
class EachState : public ::testing::TestWithParam<SmallWorld> {
 protected:
  static constexpr std::size_t most = 6'000;

  void SetUp() override {
    const SmallWorld& world = GetParam();
    Result<Scenario> built = catalogue::build(
        world.scenario,
        {{"faults", world.faults}, {"clients", world.clients}, {"instants", world.instants}});
    ASSERT_TRUE(built) << built.error().detail();
    scenario_ = std::move(*built);
    engine_.emplace(scenario_, Limits());
    frontier_.push_back(engine_->initial<WideState>());
    seen_.insert(components_of(frontier_.front()));
  }

  template <class Visit>
  void each(Visit visit) {
    for (std::size_t visited = 0; !frontier_.empty() && visited < most; ++visited) {
      const WideState state = frontier_.front();
      frontier_.pop_front();
      visit(state);
      if (HasFatalFailure()) return;
      for (const BriefStep& step : possible_steps<Transition>(*engine_, state)) {
        if (seen_.insert(components_of(step.next)).second) frontier_.push_back(step.next);
      }
    }
  }

  Scenario scenario_{"none"};
  std::optional<Engine> engine_;
  std::deque<WideState> frontier_;
  std::set<Components> seen_;
};

TEST_P(EachState, SaysOfEachStepThatItIsPossibleOrWhyNot) {
  std::size_t states = 0;
  each([&](const WideState& state) {
    ASSERT_EQ(mistake(scenario_, *engine_, state), "") << "state " << states;
    ++states;
  });
  EXPECT_GT(states, 10U);
}

INSTANTIATE_TEST_SUITE_P(
    Worlds,
    EachState,
    ::testing::Values(SmallWorld{"del-setnx-lock", "none", "2", "2"},
                      SmallWorld{"del-setnx-lock", "crash", "2", "2"},
                      SmallWorld{"stamp-lock", "2", "2", "2"},
                      SmallWorld{"stamp-lock", "2/crash,clock-back:2,drift,pause:2", "2", "3"},
                      SmallWorld{"lease-lock", "2", "2", "3"},
                      SmallWorld{"lease-lock-renewed", "1/crash,lost-reply,duplicate", "2", "4"},
                      SmallWorld{"queue-lock", "1", "2", "3"},
                      SmallWorld{"queue-lock", "2/restart,lost-message,pause:1", "2", "3"},
                      SmallWorld{"lease-lock", "1/restart,failover,eviction", "2", "endless"}));

// --- the reasons ---------------------------------------------------------------------------------

Task<void> asks_once(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
}

Task<void> asks_twice(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
  static_cast<void>(co_await me.store().get(Key("k")));
}

Task<void> sleeps(Client& me) {
  co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{2});
}

Task<void> waits_for_a_message(Client& me) {
  const Result<SubscriptionId> ear = co_await me.store().subscribe(Channel("bell"));
  if (!ear) co_return;
  static_cast<void>(co_await me.store().await_message(*ear, TimePoint::max()));
}

Task<void> rings(Client& me) {
  static_cast<void>(co_await me.store().publish(Channel("bell"), "now"));
}

Scenario one(const Program& program, const FaultBudget& faults = {}) {
  Scenario scenario("one");
  scenario.client(program).instants(3).faults(faults);
  return scenario;
}

// Why a fault of the first client or server, or, without one, its own step, is not possible.
std::string why_not(Simulation& simulation, std::optional<Fault> fault = std::nullopt) {
  for (const ExpectedStep& step : simulation.expected_steps()) {
    if (step.fault != fault || step.late) continue;
    if (fault || step.is_own()) return step.why_not;
  }
  return "it is not expected";
}

std::string why_no_time(Simulation& simulation) {
  for (const ExpectedStep& step : simulation.expected_steps()) {
    if (!step.fault && !step.client) return step.why_not;
  }
  return "it is not expected";
}

void take_first(Simulation& simulation, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    ASSERT_FALSE(simulation.choices().empty());
    ASSERT_TRUE(simulation.take(simulation.choices().front().code));
  }
}

TEST(ExpectedSteps, AClientThatSleepsSaysForHowLong) {
  Simulation simulation(one(sleeps));
  take_first(simulation, 1);
  EXPECT_EQ(why_not(simulation), "sleeps: time must pass first, 2000 ms");
  take_first(simulation, 1);
  EXPECT_EQ(why_not(simulation), "sleeps: time must pass first, 1000 ms");
}

TEST(ExpectedSteps, AClientThatHasEndedSaysHow) {
  Simulation done(one(asks_once, FaultBudget().allow(Fault::crash)));
  take_first(done, 1);
  EXPECT_EQ(why_not(done), "is done: its program has ended");
  EXPECT_EQ(why_not(done, Fault::crash), "A is done: its program has ended");
  Simulation crashed(one(sleeps, FaultBudget().allow(Fault::crash)));
  EXPECT_EQ(why_not(crashed, Fault::crash), "A has not started");
  take_first(crashed, 1);
  for (const RunStep& step : crashed.choices()) {
    if (step.fault == Fault::crash) {
      ASSERT_TRUE(crashed.take(step.code));
    }
  }
  EXPECT_EQ(why_not(crashed), "has crashed and will never move again");
}

TEST(ExpectedSteps, AWaitForAMessageSaysWhatEndsIt) {
  Simulation simulation(one(waits_for_a_message));
  take_first(simulation, 1);
  EXPECT_EQ(why_not(simulation), "waits for a message: somebody must send one");
}

TEST(ExpectedSteps, TheBudgetSaysWhatIsUsedUp) {
  Simulation none(one(asks_once));
  EXPECT_EQ(why_not(none, Fault::crash), "no fault is allowed in this scenario");
  Simulation other(one(asks_once, FaultBudget().allow(Fault::drift)));
  EXPECT_THAT(why_not(other, Fault::crash), HasSubstr("not among the faults of this scenario"));
  Simulation used(one(sleeps, FaultBudget().allow(Fault::drift).allow(Fault::crash)));
  for (const RunStep& step : used.choices()) {
    if (step.fault == Fault::drift) {
      ASSERT_TRUE(used.take(step.code));
      break;
    }
  }
  EXPECT_THAT(why_not(used, Fault::drift), HasSubstr("none of this kind is left"));
  Simulation last(one(sleeps, FaultBudget::any(1)));
  for (const RunStep& step : last.choices()) {
    if (step.fault == Fault::drift) {
      ASSERT_TRUE(last.take(step.code));
      break;
    }
  }
  EXPECT_THAT(why_not(last, Fault::drift), HasSubstr("no fault is left"));
}

TEST(ExpectedSteps, TimeSaysWhyItDoesNotPass) {
  Simulation free(one(sleeps));
  EXPECT_EQ(why_no_time(free), "");
  EXPECT_THAT(why_not(free, Fault::pause), HasSubstr("without a fault"));
  Simulation counted(one(sleeps, FaultBudget().pauses(0)));
  take_first(counted, 1);
  EXPECT_EQ(why_no_time(counted), "");
  Simulation busy(one(asks_twice, FaultBudget().pauses(0)));
  take_first(busy, 1);
  EXPECT_THAT(why_no_time(busy), HasSubstr("time passes only when nobody can move"));
  EXPECT_EQ(why_not(busy, Fault::pause), "no fault is allowed in this scenario");
  Simulation slow(one(asks_twice, FaultBudget().pauses(1)));
  take_first(slow, 1);
  EXPECT_EQ(why_not(slow, Fault::pause), "");
  Simulation still(one(asks_once).instants(1));
  EXPECT_EQ(why_no_time(still), "time stands still in this scenario");
  take_first(still, 1);
  EXPECT_EQ(why_no_time(still), "everybody is done");
}

TEST(ExpectedSteps, ARequestThatCannotGoWrongSaysWhy) {
  Simulation sleeper(one(sleeps, FaultBudget::any(1)));
  take_first(sleeper, 1);
  EXPECT_EQ(why_not(sleeper, Fault::lost_reply), "A asks the store for nothing now");
  EXPECT_EQ(why_not(sleeper, Fault::eviction), "there is no key to drop");
  Simulation asker(one(asks_once, FaultBudget::any(1)));
  EXPECT_EQ(why_not(asker, Fault::lost_message), "A sends no message by its request");
  Simulation ringer(one(rings, FaultBudget::any(1)));
  EXPECT_EQ(why_not(ringer, Fault::lost_message), "no client has subscribed");
  Simulation ear(one(waits_for_a_message, FaultBudget::any(1)));
  EXPECT_THAT(why_not(ear, Fault::lost_reply), HasSubstr("subscribes, unsubscribes or waits"));
}

TEST(ExpectedSteps, AScenarioWithAMistakeHasNone) {
  Simulation simulation(Scenario("without time").client(asks_once).instants(0));
  EXPECT_TRUE(simulation.expected_steps().empty());
}

}  // namespace
}  // namespace interlock::sim
