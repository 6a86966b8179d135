// linearizable(): mistakes of programs, specifications and scenarios, and what is too much.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* object = "it";

Task<void> counts_by_increment(Client& me) {
  me.invokes(object, "increment");
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  if (number) {
    me.returns(object, *number);
  } else {
    me.leaves_open(object);
  }
}

Verdict of_program(const Program& program,
                   const Sequential& specification,
                   std::size_t clients = 2) {
  Scenario scenario("mistaken");
  return explore(scenario.clients(clients, program).require(linearizable(object, specification)));
}

void expect_invalid(const Verdict& verdict, const std::string& reason) {
  EXPECT_EQ(verdict.outcome, Outcome::invalid) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr(reason));
  EXPECT_EQ(verdict.reason.find('\n'), std::string::npos);
}

Task<void> never_returns(Client& me) {
  me.invokes(object, "increment");
  static_cast<void>(co_await me.store().increment(Key("n")));
}

TEST(Linearizable, SaysNothingOfOperationsThatNeverReturn) {
  expect_invalid(of_program(never_returns, sequential::counter()),
                 "no run reaches the goal 'some operation on it returns'");
}

TEST(Linearizable, SaysNothingOfOneClient) {
  expect_invalid(of_program(counts_by_increment, sequential::counter(), 1),
                 "no run reaches the goal 'operations of different clients on it overlap', so "
                 "nothing was proved: take two clients or more");
}

TEST(Linearizable, NamesTheObjectOnWhichNothingReturns) {
  Scenario scenario("misspelt");
  scenario.clients(2, counts_by_increment);
  scenario.require(linearizable("conter", sequential::counter()));
  expect_invalid(explore(scenario), "no run reaches the goal 'some operation on conter returns'");
}

Task<void> calls_twice(Client& me) {
  me.invokes(object, "read");
  me.invokes(object, "increment");
  static_cast<void>(co_await me.store().increment(Key("n")));
  me.returns(object, 1);
}

TEST(Linearizable, RefusesASecondOperationBeforeTheFirstReturns) {
  expect_invalid(of_program(calls_twice, sequential::counter()),
                 "invokes it.increment while its operation before on it has not returned, when it "
                 "starts: call Client::returns, or Client::leaves_open, first");
}

Task<void> only_returns(Client& me) {
  static_cast<void>(co_await me.store().increment(Key("n")));
  me.returns(object, 1);
}
Task<void> only_leaves_open(Client& me) {
  static_cast<void>(co_await me.store().increment(Key("n")));
  me.leaves_open(object);
}

TEST(Linearizable, RefusesAReturnWithoutAnOperation) {
  expect_invalid(of_program(only_returns, sequential::counter()),
                 "returns from it without having invoked an operation on it");
  expect_invalid(of_program(only_leaves_open, sequential::counter()),
                 "leaves open it without having invoked an operation on it");
}

TEST(Linearizable, RefusesASpecificationThatThrows) {
  Sequential throws = sequential::counter();
  throws.apply = [](const auto&, const auto&, auto) -> std::vector<AllowedResult> {
    throw std::runtime_error("no counter");
  };
  expect_invalid(
      of_program(counts_by_increment, throws),
      "the specification of 'linearizability of it' ended with an exception: no counter");
}

TEST(Linearizable, RefusesASpecificationThatRemembers) {
  Sequential remembers = sequential::counter();
  auto calls = std::make_shared<std::int64_t>(0);
  remembers.apply = [calls](const auto&, const auto&, auto) {
    return std::vector<AllowedResult>{{++*calls, {0}}};
  };
  expect_invalid(of_program(counts_by_increment, remembers),
                 "answers differently when it is asked the same again");
}

TEST(Linearizable, RefusesASpecificationThatRemembersUntilTheSearchIsOver) {
  Sequential late = sequential::counter();
  auto calls = std::make_shared<int>(0);
  late.apply = [calls, good = late.apply](const auto& state, const auto& operation, auto argument) {
    const bool wrong = ++*calls > 4;
    return wrong ? std::vector<AllowedResult>{} : good(state, operation, argument);
  };
  expect_invalid(of_program(counts_by_increment, late),
                 "answers differently when it is asked the same again");
}

Task<void> misspells(Client& me) {
  me.invokes(object, "incremnt");
  const Result<std::int64_t> number = co_await me.store().increment(Key("n"));
  me.returns(object, *number);
}

TEST(Linearizable, RefusesAnOperationThatTheSpecificationDoesNotKnow) {
  expect_invalid(of_program(misspells, sequential::counter()),
                 "knows no operation 'incremnt': did you mean 'increment'?");
  expect_invalid(of_program(counts_by_increment, sequential::queue()),
                 "knows no operation 'increment': name one of push, pop");
}

TEST(Linearizable, RefusesAnAnswerThatFillsTheMemory) {
  Sequential large = sequential::counter();
  large.apply = [](const auto&, const auto&, auto) {
    return std::vector<AllowedResult>{{1, std::vector<std::int64_t>(5000)}};
  };
  expect_invalid(of_program(counts_by_increment, large),
                 "answers increment with more than 1024 numbers in a state");
  large.apply = [](const auto&, const auto&, auto) {
    std::vector<AllowedResult> many;
    for (std::int64_t result = 0; result < 2000; ++result) many.push_back({result, {0}});
    return many;
  };
  expect_invalid(of_program(counts_by_increment, large),
                 "answers increment with more than 1024 results");
}

TEST(Linearizable, RefusesNoFunctionAndTwoOfThem) {
  expect_invalid(of_program(counts_by_increment, Sequential()),
                 "'linearizability of it' has no specification: give linearizable() a function");
  Scenario scenario("two of them");
  scenario.clients(2, counts_by_increment).require(linearizable(object, sequential::counter()));
  scenario.require(linearizable(object, sequential::counter(1)));
  expect_invalid(explore(scenario), "two properties are called 'linearizability of it'");
}

Task<void> asks_twice(Client& me) {
  me.invokes(object, "increment");
  static_cast<void>(co_await me.store().get(Key("n")));
  static_cast<void>(co_await me.store().get(Key("n")));
  me.returns(object, 1);
}

// Each of the operations may end in many ways, which multiply.
TEST(Linearizable, GivesUpWhenThereAreTooManyOrders) {
  Sequential vague = sequential::counter();
  vague.apply = [](const auto& state, const auto&, auto) {
    std::vector<AllowedResult> many;
    for (std::int64_t result = 0; result < 30; ++result) {
      many.push_back({result, {state.front() * 30 + result}});
    }
    return many;
  };
  const Verdict verdict = of_program(asks_twice, vague, 4);
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("more than 16384 orders of the operations on it"));
}

Task<void> leaves_all_open(Client& me) {
  for (;;) {
    co_await me.loop_head();
    me.invokes(object, "read");
    static_cast<void>(co_await me.store().get(Key("n")));
    me.leaves_open(object);
  }
}

TEST(Linearizable, GivesUpBeforeOpenOperationsFillTheMemory) {
  Scenario scenario("open");
  scenario.client(leaves_all_open).client(counts_by_increment);
  const Verdict verdict = explore(scenario.require(linearizable(object, sequential::counter())));
  EXPECT_EQ(verdict.outcome, Outcome::incomplete) << describe(verdict);
  EXPECT_THAT(verdict.reason, HasSubstr("parts of orders of operations"));
}

}  // namespace
}  // namespace interlock::sim
