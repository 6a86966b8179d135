// Every step of small worlds, as words and as one line: no two that are possible at one time are
// written alike, and every run of so many steps is replayed as it was.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"

namespace interlock::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Key key("k");

std::vector<std::uint32_t> codes(const Run& run) {
  std::vector<std::uint32_t> all;
  for (const RunStep& step : run.steps) all.push_back(step.code);
  return all;
}

void expect_replayed(const Scenario& scenario, const Run& run) {
  const std::string text = print(make_schedule(run));
  const Result<Schedule> schedule = parse_schedule(text);
  ASSERT_TRUE(schedule) << schedule.error().detail() << text;
  const Result<Run> again = replay(scenario, *schedule);
  ASSERT_TRUE(again) << again.error().detail() << text;
  EXPECT_EQ(codes(*again), codes(run)) << text;

  const std::string line = print_short(run);
  const Result<ShortSchedule> brief = parse_short(line);
  ASSERT_TRUE(brief) << brief.error().detail() << line;
  const Result<Run> once_more = replay(scenario, *brief);
  ASSERT_TRUE(once_more) << once_more.error().detail() << line;
  EXPECT_EQ(codes(*once_more), codes(run)) << line;
}

// Returns how many steps there are after `taken`.
std::size_t look(const Scenario& scenario, const std::vector<std::uint32_t>& taken) {
  Simulation simulation(scenario);
  for (const std::uint32_t code : taken) EXPECT_TRUE(simulation.take(code));
  std::set<std::string> words;
  std::set<std::string> marks;
  const std::vector<RunStep> choices = simulation.choices();
  for (const RunStep& step : choices) {
    Run run = simulation.run();
    run.steps.push_back(step);
    const ScheduleStep last = make_schedule(run).steps.back();
    const std::string line = last.mover + " " + last.action + " -> " + last.reply;
    EXPECT_TRUE(words.insert(line).second) << "twice: " << line;
    EXPECT_TRUE(marks.insert(print_short(step)).second) << "twice: " << print_short(step);
    expect_replayed(scenario, run);
  }
  return choices.size();
}

// Every so many steps it goes another way, until it has been everywhere that few steps lead to.
void look_at_all(const Scenario& scenario, std::size_t depth) {
  std::vector<std::vector<std::uint32_t>> paths{{}};
  for (std::size_t length = 0; length < depth; ++length) {
    std::vector<std::vector<std::uint32_t>> longer;
    for (const std::vector<std::uint32_t>& path : paths) {
      look(scenario, path);
      if (::testing::Test::HasFailure()) return;
      Simulation simulation(scenario);
      for (const std::uint32_t code : path) EXPECT_TRUE(simulation.take(code));
      for (const RunStep& step : simulation.choices()) {
        longer.push_back(path);
        longer.back().push_back(step.code);
      }
    }
    paths = std::move(longer);
  }
}

Task<void> listens(Client& me, std::size_t server) {
  const Channel channel("c");
  const Result<SubscriptionId> ear = co_await me.store(server).subscribe(channel);
  if (!ear) co_return;
  const TimePoint until = me.time().now() + seconds{1};
  static_cast<void>(co_await me.store(server).await_message(*ear, until));
}
Task<void> publishes(Client& me, std::size_t server) {
  const Channel channel("c");
  const std::string message = "m";
  static_cast<void>(co_await me.store(server).publish(channel, message));
}

TEST(ScheduleSteps, WithServersThatFailAndClocksThatAreSet) {
  Scenario scenario("servers");
  scenario.servers(2)
      .client([](Client& me) { return listens(me, 1); })
      .initially(key, Entry("v"), 0)
      .initially(key, Entry("v"), 1)
      .initially(Key("other"), Entry("v"), 1)
      .instants(2)
      .faults(FaultBudget::any(2));
  look_at_all(scenario, 3);
}

// The server is away for a millisecond: the key whose time is over ends in the same step.
TEST(ScheduleSteps, WithAKeyThatIsEvictedWhileAnotherEnds) {
  Scenario scenario("evicted");
  scenario.client([](Client& me) { return publishes(me, 0); })
      .initially(Key("ends"), Entry("v", milliseconds{1000}))
      .initially(Key("evicted"), Entry("v"))
      .instants(2)
      .faults(FaultBudget().allow(Fault::eviction));
  look_at_all(scenario, 3);
}

TEST(ScheduleSteps, WithMessagesThatAreLostToOneOfTwo) {
  Scenario scenario("messages");
  scenario.client([](Client& me) { return listens(me, 0); })
      .client([](Client& me) { return listens(me, 0); })
      .client([](Client& me) { return publishes(me, 0); })
      .faults(FaultBudget().allow(Fault::lost_message));
  look_at_all(scenario, 4);
}

TEST(ScheduleSteps, WithAnswersThatAreOnTheirWay) {
  Scenario scenario("looked at");
  scenario.client([](Client& me) { return listens(me, 0); })
      .client([](Client& me) { return publishes(me, 0); })
      .faults(FaultBudget().allow(Fault::unreachable).allow(Fault::lost_reply))
      .require(always("anything", [](const Snapshot&) { return true; }));
  look_at_all(scenario, 4);
}

Task<void> draws_and_sets(Client& me) {
  const std::string first = std::to_string(me.choose(3));
  static_cast<void>(co_await me.store().set(key, first));
  const std::string second = std::to_string(me.choose(3));
  static_cast<void>(co_await me.store().set(key, second));
}
Task<void> sets_beside(Client& me) {
  const auto beside = [](Client* one) -> Task<void> {
    static_cast<void>(co_await one->store().set(Key("beside"), "v"));
  };
  me.spawn("beside", beside(&me));
  static_cast<void>(co_await me.store().set(key, "v"));
  co_await me.joined();
}

TEST(ScheduleSteps, WithChoicesAndTasksAndRequestsThatAreLate) {
  Scenario scenario("choices");
  scenario.client(draws_and_sets)
      .client(sets_beside)
      .faults(FaultBudget().allow(Fault::late_execution, 2).allow(Fault::duplicate));
  look_at_all(scenario, 3);
}

Task<void> writes_twice(Client& me) {
  for (const std::uint64_t token : {1U, 2U}) {
    const FencingToken fencing(token);
    static_cast<void>(co_await me.write("resource", fencing));
  }
}

TEST(ScheduleSteps, WithWritesThatAreLateAndReplicasThatLag) {
  Replica replica;
  replica.missed_writes = 2;
  Scenario scenario("writes");
  scenario.client(writes_twice)
      .client(draws_and_sets)
      .faults(FaultBudget()
                  .allow(Fault::lost_write)
                  .allow(Fault::late_write, 2)
                  .allow(Fault::duplicate_write)
                  .allow(Fault::failover)
                  .let_requests_survive())
      .replica(replica);
  look_at_all(scenario, 4);
}

}  // namespace
}  // namespace interlock::sim
