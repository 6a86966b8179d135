// What a client leaves behind when it is done: no key and no place in the queue may name it.
#include <gtest/gtest.h>

#include "interlock/sim/explore.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "interlock/store/script.hpp"

namespace interlock::sim {
namespace {

const Key key("lock");
const char* const broken = "clients that have gone leave nothing of lock";

enum class Leaves { nothing, held_lock, place };

// The arguments of core's release: owner, channel, size of a block, claim window, how long the
// counter is kept.
std::vector<std::string> release_of(const OwnerToken& owner) {
  return {owner.text(), "released", "1", "500", "3600500"};
}

std::vector<std::string> claim_of(const OwnerToken& owner) {
  return {owner.text(), "2500", "3602500", "1", "500", "ear", "1000", "1000", "0"};
}

Task<Result<Value>> run_on_lock(KeyValueStore* store,
                                const Script* script,
                                std::vector<std::string> arguments) {
  std::vector<Key> keys{key, fencing_key(key), queue_key(key)};
  co_return co_await store->run(*script, std::move(keys), std::move(arguments));
}

// Takes the lock, or queues for it, and gives up at once what it has.
Task<void> come_and_go(Client& me, Leaves leaves, const Script* release) {
  const OwnerToken owner = me.tokens().fresh();
  const auto claimed = co_await run_on_lock(&me.store(), &queue_claim_script(), claim_of(owner));
  const bool held = claimed && claimed->list() == nullptr;
  if (leaves == (held ? Leaves::held_lock : Leaves::place)) co_return;
  static_cast<void>(co_await run_on_lock(&me.store(), release, release_of(owner)));
}

Scenario clients(std::size_t count,
                 Leaves leaves,
                 const Script* release = &queue_release_script()) {
  Scenario scenario("gone");
  scenario.clients(count, [=](Client& me) { return come_and_go(me, leaves, release); }).instants(4);
  return scenario.require(gone_leave_nothing("lock"));
}

Verdict look(const Scenario& scenario) {
  Verdict verdict = explore(scenario);
  EXPECT_NE(verdict.outcome, Outcome::invalid) << describe(verdict);
  return verdict;
}

// A release that leaves the lock to its owner.
const Script& release_of_nothing() {
  static const Script script("release_of_nothing", "return 1",
                             [](Keyspace&, const auto&, const auto&) { return Reply(Value(1)); });
  return script;
}

TEST(GoneLeaveNothing, HoldsIfEachReleasesOrGivesUpItsPlace) {
  const Verdict verdict = look(clients(3, Leaves::nothing));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(GoneLeaveNothing, IsBrokenByAKeyThatIsLeftToItsTtl) {
  const Verdict verdict = look(clients(1, Leaves::held_lock));
  EXPECT_EQ(verdict.property, broken);
  EXPECT_EQ(verdict.run.steps.size(), 1U);
}

TEST(GoneLeaveNothing, IsBrokenByAPlaceInTheQueueThatIsNotGivenUp) {
  const Verdict verdict = look(clients(2, Leaves::place));
  EXPECT_EQ(verdict.property, broken);
  EXPECT_EQ(verdict.run.steps.size(), 2U);
}

TEST(GoneLeaveNothing, SaysNothingOfTheCrashed) {
  const FaultBudget faults = FaultBudget().allow(Fault::crash, 2);
  const Verdict verdict = look(clients(2, Leaves::nothing).faults(faults));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

TEST(GoneLeaveNothing, LooksOnlyAtReleasesWhereALastRequestMayNotArriveInTime) {
  for (const Fault fault : {Fault::unreachable, Fault::lost_request, Fault::rejected,
                            Fault::late_execution, Fault::duplicate, Fault::failover}) {
    const FaultBudget faults = FaultBudget().allow(fault);
    const Verdict late = look(clients(2, Leaves::nothing).faults(faults));
    EXPECT_EQ(late.outcome, Outcome::proved) << describe(late) << describe(late.run);
    const Verdict kept = look(clients(1, Leaves::nothing, &release_of_nothing()).faults(faults));
    EXPECT_EQ(kept.property, broken) << to_string(fault);
  }
}

}  // namespace
}  // namespace interlock::sim
