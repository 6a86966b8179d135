// Tests a lock that is a name in a session, as clients of etcd and ZooKeeper write it. If the
// holder crashes, its session ends and the next client gets the lock. If the holder is only slow,
// it does not know that its session has ended.
#include <gtest/gtest.h>

#include "interlock/sim/testing.hpp"
#include "sessions.hpp"

namespace {

namespace sim = interlock::sim;
using namespace std::chrono_literals;

const interlock::Key lock("lock");
const interlock::Key counter("lock:count");

interlock::Task<void> work(sim::Client& me) {
  const std::string mine = me.tokens().fresh().text();
  const interlock::Key session("session:" + mine);
  const interlock::KeyList all{session, lock, counter};
  const interlock::KeyList held{session, lock};
  const interlock::ArgumentList text{mine};
  const interlock::ArgumentList text_and_ttl{mine, "1000"};
  me.wants("lock");
  std::int64_t number = 0;
  while (number <= 0) {
    co_await me.loop_head();
    const interlock::TimePoint asked = me.time().now();
    static_cast<void>(co_await me.store().set(session, mine, 1s));
    const auto created = co_await me.store().run(sessions::create, all, text);
    number = created && created->number() != nullptr ? *created->number() : 0;
    if (number > 0) me.enter("lock", interlock::FencingToken(number), asked + 1s);
    if (number <= 0) co_await me.time().sleep_until(me.time().now() + 1s);
  }
  const interlock::TimePoint asked = me.time().now();
  const auto alive = co_await me.store().run(sessions::keep_alive, held, text_and_ttl);
  if (alive && *alive == interlock::Value(std::int64_t{1})) {
    me.believes_until("lock", asked + 1s);
    static_cast<void>(co_await me.write("shelf", interlock::FencingToken(number)));
  }
  co_await me.leave("lock");
  static_cast<void>(co_await me.store().run(sessions::end, held, text));
}

sim::Scenario two_clients(const std::string& name) {
  sim::Scenario scenario(name);
  return scenario.clients(2, work).time_without_end();
}

TEST(SessionLock, IsFreeAtLastIfItsHolderCrashes) {
  sim::Scenario scenario = two_clients("session-lock");
  scenario.faults(sim::FaultBudget().allow(sim::Fault::crash));
  scenario.require(sim::no_orphan("lock")).require(sim::lease_exclusion("lock"));
  EXPECT_PROVED(sim::testing::check(scenario));
}

// A client that did not hear that it has the lock asks again, and has it as long as its session.
TEST(SessionLock, IsHeldAlsoIfTheAnswerIsLost) {
  sim::Scenario scenario = two_clients("lost-answer");
  scenario.faults(sim::FaultBudget().allow(sim::Fault::lost_reply));
  EXPECT_PROVED(sim::testing::check(scenario.require(sim::lease_exclusion("lock"))));
}

TEST(SessionLock, ASlowHolderDoesNotKnowThatItsSessionHasEnded) {
  EXPECT_VIOLATED(
      sim::testing::check(two_clients("slow-holder").require(sim::mutual_exclusion("lock"))), "");
}

TEST(SessionLock, AndWritesUnlessTheResourceChecksTheNumber) {
  sim::Scenario scenario = two_clients("late-write").require(sim::fenced_writes("shelf"));
  EXPECT_VIOLATED(sim::testing::check(scenario), "");
  EXPECT_PROVED(sim::testing::check(scenario.resource_checks_fencing("shelf")));
}

}  // namespace
