// The line of bounds beside a verdict: if two scenarios are searched differently, their lines
// differ, and the line names all on which a verdict rests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interlock/sim/catalogue/queue_lock.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/fault_text.hpp"
#include "interlock/sim/memory_bound.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* lock = "lock";

Task<void> does_nothing(Client& me) {
  static_cast<void>(co_await me.store().get(Key("k")));
}

Scenario plain(std::size_t clients = 2) {
  Scenario scenario("plain");
  scenario.clients(clients, does_nothing)
      .require(always("anything", [](const Snapshot&) { return true; }))
      .require(owner_only("k"));
  return scenario;
}

FaultBudget budget(const char* text) {
  return *parse_faults(text);
}

Replica replica(std::size_t missed_writes, int instants_ahead) {
  Replica replica;
  replica.missed_writes = missed_writes;
  replica.instants_ahead = instants_ahead;
  return replica;
}

std::vector<Scenario> different_ones() {
  std::vector<Scenario> all{plain(), plain(1), plain(3)};
  const auto add = [&all](const std::function<void(Scenario&)>& change) {
    change(all.emplace_back(plain()));
  };
  add([](Scenario& it) { it.symmetry(false); });
  add([](Scenario& it) { it.client(does_nothing); });
  add([](Scenario& it) { it.servers(2); });
  add([](Scenario& it) { it.bounded_by("2 attempts each"); });
  add([](Scenario& it) { it.instants(1, milliseconds{500}); });
  add([](Scenario& it) { it.instants(2); });
  add([](Scenario& it) { it.instants(3); });
  add([](Scenario& it) { it.instants(3, milliseconds{500}); });
  add([](Scenario& it) { it.instants(3, std::chrono::microseconds{1500}); });
  add([](Scenario& it) { it.clocks_start_at(seconds{100}); });
  add([](Scenario& it) { it.instants(3).clocks_start_at(seconds{100}); });
  add([](Scenario& it) { it.instants(2).time_without_end(seconds{2}); });
  add([](Scenario& it) { it.instants(2).time_without_end(seconds{3}); });
  add([](Scenario& it) { it.instants(2, milliseconds{500}).time_without_end(seconds{3}); });
  for (const char* faults :
       {"pause:0", "pause", "pause:2", "crash", "crash:2", "restart", "1/crash,restart",
        "crash,restart", "pause:0,crash", "pause,crash", "1/pause,crash", "1", "2"}) {
    add([=](Scenario& it) { it.faults(budget(faults)); });
  }
  for (const std::size_t missed : {0U, 1U, 2U, 7U}) {
    for (const int ahead : {-1, 0, 1}) {
      add([=](Scenario& it) { it.faults(budget("failover")).replica(replica(missed, ahead)); });
    }
  }
  add([](Scenario& it) { it.faults(budget("pause:0")).late_arrivals_are_pauses(); });
  const auto any = [](const StepView&) { return true; };
  for (const FairSteps& steps : {steps_of(0), steps_of(1), steps_of_time(), steps_called("x", any),
                                 steps_called("y", any)}) {
    for (const Fairness fairness : {Fairness::none, Fairness::weak, Fairness::strong}) {
      // That of a client and of time is weak anyway.
      if (fairness == Fairness::weak && steps.kind != FairSteps::Which::named) continue;
      add([=](Scenario& it) {
        it.require(every_waiter_acquires("lock")).fairness(fairness, steps);
      });
    }
  }
  add([](Scenario& it) { it.allow_deadlock(); });
  add([](Scenario& it) { it.require_only({PropertyKind::owner_only}); });
  add([](Scenario& it) { it.require_only({PropertyKind::deadlock}); });
  add([](Scenario& it) { it.require_only({PropertyKind::owner_only, PropertyKind::deadlock}); });
  return all;
}

TEST(Bounds, DifferInTheirTextWhereverTheyDiffer) {
  std::map<std::string, std::size_t> seen;
  const std::vector<Scenario> all = different_ones();
  for (std::size_t at = 0; at < all.size(); ++at) {
    const auto [other, is_new] = seen.try_emplace(all[at].bounds(), at);
    EXPECT_TRUE(is_new) << other->second << " and " << at << ": " << other->first;
  }
}

TEST(Bounds, HaveOneTextHoweverTheyWereWritten) {
  const auto text = [](const FaultBudget& faults) { return plain().faults(faults).bounds(); };
  EXPECT_EQ(text(FaultBudget().allow(Fault::crash)),
            text(FaultBudget().allow(Fault::crash, 5).at_most(1)));
  EXPECT_EQ(text(FaultBudget()), text(FaultBudget().at_most(3)));
  EXPECT_EQ(text(FaultBudget().allow(Fault::crash).allow(Fault::restart)),
            text(FaultBudget().allow(Fault::restart).allow(Fault::crash).at_most(2)));
}

TEST(Bounds, OfFaultsThatMayNotHappenAreThoseOfNone) {
  const FaultBudget kinds = FaultBudget()
                                .allow(Fault::failover)
                                .allow(Fault::drift)
                                .allow(Fault::late_execution)
                                .at_most(0);
  const auto searched = [](const FaultBudget& faults) {
    Scenario scenario =
        catalogue::queue_lock_scenario(2, catalogue::queue_client_options(), 3, Duration{0});
    return explore(scenario.faults(faults));
  };
  const Verdict none = searched(FaultBudget());
  const Verdict of_kinds = searched(kinds);
  EXPECT_EQ(of_kinds.bounds, none.bounds);
  EXPECT_EQ(of_kinds.states, none.states);
  EXPECT_EQ(of_kinds.transitions, none.transitions);
}

TEST(Bounds, HaveOneTextHoweverTheSamePropertiesAreChosen) {
  using Kind = PropertyKind;
  const auto text = [](const std::vector<Kind>& kinds, bool deadlock_allowed = false) {
    Scenario scenario = plain().offer(no_orphan(lock));
    if (deadlock_allowed) scenario.allow_deadlock();
    EXPECT_TRUE(scenario.require_only(kinds));
    return scenario.bounds();
  };
  EXPECT_EQ(text({Kind::deadlock, Kind::owner_only, Kind::predicate}), plain().bounds());
  EXPECT_EQ(text({Kind::predicate, Kind::owner_only}), plain().allow_deadlock().bounds());
  EXPECT_EQ(text({Kind::predicate, Kind::owner_only}, true), plain().allow_deadlock().bounds());
  EXPECT_EQ(text({Kind::no_orphan, Kind::predicate, Kind::no_orphan}),
            text({Kind::predicate, Kind::no_orphan}));
  EXPECT_EQ(text({Kind::no_orphan}, true), text({Kind::no_orphan}));
  EXPECT_NE(text({Kind::no_orphan, Kind::deadlock}), text({Kind::no_orphan}));
}

// A step that breaks two of them is told as the breach of the same one.
TEST(Bounds, PropertiesAreToldInOneOrderHoweverTheyAreChosen) {
  using Kind = PropertyKind;
  Scenario one = plain();
  Scenario other = plain();
  ASSERT_TRUE(one.require_only({Kind::deadlock, Kind::owner_only, Kind::predicate}));
  ASSERT_TRUE(other.require_only({Kind::predicate, Kind::deadlock, Kind::owner_only}));
  ASSERT_EQ(one.properties().size(), 3U);
  for (std::size_t at = 0; at < 3; ++at) {
    EXPECT_EQ(one.properties()[at].name, other.properties()[at].name);
    EXPECT_EQ(one.properties()[at].name, plain().properties()[at].name);
  }
}

TEST(Bounds, TellALimitToMemoryExactly) {
  constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
  EXPECT_EQ(memory_bound(400 * mebi), "at most 400 MiB of memory");
  EXPECT_EQ(memory_bound(400 * mebi + 1024), "at most 409601 KiB of memory");
  EXPECT_EQ(memory_bound(400 * mebi + 1), "at most 419430401 bytes of memory");
  EXPECT_EQ(memory_bound(1), "at most 1 byte of memory");
}

TEST(Bounds, TellALimitToMemoryWhereItEndedTheSearch) {
  Limits limits;
  limits.memory = std::uint64_t{1} << 30;
  const Verdict whole = explore(plain(), limits);
  EXPECT_THAT(whole.bounds, Not(HasSubstr("memory")));
  EXPECT_EQ(whole.memory_limit, 0U);
  limits.memory = 1;
  const Verdict verdict = explore(plain(), limits);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(verdict.memory_limit, 1U);
  EXPECT_THAT(verdict.bounds, HasSubstr(", at most 1 byte of memory"));
  EXPECT_THAT(verdict.reason, HasSubstr("the limit of 1 byte of memory was reached, with 1 state"));
}

TEST(Bounds, SayHowChanceWasAsked) {
  const auto text = [](const RandomSearch& how) {
    return search_at_random(plain(), how).verdict.bounds;
  };
  RandomSearch how;
  how.runs = 3;
  EXPECT_EQ(text(how), plain().bounds() + ", 3 random runs, seed 1");
  how.seed = 2;
  how.depth = 4;
  EXPECT_EQ(text(how), plain().bounds() + ", 3 random runs of 4 orderings, seed 2");
  how.steps = 9;
  EXPECT_EQ(text(how),
            plain().bounds() + ", 3 random runs of 4 orderings of at most 9 steps, seed 2");
}

TEST(Bounds, SayThatAPauseCountsEvenIfThereMayBeNone) {
  EXPECT_EQ(
      plain().instants(4).faults(FaultBudget().pauses(0)).bounds(),
      "2 identical clients, 4 instants 1000 ms apart, time passes only while no started client can "
      "move, no faults");
  EXPECT_THAT(plain().bounds(), Not(HasSubstr("time passes only")));
}

TEST(Bounds, SayWhichLimitsWereLowered) {
  Limits limits;
  EXPECT_THAT(explore(plain(), limits).bounds, Not(HasSubstr("at most")));
  limits.states = 50;
  limits.local_states = 1000;
  limits.program_steps = 20;
  EXPECT_THAT(explore(plain(), limits).bounds,
              HasSubstr(", at most 50 states, at most 1000 local states of a program, at most 20 "
                        "steps of a client"));
}

// --- late arrivals -------------------------------------------------------------------------------

// The lease ends while the client works: another that comes then gets the lock, too.
Task<void> overstays(Client& me) {
  const std::string value = "1";
  const Result<bool> taken =
      co_await me.store().set_if_absent(Key(lock), value, milliseconds{1'000});
  if (!taken || !*taken) co_return;
  me.enter(lock);
  const TimePoint later = me.time().now() + seconds{3};
  co_await me.time().sleep_until(later);
  co_await me.leave(lock);
}

TEST(LateArrivals, AreLookedAtWhereNobodyIsSlow) {
  Scenario scenario("overstays");
  scenario.clients(2, overstays)
      .instants(4)
      .faults(FaultBudget().pauses(0))
      .require(mutual_exclusion(lock));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.faults(), 0U);
}

TEST(LateArrivals, AreNoPauses) {
  Scenario scenario("overstays");
  scenario.clients(2, overstays)
      .instants(4)
      .faults(FaultBudget().pauses(1))
      .require(mutual_exclusion(lock));
  const Verdict verdict = explore(scenario);
  ASSERT_EQ(verdict.outcome, Outcome::violated);
  EXPECT_EQ(verdict.run.faults(), 0U) << describe(verdict.run);
}

TEST(LateArrivals, ArePausesWhereTheScenarioSaysSo) {
  const auto search = [](std::size_t pauses) {
    Scenario scenario("overstays");
    scenario.clients(2, overstays)
        .instants(4)
        .faults(FaultBudget().pauses(pauses))
        .late_arrivals_are_pauses()
        .require(mutual_exclusion(lock));
    return explore(scenario);
  };
  EXPECT_EQ(search(0).outcome, Outcome::proved) << describe(search(0).run);
  EXPECT_THAT(search(0).bounds, HasSubstr("while no client can move or begin"));
  EXPECT_EQ(search(2).outcome, Outcome::violated);
}

TEST(LateArrivals, AreLookedAtForTheFairLock) {
  Scenario scenario =
      catalogue::queue_lock_scenario(2, catalogue::queue_client_options(), 4, Duration{0});
  scenario.faults(FaultBudget().pauses(0));
  // The predicate must not say which of the identical clients comes late.
  scenario.require(always("all begin together", [](const Snapshot& now) {
    std::size_t late = 0;
    for (const ClientView& client : now.clients) {
      if (client.status == ClientView::Status::not_started) ++late;
    }
    return now.time == Duration{0} || late == 0 || late == now.clients.size();
  }));
  EXPECT_EQ(explore(scenario).property, "all begin together");
}

}  // namespace
}  // namespace interlock::sim
