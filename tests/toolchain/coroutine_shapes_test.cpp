// The shapes in which this project writes coroutines, as promises of the compiler.
//
// GCC 12 destroys some temporaries twice when they live in the same full expression as a co_await:
// braced aggregates, capturing lambdas, class objects made by an operand of ?:. Those shapes are
// avoided by convention and, where types or a pattern can see them, refused (refused_arguments.cpp,
// tests/tidy). What is left must work: every object that is made
// here is counted, and its text is checked, so that a double or missing destruction shows without
// a sanitizer too.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "interlock/task.hpp"

namespace {

using interlock::run;
using interlock::Task;

// Long enough to live on the heap, where a second destruction is a second free.
constexpr const char* long_text = "a text that is too long for the small-string buffer";

class Tracked {
 public:
  explicit Tracked(std::string text) : text_(std::move(text)) { ++alive; }
  Tracked(const Tracked& other) : text_(other.text_) { ++alive; }
  Tracked(Tracked&& other) noexcept : text_(std::move(other.text_)) { ++alive; }
  Tracked& operator=(const Tracked&) = default;
  Tracked& operator=(Tracked&&) noexcept = default;
  ~Tracked() { --alive; }

  const std::string& text() const { return text_; }

  static int alive;

 private:
  std::string text_;
};
int Tracked::alive = 0;

class CoroutineShapes : public testing::Test {
 protected:
  void SetUp() override { Tracked::alive = 0; }
  void TearDown() override { EXPECT_EQ(Tracked::alive, 0) << "destroyed twice, or not at all"; }
};

Task<Tracked> echo(Tracked value) {
  co_return value;
}
Task<int> number(int value) {
  co_return value;
}
Task<std::string> text_of(Tracked value) {
  co_return value.text();
}
Task<Tracked> joined(Tracked left, Tracked right) {
  co_return Tracked(left.text() + "+" + right.text());
}
Task<std::optional<Tracked>> maybe(bool present) {
  if (!present) co_return std::nullopt;
  co_return Tracked(long_text);
}
Task<void> nothing() {
  co_return;
}

Task<std::string> passes_a_temporary() {
  co_return co_await text_of(Tracked(long_text));
}

TEST_F(CoroutineShapes, ClassTypeWithConstructorIsPassedByValue) {
  EXPECT_EQ(run(passes_a_temporary()), long_text);
}

Task<std::string> moves_a_named_value() {
  Tracked value(long_text);
  const Tracked back = co_await echo(std::move(value));
  co_return back.text();
}

TEST_F(CoroutineShapes, NamedValueIsMovedIn) {
  EXPECT_EQ(run(moves_a_named_value()), long_text);
}

// The operands are scalars or named values. An operand that makes a class object, awaited or not,
// is destroyed by GCC 12 although it was not chosen: use `if` there.
Task<int> chooses_a_scalar(bool first) {
  const int chosen = first ? co_await number(1) : co_await number(2);
  co_return chosen;
}
Task<std::string> chooses_a_named_value(bool first) {
  const Tracked left(long_text);
  const Tracked right("no");
  co_return co_await text_of(first ? left : right);
}

TEST_F(CoroutineShapes, ConditionalOperatorChoosesScalarsAndNamedValues) {
  EXPECT_EQ(run(chooses_a_scalar(true)), 1);
  EXPECT_EQ(run(chooses_a_scalar(false)), 2);
  EXPECT_EQ(run(chooses_a_named_value(true)), long_text);
  EXPECT_EQ(run(chooses_a_named_value(false)), "no");
}

Task<bool> both(bool left, bool right) {
  co_return (co_await maybe(left)).has_value() && (co_await maybe(right)).has_value();
}

TEST_F(CoroutineShapes, LogicalOperatorAwaitsTheRightSideOnlyIfNeeded) {
  EXPECT_TRUE(run(both(true, true)));
  EXPECT_FALSE(run(both(true, false)));
  EXPECT_FALSE(run(both(false, true)));
}

Task<std::string> nests() {
  const Tracked value = co_await joined(co_await echo(Tracked(long_text)),
                                        co_await joined(co_await echo(Tracked("b")), Tracked("c")));
  co_return value.text();
}

TEST_F(CoroutineShapes, ArgumentsAreThemselvesAwaited) {
  EXPECT_EQ(run(nests()), std::string(long_text) + "+b+c");
}

Task<std::pair<Tracked, int>> pair_of() {
  co_return std::pair(Tracked(long_text), 7);
}

Task<std::string> binds() {
  const auto [value, count] = co_await pair_of();
  co_await nothing();
  co_return value.text() + std::to_string(count);
}

TEST_F(CoroutineShapes, StructuredBindingSurvivesTheNextAwait) {
  EXPECT_EQ(run(binds()), std::string(long_text) + "7");
}

Task<std::string> tests_in_if(bool present) {
  if (const auto value = co_await maybe(present); value) {
    co_await nothing();
    co_return value->text();
  } else {
    co_await nothing();
    co_return "none";
  }
}

TEST_F(CoroutineShapes, IfInitialiserAwaits) {
  EXPECT_EQ(run(tests_in_if(true)), long_text);
  EXPECT_EQ(run(tests_in_if(false)), "none");
}

Task<std::vector<Tracked>> three() {
  std::vector<Tracked> values;
  values.emplace_back(long_text);
  values.emplace_back("b");
  values.push_back(co_await echo(Tracked("c")));
  co_return values;
}

Task<std::string> iterates() {
  std::string all;
  for (const Tracked& value : co_await three()) all += co_await text_of(value);
  co_return all;
}

TEST_F(CoroutineShapes, RangeForOverAnAwaitedContainerAwaitsInItsBody) {
  EXPECT_EQ(run(iterates()), std::string(long_text) + "bc");
}

Task<int> switches(int which) {
  switch (co_await number(which)) {
    case 1:
      co_return co_await number(10);
    default:
      break;
  }
  int sum = 0;
  while (co_await number(sum) < 5) sum += co_await number(2);
  co_return sum;
}

TEST_F(CoroutineShapes, SwitchAndWhileAwaitInTheirConditions) {
  EXPECT_EQ(run(switches(1)), 10);
  EXPECT_EQ(run(switches(2)), 6);
}

class Service {
 public:
  explicit Service(Tracked prefix) : prefix_(std::move(prefix)) {}
  virtual ~Service() = default;

  Task<std::string> greet(Tracked name) const {
    const Tracked both = co_await joined(prefix_, std::move(name));
    co_return both.text();
  }
  virtual Task<std::string> override_me(Tracked name) = 0;

 private:
  Tracked prefix_;
};

class Polite : public Service {
 public:
  using Service::Service;
  Task<std::string> override_me(Tracked name) override {
    co_return "dear " + co_await greet(std::move(name));
  }
};

Task<std::string> calls(std::shared_ptr<Service> service) {
  co_return co_await service->override_me(Tracked("you"));
}

TEST_F(CoroutineShapes, MemberAndVirtualCoroutinesReachTheirObject) {
  auto service = std::make_shared<Polite>(Tracked(long_text));
  EXPECT_EQ(run(calls(service)), "dear " + std::string(long_text) + "+you");
}

struct Aggregate {
  Tracked name;
  int attempts;
};

class Outcome {
 public:
  explicit Outcome(Aggregate parts) : parts_(std::move(parts)) {}
  const Aggregate& parts() const { return parts_; }

 private:
  Aggregate parts_;
};

Task<Outcome> passes_on(Outcome outcome) {
  co_return outcome;
}

Task<std::string> names_its_aggregate() {
  // Named, then moved: as a braced temporary beside the co_await, GCC 12 destroys it twice.
  Aggregate parts{Tracked(long_text), 3};
  Outcome outcome(std::move(parts));
  const Outcome back = co_await passes_on(std::move(outcome));
  co_return back.parts().name.text() + std::to_string(back.parts().attempts);
}

TEST_F(CoroutineShapes, NamedAggregateIsMovedInInsideAClass) {
  EXPECT_EQ(run(names_its_aggregate()), std::string(long_text) + "3");
}

class Left {
 public:
  explicit Left(Tracked initial) : value(std::move(initial)) {}
  Tracked value;
};
class Right {
 public:
  explicit Right(int initial) : value(initial) {}
  int value;
};
using Either = std::variant<Left, Right>;

Task<Either> either(bool left) {
  if (left) co_return Left(Tracked(long_text));
  co_return Right(4);
}

Task<std::string> visits(bool left) {
  const Either outcome = co_await either(left);
  if (const auto* which = std::get_if<Left>(&outcome)) co_return co_await text_of(which->value);
  co_return std::to_string(std::get<Right>(outcome).value);
}

TEST_F(CoroutineShapes, VariantOutcomeIsReturnedAndVisited) {
  EXPECT_EQ(run(visits(true)), long_text);
  EXPECT_EQ(run(visits(false)), "4");
}

Task<std::unique_ptr<Tracked>> move_only() {
  co_return std::make_unique<Tracked>(long_text);
}
Task<std::string> consumes(std::unique_ptr<Tracked> value) {
  co_return value->text();
}
Task<std::string> moves_only() {
  co_return co_await consumes(co_await move_only());
}

TEST_F(CoroutineShapes, MoveOnlyValuesPassThrough) {
  EXPECT_EQ(run(moves_only()), long_text);
}

Task<std::string> keeps_across_awaits() {
  std::map<int, Tracked> kept;
  for (int i = 0; i < 3; ++i) kept.emplace(i, co_await echo(Tracked(long_text)));
  std::array<Tracked, 2> fixed = {Tracked("x"), Tracked("y")};
  co_await nothing();
  fixed[0] = co_await echo(Tracked("z"));
  co_return kept.at(2).text() + fixed[0].text() + fixed[1].text();
}

TEST_F(CoroutineShapes, LocalsSurviveAwaits) {
  EXPECT_EQ(run(keeps_across_awaits()), std::string(long_text) + "zy");
}

TEST_F(CoroutineShapes, TaskThatIsNeverRunDestroysItsArguments) {
  auto task = echo(Tracked(long_text));
  EXPECT_EQ(Tracked::alive, 1);
}

TEST_F(CoroutineShapes, TaskIsMovedAndRunLater) {
  auto task = text_of(Tracked(long_text));
  auto moved = std::move(task);
  task = text_of(Tracked("other"));
  EXPECT_EQ(run(std::move(moved)), long_text);
  EXPECT_EQ(run(std::move(task)), "other");
}

Task<int> counts(int times) {
  int sum = 0;
  for (int i = 0; i < times; ++i) sum += co_await number(1);
  co_return sum;
}

// With symmetric transfer this overflows the stack wherever the compiler does not turn the transfer
// into a jump: GCC 12 at -O0 and under the address sanitizer.
TEST_F(CoroutineShapes, AMillionChildrenInARowNeedNoStack) {
  EXPECT_EQ(run(counts(1'000'000)), 1'000'000);
}

// Really suspends, unlike everything above, and leaves it to the test to go on.
class Gate {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  void await_resume() const noexcept {}
  void open() { std::exchange(waiting_, nullptr).resume(); }

 private:
  std::coroutine_handle<> waiting_;
};

Task<std::string> waits(Gate* gate, Tracked value) {
  co_await *gate;
  co_return value.text();
}
Task<std::string> waits_below(Gate* gate) {
  const std::string text = co_await waits(gate, Tracked(long_text));
  co_await *gate;
  co_return text + "!";
}

TEST_F(CoroutineShapes, SuspendedTaskGoesOnWhereItStopped) {
  Gate gate;
  auto task = waits_below(&gate);
  task.start();
  EXPECT_FALSE(task.done());
  gate.open();
  EXPECT_FALSE(task.done());
  gate.open();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.take(), std::string(long_text) + "!");
}

TEST_F(CoroutineShapes, DestroyingASuspendedTaskDestroysTheFramesItAwaits) {
  Gate gate;
  {
    auto task = waits_below(&gate);
    task.start();
    EXPECT_GE(Tracked::alive, 1);
  }
  EXPECT_EQ(Tracked::alive, 0);
}

Task<int> many_suspensions(Gate* gate, int times) {
  int passed = 0;
  for (; passed < times; ++passed) co_await waits(gate, Tracked("short"));
  co_return passed;
}

TEST_F(CoroutineShapes, AHundredThousandSuspensionsInARowNeedNoStack) {
  Gate gate;
  auto task = many_suspensions(&gate, 100'000);
  task.start();
  while (!task.done()) gate.open();
  EXPECT_EQ(task.take(), 100'000);
}

}  // namespace
