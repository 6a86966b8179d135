// linearizable(): which objects are, and which are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* object = "it";

std::int64_t number_of(const Result<std::optional<std::string>>& read) {
  return read && *read ? std::stoll(**read) : 0;
}

// --- counters ------------------------------------------------------------------------------------

Task<void> counts_by_increment(Client& me) {
  me.invokes(object, "increment");
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  if (number) {
    me.returns(object, *number);
  } else {
    me.leaves_open(object);
  }
}

Task<void> counts_by_get_and_set(Client& me) {
  me.invokes(object, "increment");
  const std::int64_t next = number_of(co_await me.store().get(Key("n"))) + 1;
  const std::string text = std::to_string(next);
  static_cast<void>(co_await me.store().set(Key("n"), text));
  me.returns(object, next);
}

Scenario counting(std::size_t clients, const Program& program) {
  Scenario scenario("counting");
  return scenario.clients(clients, program).require(linearizable(object, sequential::counter()));
}

TEST(Linearizable, IsACounterByOneOperation) {
  const Verdict verdict = explore(counting(3, counts_by_increment));
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  EXPECT_THAT(describe(verdict), HasSubstr("reached: some operation on it returns"));
  EXPECT_THAT(describe(verdict),
              HasSubstr("reached: operations of different clients on it overlap"));
}

TEST(Linearizable, IsNoCounterByReadingAndWriting) {
  const Verdict verdict = explore(counting(2, counts_by_get_and_set));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.property, "linearizability of it");
  EXPECT_EQ(verdict.run.steps.size(), 4U) << describe(verdict.run);
}

TEST(Linearizable, TellsWhatFitsNoOrder) {
  const Verdict verdict = explore(counting(2, counts_by_get_and_set));
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_THAT(verdict.run.steps.back().note,
              HasSubstr("it.increment -> 1 fits no order of the operations"));
  const std::string text = describe(verdict.run);
  EXPECT_THAT(text, HasSubstr("invokes it.increment"));
  EXPECT_THAT(text, HasSubstr("returns 1 from it.increment"));
  EXPECT_THAT(history_text(verdict.run), HasSubstr("the operations on it:\n"));
  EXPECT_THAT(history_text(verdict.run), HasSubstr("A  increment -> 1, steps "));
  EXPECT_THAT(history_text(verdict.run), HasSubstr("B  increment -> 1, steps "));
}

TEST(Linearizable, IsTheSameWithoutSymmetry) {
  for (const Program& program : {Program(counts_by_get_and_set), Program(counts_by_increment)}) {
    Scenario scenario = counting(3, program);
    const Verdict merged = explore(scenario);
    const Verdict apart = explore(scenario.symmetry(false));
    EXPECT_EQ(merged.outcome, apart.outcome) << describe(merged) << describe(apart);
    EXPECT_EQ(merged.run.steps.size(), apart.run.steps.size());
    if (merged.outcome == Outcome::proved) {
      EXPECT_LT(merged.states * 2, apart.states);
    }
  }
}

TEST(Linearizable, IsSeenByRandomRuns) {
  EXPECT_EQ(search_at_random(counting(2, counts_by_get_and_set), RandomSearch()).verdict.outcome,
            Outcome::violated);
}

// --- operations that never return ----------------------------------------------------------------

Task<void> counts_and_crashes(Client& me) {
  me.invokes(object, "increment");
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  const std::string text = "1";
  static_cast<void>(co_await me.store().set(Key("other"), text));
  if (number) me.returns(object, *number);
}

Verdict with_faults(Scenario scenario, Fault fault) {
  FaultBudget faults;
  faults.allow(fault, 1);
  return explore(scenario.faults(faults));
}

TEST(Linearizable, MayLackWhatACrashedClientHasBegun) {
  const Verdict verdict = with_faults(counting(2, counts_and_crashes), Fault::crash);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(Linearizable, MayHaveWhatIsLeftOpenOrNot) {
  for (const Fault fault : {Fault::lost_reply, Fault::lost_request, Fault::late_execution}) {
    const Verdict verdict = with_faults(counting(3, counts_by_increment), fault);
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
  }
}

TEST(Linearizable, HasWhatIsLeftOpenOnlyOnce) {
  const Verdict verdict = with_faults(counting(3, counts_by_increment), Fault::duplicate);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

// --- real time -----------------------------------------------------------------------------------

// Reads what it has read or written before: each client alone sees an order, but the orders of the
// clients disagree with time.
Task<void> reads_its_copy(Client& me) {
  std::int64_t copy = 0;
  for (int round = 0; round < 2; ++round) {
    me.invokes(object, "read");
    const Result<std::optional<std::string>> now = co_await me.store().get(Key("n"));
    if (round == 0) copy = number_of(now);
    me.returns(object, copy);
  }
}
Task<void> reads_the_store(Client& me) {
  for (int round = 0; round < 2; ++round) {
    me.invokes(object, "read");
    const std::int64_t now = number_of(co_await me.store().get(Key("n")));
    me.returns(object, now);
  }
}
Task<void> writes_one(Client& me) {
  me.invokes(object, "write", 1);
  const std::string text = "1";
  static_cast<void>(co_await me.store().set(Key("n"), text));
  me.returns(object);
}

Verdict of_register(const Program& reader) {
  Scenario scenario("register");
  scenario.client(reader).client(writes_one);
  return explore(scenario.require(linearizable(object, sequential::a_register())));
}

TEST(Linearizable, IsARegisterInTheStore) {
  const Verdict verdict = of_register(reads_the_store);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(Linearizable, IsNoRegisterThatIsOnlySequentiallyConsistent) {
  const Verdict verdict = of_register(reads_its_copy);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_EQ(verdict.run.steps.size(), 3U) << describe(verdict.run);
  EXPECT_THAT(history_text(verdict.run), HasSubstr("A  read -> 0, step 1\n"));
  EXPECT_THAT(history_text(verdict.run), HasSubstr("B  write(1) -> nothing, step 2\n"));
  EXPECT_THAT(history_text(verdict.run), HasSubstr("A  read -> 0, step 3\n"));
}

// What it writes can be read before it returns.
Task<void> writes_in_two_steps(Client& me) {
  me.invokes(object, "write", 1);
  const std::string text = "1";
  static_cast<void>(co_await me.store().set(Key("n"), text));
  static_cast<void>(co_await me.store().get(Key("n")));
  me.returns(object);
}

TEST(Linearizable, IsARegisterThatIsWrittenInTwoSteps) {
  Scenario scenario("two steps");
  scenario.client(reads_the_store).client(writes_in_two_steps);
  scenario.require(linearizable(object, sequential::a_register()));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// Waits before its operation's first request: the wait belongs to the operation.
Task<void> reads_late(Client& me) {
  const std::int64_t now = number_of(co_await me.store().get(Key("n")));
  me.invokes(object, "read");
  co_await me.time().sleep_until(me.time().now() + milliseconds(1));
  static_cast<void>(co_await me.store().get(Key("n")));
  me.returns(object, now);
}

Task<void> writes_later(Client& me) {
  const TimePoint now = me.time().now();
  co_await me.time().sleep_until(now + milliseconds(1));
  me.invokes(object, "write", 1);
  const std::string text = "1";
  static_cast<void>(co_await me.store().set(Key("n"), text));
  me.returns(object);
}

TEST(Linearizable, CountsTheTimeForWhichAnOperationWaits) {
  Scenario scenario("wait");
  scenario.client(reads_late).client(writes_later);
  scenario.instants(2, milliseconds(1)).require(linearizable(object, sequential::a_register()));
  const Verdict verdict = explore(scenario);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict) << describe(verdict.run);
}

// Returns before the store has the number. At its start nothing else has happened before.
Task<void> writes_behind(Client& me) {
  me.invokes(object, "write", 1);
  me.returns(object);
  const std::string text = "1";
  static_cast<void>(co_await me.store().set(Key("n"), text));
}
// The store has the number before the call.
Task<void> writes_ahead(Client& me) {
  const std::string text = "1";
  static_cast<void>(co_await me.store().set(Key("n"), text));
  me.invokes(object, "write", 1);
  me.returns(object);
}

Verdict of_register_of_three(const Program& writer) {
  Scenario scenario("register");
  scenario.clients(2, reads_the_store).client(writer);
  return explore(scenario.require(linearizable(object, sequential::a_register())));
}

TEST(Linearizable, IsNoRegisterThatIsWrittenBehindAtTheStart) {
  const Verdict verdict = of_register_of_three(writes_behind);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

TEST(Linearizable, SeesAWriteBeforeItIsCalled) {
  const Verdict verdict = of_register_of_three(writes_ahead);
  EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
}

// --- queues and sets -----------------------------------------------------------------------------

// Two numbers in one key: a queue of one place for each client.
Task<void> pushes_and_pops(Client& me, std::int64_t number, bool at_once) {
  me.invokes(object, "push", number);
  const std::string text = std::to_string(number);
  static_cast<void>(co_await me.store().set(Key("q"), text));
  me.returns(object);
  me.invokes(object, "pop");
  std::optional<std::int64_t> popped;
  if (at_once) {
    const std::string none;
    const Result<std::optional<std::string>> was = co_await me.store().exchange(Key("q"), none);
    if (was && *was && !(*was)->empty()) popped = std::stoll(**was);
  } else {
    const Result<std::optional<std::string>> was = co_await me.store().get(Key("q"));
    if (was && *was && !(*was)->empty()) popped = std::stoll(**was);
    const std::string none;
    static_cast<void>(co_await me.store().set(Key("q"), none));
  }
  me.returns(object, popped);
}
Task<void> pops(Client& me, bool at_once) {
  me.invokes(object, "pop");
  std::optional<std::int64_t> popped;
  const Result<std::optional<std::string>> was = co_await me.store().get(Key("q"));
  if (was && *was && !(*was)->empty()) popped = std::stoll(**was);
  if (at_once && popped) {
    const Result<bool> mine = co_await me.store().set_if_absent(Key("taken"), **was);
    if (!mine || !*mine) popped.reset();
  }
  me.returns(object, popped);
}

Task<void> pushes_seven(Client& me) {
  me.invokes(object, "push", 7);
  const std::string text = "7";
  static_cast<void>(co_await me.store().set(Key("q"), text));
  me.returns(object);
}

Verdict of_queue(bool at_once) {
  Scenario scenario("queue");
  scenario.client(pushes_seven);
  scenario.clients(2, [at_once](Client& me) { return pops(me, at_once); });
  return explore(scenario.require(linearizable(object, sequential::queue())));
}

TEST(Linearizable, IsAQueueThatGivesANumberOnce) {
  const Verdict verdict = of_queue(true);
  EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
}

TEST(Linearizable, IsNoQueueThatGivesANumberTwice) {
  const Verdict verdict = of_queue(false);
  ASSERT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  EXPECT_THAT(history_text(verdict.run), HasSubstr("pop -> 7"));
}

TEST(Linearizable, IsNoQueueOfOnePlace) {
  for (const bool at_once : {true, false}) {
    Scenario scenario("one place");
    scenario.client([=](Client& me) { return pushes_and_pops(me, 1, at_once); });
    scenario.client([=](Client& me) { return pushes_and_pops(me, 2, at_once); });
    const Verdict verdict = explore(scenario.require(linearizable(object, sequential::queue())));
    EXPECT_EQ(verdict.outcome, Outcome::violated) << describe(verdict);
  }
}

Task<void> adds(Client& me, bool at_once) {
  me.invokes(object, "add", 5);
  const std::string text = "1";
  std::int64_t added = 1;
  if (at_once) {
    const Result<bool> is_new = co_await me.store().set_if_absent(Key("5"), text);
    added = is_new && *is_new ? 1 : 0;
  } else {
    const Result<std::optional<std::string>> was = co_await me.store().get(Key("5"));
    added = was && *was ? 0 : 1;
    static_cast<void>(co_await me.store().set(Key("5"), text));
  }
  me.returns(object, added);
}

TEST(Linearizable, IsASetByOneOperationAndNotByTwo) {
  for (const bool at_once : {true, false}) {
    Scenario scenario("set");
    scenario.clients(2, [=](Client& me) { return adds(me, at_once); });
    const Verdict verdict = explore(scenario.require(linearizable(object, sequential::set())));
    EXPECT_EQ(verdict.outcome, at_once ? Outcome::proved : Outcome::violated) << describe(verdict);
  }
}

// --- what it costs -------------------------------------------------------------------------------

Task<void> increments(Client& me, bool calls) {
  if (calls) me.invokes(object, "increment");
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  if (calls) me.returns(object, *number);
  static_cast<void>(co_await me.store().increment(Key("n")));
}

TEST(Linearizable, CostsNothingWhereItIsNotRequired) {
  const auto states = [](bool calls) {
    Scenario scenario("plain");
    scenario.clients(2, [calls](Client& me) { return increments(me, calls); });
    const Verdict verdict = explore(scenario.require(no_deadlock()));
    EXPECT_EQ(verdict.outcome, Outcome::proved) << describe(verdict);
    return std::make_tuple(verdict.states, verdict.transitions, verdict.depth);
  };
  EXPECT_EQ(states(true), states(false));
}

}  // namespace
}  // namespace interlock::sim
