// Clients are processes: they share no memory. A scenario in which they do is found out, also if
// each of them, run by itself, does the same every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"

namespace interlock::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Key lock("lock");

Scenario two(Program program) {
  Scenario scenario("shared");
  scenario.clients(2, std::move(program)).require(mutual_exclusion("lock"));
  return scenario;
}

// Counts who is inside, and leaves the count as it found it, however its client ends.
class Presence {
 public:
  explicit Presence(std::shared_ptr<int> count) : count_(std::move(count)) {}
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
  ~Presence() {
    if (counts_) --*count_;
  }
  void begin() {
    counts_ = true;
    ++*count_;
  }
  int others() const { return *count_ - (counts_ ? 1 : 0); }

 private:
  std::shared_ptr<int> count_;
  bool counts_ = false;
};

// Takes the lock by force if it knows that `crowd` are inside.
Task<void> looks_at_the_others(Client& me, std::shared_ptr<int> count, int crowd) {
  Presence presence(count);
  const OwnerToken token = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
  const bool mine = taken && *taken;
  if (!mine && presence.others() < crowd) co_return;
  presence.begin();
  me.enter("lock");
  co_await me.leave("lock");
  if (mine) static_cast<void>(co_await me.store().release(lock, token));
}

class SharedMemory : public ::testing::TestWithParam<bool> {};

TEST_P(SharedMemory, ThatEachPutsBackIsFoundOut) {
  const auto count = std::make_shared<int>(0);
  Scenario scenario = two([=](Client& me) { return looks_at_the_others(me, count, 1); });
  const Verdict verdict = explore(scenario.symmetry(GetParam()));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason,
              AllOf(HasSubstr("does something else beside "), HasSubstr("share no memory")));
  const RandomVerdict by_chance = search_at_random(scenario, RandomSearch());
  EXPECT_EQ(by_chance.verdict.outcome, Outcome::invalid) << describe(by_chance.verdict);
}

Task<void> is_there_for_a_while(Client& me, std::shared_ptr<int> count) {
  Presence presence(count);
  presence.begin();
  static_cast<void>(co_await me.store().get(Key("other")));
}

// Two others have to be there at a time, and these are no rivals.
TEST_P(SharedMemory, IsFoundOutIfSeveralMustBeThere) {
  const auto count = std::make_shared<int>(0);
  Scenario scenario = two([=](Client& me) { return looks_at_the_others(me, count, 2); });
  scenario.clients(2, [=](Client& me) { return is_there_for_a_while(me, count); });
  const Verdict verdict = explore(scenario.symmetry(GetParam()));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("share no memory"));
}

Task<void> is_numbered(Client& me, int number) {
  const OwnerToken token = me.tokens().fresh();
  const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
  const bool mine = taken && *taken;
  if (!mine && number != 1) co_return;
  me.enter("lock");
  co_await me.leave("lock");
  if (mine) static_cast<void>(co_await me.store().release(lock, token));
}

// The second of all that are ever made takes the lock by force.
TEST_P(SharedMemory, ThatCountsWhoWasMadeIsFoundOut) {
  int made = 0;
  Scenario scenario = two([&made](Client& me) { return is_numbered(me, made++); });
  const Verdict verdict = explore(scenario.symmetry(GetParam()));
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("client B did something else"));
}

// A value that is read and never written tells the clients nothing about each other.
Task<void> is_configured(Client& me, std::shared_ptr<const int> tries) {
  const OwnerToken token = me.tokens().fresh();
  for (int left = *tries; left > 0; --left) {
    const Result<bool> taken = co_await me.store().set_if_absent(lock, token.text());
    if (!taken || !*taken) continue;
    me.enter("lock");
    co_await me.leave("lock");
    static_cast<void>(co_await me.store().release(lock, token));
  }
}

TEST_P(SharedMemory, ThatNobodyWritesIsNone) {
  const auto tries = std::make_shared<const int>(2);
  Scenario scenario = two([=](Client& me) { return is_configured(me, tries); });
  const Verdict verdict = explore(scenario.symmetry(GetParam()));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

// With and without symmetry.
INSTANTIATE_TEST_SUITE_P(Clients, SharedMemory, ::testing::Bool());

}  // namespace
}  // namespace interlock::sim
