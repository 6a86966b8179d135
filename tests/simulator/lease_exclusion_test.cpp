// Exclusion among holders who keep to their lease: a belief that has an end. What counts is each
// client's own clock, and a holder that is paused past its lease hides nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/generators.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/run_of_choices.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/testing.hpp"

namespace interlock::sim {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Key key("lock");
// Its end lies between two instants, so that lease and key end at the same one.
constexpr milliseconds ttl{2'500};

// SET NX PX, and a release that compares: what a client of it may do wrong.
class Holder {
 public:
  Holder() = default;
  bool counts_from_reply = false;  // the lease begins when the answer is there
  bool gives_end = true;
  OwnClock clock = OwnClock::time;
  std::optional<milliseconds> expiry = ttl;  // of the key
  bool blind = false;                        // deletes whatever is there
  int renewals = 0;
  bool renews_in_store = true;
  Duration belief = ttl;
};

TimeSource& clock_of(Client& me, OwnClock clock) {
  return clock == OwnClock::time ? me.time() : me.wall_clock();
}

Task<void> hold_once(Client& me, Holder how) {
  const OwnerToken token = me.tokens().fresh();
  TimePoint sent = clock_of(me, how.clock).now();
  const Result<bool> taken = co_await me.store().set_if_absent(key, token.text(), how.expiry);
  if (!taken || !*taken) co_return;
  if (how.counts_from_reply) sent = clock_of(me, how.clock).now();
  if (how.gives_end) {
    me.enter("lock", FencingToken(), sent + how.belief, how.clock);
  } else {
    me.enter("lock");
  }
  for (int left = how.renewals; left > 0; --left) {
    sent = clock_of(me, how.clock).now();
    if (how.renews_in_store) {
      const Result<OwnerCheck> renewed = co_await me.store().renew(key, token, Ttl(ttl));
      if (!renewed || *renewed != OwnerCheck::done) break;
    } else {
      static_cast<void>(co_await me.store().get(key));
    }
    me.believes_until("lock", sent + how.belief, how.clock);
  }
  co_await me.leave("lock");
  if (how.blind) {
    static_cast<void>(co_await me.store().erase(key));
  } else {
    static_cast<void>(co_await me.store().release(key, token));
  }
}

Scenario holders(const Holder& how, std::size_t clients = 2, std::size_t instants = 5) {
  Scenario scenario("holders");
  scenario.clients(clients, [how](Client& me) { return hold_once(me, how); })
      .clocks_start_at(seconds{100})
      .instants(instants)
      .require(lease_exclusion("lock"));
  return scenario;
}

void expect_broken(const Verdict& verdict) {
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "exclusion within leases of lock") << describe(verdict.run);
}

Verdict searched(const Holder& how, FaultBudget faults = {}) {
  Scenario scenario = holders(how);
  scenario.faults(faults);
  return explore(scenario);
}

TEST(LeaseExclusion, HolderWhoIsPausedPastItsLeaseBreaksMutualExclusionAndNotThis) {
  EXPECT_PROVED(explore(holders(Holder())));
  EXPECT_PROVED(explore(holders(Holder(), 3)));
  Scenario plain = holders(Holder());
  plain.require(mutual_exclusion("lock"));
  EXPECT_EQ(explore(plain).property, "mutual exclusion of lock");
}

TEST(LeaseExclusion, LeaseThatIsCountedFromTheReplyBreaksIt) {
  Holder how;
  how.counts_from_reply = true;
  const Verdict verdict = searched(how);
  expect_broken(verdict);
  // A is granted the lock, time passes, A hears of it; an instant later the key is gone.
  EXPECT_EQ(verdict.run.steps.size(), 6U) << describe(verdict.run);
}

TEST(LeaseExclusion, BeliefLongerThanTheKeyBreaksIt) {
  Holder how;
  how.belief = seconds{3};
  EXPECT_PROVED(searched(how));
  how.belief += Duration{1};
  expect_broken(searched(how));
}

TEST(LeaseExclusion, ReleaseOfAnothersKeyBreaksItWithoutAHolderPastItsLease) {
  Holder how;
  how.blind = true;
  Scenario three = holders(how, 3);
  const Verdict verdict = explore(three);
  expect_broken(verdict);
  for (const ClientView& client : verdict.run.steps.back().after.clients) {
    EXPECT_LE(client.inside.size(), 1U);
  }
}

TEST(LeaseExclusion, RenewalMovesTheEnd) {
  Holder how;
  how.renewals = 2;
  EXPECT_PROVED(searched(how));
  how.renews_in_store = false;
  expect_broken(searched(how));
}

TEST(LeaseExclusion, AClientThatGivesNoEndBelievesUntilItLeaves) {
  Holder how;
  how.gives_end = false;
  const Verdict verdict = searched(how);
  expect_broken(verdict);
  Scenario plain = holders(how);
  plain.require_only({PropertyKind::lease_exclusion});
  plain.require(mutual_exclusion("lock"));
  EXPECT_EQ(explore(plain).run.steps.size(), verdict.run.steps.size());
}

// --- a proof that says nothing -------------------------------------------------------------------

TEST(LeaseExclusion, ProvesNothingIfNobodyGivesAnEnd) {
  Holder how;
  how.gives_end = false;
  how.expiry = std::nullopt;
  const Verdict verdict = searched(how);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("some client holds lock until an instant to come"));
}

TEST(LeaseExclusion, ProvesNothingIfEveryEndIsPastAlready) {
  Holder how;
  how.belief = Duration{0};
  const Verdict verdict = searched(how);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("until an instant to come"));
}

TEST(LeaseExclusion, ProvesNothingOfALockThatIsMisspelt) {
  Scenario scenario = holders(Holder());
  scenario.require(lease_exclusion("lokc"));
  EXPECT_EQ(explore(scenario).outcome, Outcome::invalid);
}

Task<void> moves_its_end_outside(Client& me) {
  me.believes_until("lock", TimePoint(seconds{200}));
  static_cast<void>(co_await me.store().get(key));
  me.enter("lock", FencingToken(), TimePoint(seconds{50}));
  co_await me.leave("lock");
  me.believes_until("lock", TimePoint(seconds{200}));
  static_cast<void>(co_await me.store().get(key));
}

TEST(LeaseExclusion, AClientThatIsNotInsideCannotMoveItsEnd) {
  Scenario scenario("outside");
  scenario.clients(2, moves_its_end_outside)
      .clocks_start_at(seconds{100})
      .require(lease_exclusion("lock"));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict.run);
  EXPECT_THAT(verdict.reason, HasSubstr("until an instant to come"));
}

// --- clocks that go wrong ------------------------------------------------------------------------

TEST(LeaseExclusion, ClientWhoseClockFallsBehindBelievesForLonger) {
  const Verdict verdict = searched(Holder(), FaultBudget().allow(Fault::drift));
  expect_broken(verdict);
  EXPECT_EQ(verdict.run.faults(), 1U);
}

TEST(LeaseExclusion, CountsByTheClockThatTheClientNames) {
  const FaultBudget set_back = FaultBudget().allow(Fault::clock_back);
  // A client's wall clock, or the server's, which then keeps the key for longer.
  EXPECT_PROVED(searched(Holder(), set_back));
  Holder by_wall;
  by_wall.clock = OwnClock::wall_clock;
  EXPECT_PROVED(searched(by_wall));
  expect_broken(searched(by_wall, set_back));
}

// The next step of this kind that is possible; an empty one: there is none.
RunStep take(Simulation& simulation, StepKind kind, std::optional<std::size_t> client) {
  for (const RunStep& step : simulation.choices()) {
    if (step.kind != kind || step.client != client) continue;
    const Result<RunStep> taken = simulation.take(step.code);
    return taken ? *taken : RunStep();
  }
  ADD_FAILURE() << "no such step\n" << describe(simulation.run());
  return {};
}

// A bound of the search, which docs/what-a-proof-means.md tells: a key is there at its last
// instant.
TEST(LeaseExclusion, KeyThatEndsAtAnInstantOutlastsAnErrorOfOneInstant) {
  Holder how;
  how.expiry = milliseconds{2'000};
  how.belief = milliseconds{2'000};
  EXPECT_PROVED(searched(how, FaultBudget().allow(Fault::drift)));
  expect_broken(searched(how, FaultBudget().allow(Fault::drift, 2)));
  how.expiry = milliseconds{1'999};
  how.belief = milliseconds{1'999};
  expect_broken(searched(how, FaultBudget().allow(Fault::drift)));
}

TEST(LeaseExclusion, LeaseThatWasOverLastsAgainWhenItsClockIsSetBack) {
  Holder by_wall;
  by_wall.clock = OwnClock::wall_clock;
  Scenario scenario = holders(by_wall);
  scenario.faults(FaultBudget().allow(Fault::clock_back));
  Simulation simulation(scenario);
  const auto inside = [&simulation](std::size_t client) {
    return simulation.now().clients[client].inside.size();
  };
  take(simulation, StepKind::operation, 0);
  EXPECT_EQ(inside(0), 1U);
  take(simulation, StepKind::time, std::nullopt);
  take(simulation, StepKind::time, std::nullopt);
  EXPECT_EQ(inside(0), 1U);
  EXPECT_EQ(take(simulation, StepKind::time, std::nullopt).note, "A's lease of lock ends");
  EXPECT_EQ(inside(0), 0U);
  EXPECT_EQ(take(simulation, StepKind::operation, 1).violates, "");
  EXPECT_EQ(inside(1), 1U);
  const RunStep set_back = take(simulation, StepKind::fault, 0);
  EXPECT_EQ(set_back.note, "A again believes to hold lock");
  EXPECT_EQ(set_back.violates, "exclusion within leases of lock");
}

TEST(LeaseExclusion, ServerThatForgetsBreaksIt) {
  expect_broken(searched(Holder(), FaultBudget().allow(Fault::restart_empty)));
}

TEST(LeaseExclusion, TheDeadBelieveNothing) {
  Scenario scenario = holders(Holder(), 2, 1);
  scenario.faults(FaultBudget().allow(Fault::crash).allow(Fault::eviction).at_most(2));
  const Verdict verdict = explore(scenario);
  expect_broken(verdict);
  for (const RunStep& step : verdict.run.steps) EXPECT_NE(step.fault, Fault::crash);
}

// --- time without end, symmetry, chance ----------------------------------------------------------

TEST(LeaseExclusion, IsProvedAndBrokenInTimeWithoutEndAsWell) {
  Scenario endless = holders(Holder(), 3);
  endless.time_without_end(seconds{3});
  EXPECT_PROVED(explore(endless));

  Holder how;
  how.counts_from_reply = true;
  Scenario broken = holders(how);
  broken.time_without_end(seconds{3});
  const Verdict verdict = explore(broken);
  expect_broken(verdict);
  EXPECT_EQ(verdict.run.steps.size(), searched(how).run.steps.size());
}

TEST(LeaseExclusion, ClockThatIsSetBackMakesNoBeliefLongerThanTheLongestTime) {
  Scenario scenario = holders(Holder());
  scenario.time_without_end(ttl).faults(FaultBudget().allow(Fault::drift));
  expect_broken(explore(scenario));
}

TEST(LeaseExclusion, BeliefLongerThanTheLongestTimeIsSaid) {
  Holder how;
  how.belief = seconds{9};
  how.expiry = std::nullopt;
  Scenario scenario = holders(how);
  scenario.time_without_end(seconds{3});
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("longer than the longest, 3000 ms"));
}

TEST(LeaseExclusion, IdenticalClientsMayBeTakenAsOneAnother) {
  for (const bool from_reply : {false, true}) {
    Holder how;
    how.counts_from_reply = from_reply;
    how.renewals = 1;
    const Verdict merged = explore(holders(how, 3, 4));
    Scenario told_apart = holders(how, 3, 4);
    told_apart.symmetry(false);
    const Verdict each = explore(told_apart);
    EXPECT_EQ(merged.outcome, each.outcome);
    EXPECT_EQ(merged.run.steps.size(), each.run.steps.size());
    EXPECT_LT(merged.states, each.states);
  }
}

TEST(LeaseExclusion, IsBrokenByChanceToo) {
  Holder how;
  how.counts_from_reply = true;
  const Scenario scenario = holders(how);
  RandomSearch search;
  search.runs = 20'000;
  const RandomVerdict found = search_at_random(scenario, search);
  ASSERT_EQ(found.verdict.outcome, Outcome::violated) << found.verdict.reason;
  const sim::Run shorter = shorten(scenario, found.verdict.run);
  EXPECT_EQ(shorter.steps.back().violates, "exclusion within leases of lock");
  const auto again = replay(scenario, make_schedule(shorter));
  ASSERT_TRUE(again) << again.error().detail();
  EXPECT_EQ(describe(*again), describe(shorter));
}

// --- what it costs searches that do not require it -----------------------------------------------

TEST(LeaseExclusion, AnEndChangesNothingForOtherProperties) {
  Holder with;
  Holder without;
  without.gives_end = false;
  const auto states = [](const Holder& how) {
    Scenario scenario("plain");
    scenario.clients(3, [how](Client& me) { return hold_once(me, how); })
        .clocks_start_at(seconds{100})
        .instants(4)
        .require(owner_only("lock"));
    const Verdict verdict = explore(scenario);
    EXPECT_PROVED(verdict);
    return verdict.states;
  };
  EXPECT_EQ(states(with), states(without));
}

// --- the same told from the steps of a run alone -------------------------------------------------

// What a client of hold_once() believes, by the clock that it uses.
class Told {
 public:
  int clock = 0;      // set by so many instants
  Duration read{0};   // what it showed when it was read last
  Duration until{0};  // what the client has said last
  bool inside = false;
  bool believes(Duration time) const { return inside && shows(time) < until; }
  Duration shows(Duration time) const { return time + seconds{1} * clock; }
};

void follow(Told& client, const RunStep& step, Duration time, const Holder& how) {
  if (step.kind == StepKind::fault) {
    const bool by_wall = how.clock == OwnClock::wall_clock;
    if (step.fault == Fault::drift) --client.clock;
    if (step.fault == Fault::clock_back && by_wall) --client.clock;
    if (step.fault == Fault::clock_jump && by_wall) ++client.clock;
    if (step.fault == Fault::crash) client.inside = false;
    return;
  }
  if (step.kind == StepKind::leave) client.inside = false;
  const bool begins = step.kind == StepKind::start || client.read == Duration{0};
  if (begins) client.read = client.shows(time);
  if (!step.delivered || step.reply != "1") return;
  const bool enters = step.what.starts_with("SETNX");
  if (!enters && !step.what.starts_with("RENEW")) return;
  const Duration now = client.shows(time);
  client.until = (enters && how.counts_from_reply ? now : client.read) + how.belief;
  client.inside = true;
  client.read = now;
}

RC_GTEST_PROP(LeaseExclusion, IsWhatTheStepsOfARunSay, ()) {
  Holder how;
  how.clock = *rc::gen::element(OwnClock::time, OwnClock::wall_clock);
  how.renewals = *rc::gen::inRange(0, 3);
  how.counts_from_reply = *rc::gen::arbitrary<bool>();
  how.blind = *rc::gen::arbitrary<bool>();
  how.belief = milliseconds{500} * *rc::gen::inRange(0, 9);
  Scenario scenario = holders(how, 3, 8);
  scenario.faults(*gen::faults(3, {Fault::drift, Fault::clock_back, Fault::clock_jump, Fault::crash,
                                   Fault::restart_empty, Fault::lost_reply}));
  if (*rc::gen::arbitrary<bool>()) scenario.time_without_end(seconds{5});
  const sim::Run run = run_of_choices(scenario, *gen::schedule());
  RC_LOG() << testing::shown(run);
  std::array<Told, 3> clients;
  Duration elapsed = seconds{100};
  for (const RunStep& step : run.steps) {
    const auto believers = [&] {
      return std::count_if(clients.begin(), clients.end(),
                           [&](const Told& one) { return one.believes(elapsed); });
    };
    const auto before = believers();
    if (step.kind == StepKind::time) elapsed += seconds{1};
    if (step.client) follow(clients[*step.client], step, elapsed, how);
    const bool violates = believers() > std::max<std::ptrdiff_t>(before, 1);
    RC_ASSERT(step.violates.empty() == !violates);
    for (std::size_t client = 0; client < clients.size(); ++client) {
      const bool shown = !step.after.clients[client].inside.empty();
      RC_ASSERT(shown == clients[client].believes(elapsed));
    }
  }
}

// --- drawings ------------------------------------------------------------------------------------

TEST(LeaseExclusion, TheThickBarEndsWithTheLease) {
  Holder how;
  how.expiry = seconds{2};
  how.belief = seconds{2};
  Simulation simulation(holders(how));
  take(simulation, StepKind::operation, 0);
  for (int instant = 0; instant < 3; ++instant) {
    take(simulation, StepKind::time, std::nullopt);
  }
  take(simulation, StepKind::operation, 1);
  const std::string rows =
      "  1  100  ┃ SETNX A#1→1             │                         A#1 2s   A holds\n"
      "  2  101  ┃                         │                         A#1 1s   +1s\n"
      "  3  102  │                         │                         A#1 0ms  A lapsed\n"
      "  4  103  │                         │                         (none)   expired\n"
      "  5  103  │                         ┃ SETNX B#1→1             B#1 2s   B holds\n";
  EXPECT_THAT(draw_text(simulation.run(), nullptr), HasSubstr(rows));
}

TEST(LeaseExclusion, WhereMutualExclusionIsRequiredTooTheBarGoesOn) {
  Scenario scenario = holders(Holder());
  const Verdict verdict = explore(scenario.require(mutual_exclusion("lock")));
  EXPECT_EQ(verdict.property, "mutual exclusion of lock");
  EXPECT_THAT(draw_text(verdict.run, &verdict), HasSubstr("2 HOLDERS"));
}

TEST(LeaseExclusion, TwoWhoHoldAreDrawnAsForMutualExclusion) {
  Holder how;
  how.counts_from_reply = true;
  const Verdict verdict = searched(how);
  const std::string drawn = draw_text(verdict.run, &verdict);
  EXPECT_THAT(drawn, HasSubstr("2 HOLDERS"));
  EXPECT_THAT(drawn, HasSubstr("A and B both hold lock"));
  EXPECT_THAT(drawn, HasSubstr("invariant: exclusion within leases"));
}

}  // namespace
}  // namespace interlock::sim
