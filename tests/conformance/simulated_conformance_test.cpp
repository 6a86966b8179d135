// The store behind the simulator's clients, in virtual time: what a search says of a protocol holds
// for the other stores because all of them pass one suite.
//
// A simulated process is run again from its beginning at every step, so a connection is a process
// that works off a list of requests which only grows. Whenever a request is added, the world is
// built anew and led through the same steps as before.
#include <algorithm>
#include <deque>
#include <vector>

#include "../support/ask.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/sim/simulation.hpp"
#include "store_conformance.hpp"

namespace interlock::testing_support {
namespace {

using sim::Client;
using sim::RunStep;
using sim::Scenario;
using sim::Simulation;
using sim::StepKind;

constexpr milliseconds tick{1};
constexpr std::size_t ticks_max = 2000;

// Beyond any time that a key was given in the suite, and not zero, as no real clock is.
constexpr Duration first_instant = std::chrono::hours{24 * 365};

// All that a world must keep to be built again.
class Tape {
 public:
  // What one connection has asked for so far.
  class Connection {
   public:
    std::deque<Operation> requests;
  };
  // A deque: programs keep pointers to its elements.
  std::deque<Connection> connections;
  std::vector<std::uint32_t> steps;

  // The answers that the last step has brought: connection, number of the request, answer.
  class Answer {
   public:
    std::size_t connection;
    std::size_t request;
    Reply reply;
  };
  std::vector<Answer> answers;
};

Task<void> carry_out(Client& me, Tape* tape, std::size_t connection, std::size_t request) {
  const Operation operation = tape->connections[connection].requests[request];
  Reply reply = co_await test::reply_to(&me.store(), operation);
  tape->answers.push_back(Tape::Answer{connection, request, std::move(reply)});
}

// Each request is let through a gate, so that it is made when the test makes it, and not earlier.
Task<void> connection(Client& me, Tape* tape, std::size_t index) {
  const Tape::Connection* mine = &tape->connections[index];
  for (std::size_t next = 0;; ++next) {
    static_cast<void>(co_await me.write("gate", FencingToken()));
    if (next == mine->requests.size()) co_return;
    me.spawn("request " + std::to_string(next), carry_out(me, tape, index, next));
  }
}

Task<void> keep_reply(KeyValueStore* store, Operation operation, std::optional<Reply>* reply) {
  Reply given = co_await test::reply_to(store, std::move(operation));
  reply->emplace(std::move(given));
}

class SimulatedWorld final : public StoreWorld {
 public:
  SimulatedWorld() { rebuild(); }

  std::unique_ptr<KeyValueStore> open() override {
    tape_.connections.emplace_back();
    rebuild();
    const std::size_t index = tape_.connections.size() - 1;
    take([index](const RunStep& step) { return is_of(step, index, StepKind::start); });
    return std::make_unique<Store>(*this, index);
  }

  void complete(Task<void> task) override {
    task.start();
    go_on_until([&] { return task.done(); });
  }
  void complete_together(Task<void> waiting, Task<void> meanwhile) override {
    waiting.start();
    meanwhile.start();
    go_on_until([&] { return waiting.done() && meanwhile.done(); });
  }

  TimePoint local_now() override { return TimePoint(first_instant + simulation_->now().time); }
  void advance(Duration time) override {
    const TimePoint until = local_now() + time;
    while (local_now() < until) pass_time();
  }

 private:
  class Store final : public KeyValueStore {
   public:
    Store(SimulatedWorld& world, std::size_t index) : world_(world), index_(index) {}
    ~Store() override { world_.close(index_); }
    Submitted submit(PendingOperation& pending) override { return world_.ask(index_, pending); }

   private:
    SimulatedWorld& world_;
    std::size_t index_;
  };
  class Asked {
   public:
    std::size_t connection;
    std::size_t request;
    PendingOperation* pending;
  };
  using Wanted = std::function<bool(const RunStep&)>;

  static bool is_of(const RunStep& step, std::size_t connection, StepKind kind) {
    return step.kind == kind && step.client == connection;
  }

  void rebuild() {
    Scenario scenario("conformance");
    for (std::size_t index = 0; index < tape_.connections.size(); ++index) {
      scenario.client([this, index](Client& me) { return connection(me, &tape_, index); });
    }
    // A scenario has clients, and time passes only while one of them is not done.
    scenario.client(idle);
    scenario.instants(ticks_max, tick).clocks_start_at(first_instant);
    simulation_ = std::make_unique<Simulation>(std::move(scenario));
    for (const std::uint32_t code : tape_.steps) {
      const auto again = simulation_->take(code);
      INTERLOCK_ASSERT(again.has_value());
    }
    tape_.answers.clear();
  }
  static Task<void> idle(Client& me) { static_cast<void>(co_await me.write("never", {})); }

  // Takes the first step that is wanted, without faults and without holding the answer back.
  bool take(const Wanted& wanted) {
    for (const RunStep& step : simulation_->choices()) {
      const bool delivered =
          step.delivered || step.kind == StepKind::time || step.kind == StepKind::start;
      if (!delivered || !wanted(step)) continue;
      // What choices() has tried out is forgotten.
      tape_.answers.clear();
      const auto taken = simulation_->take(step.code);
      EXPECT_TRUE(taken) << taken.error().detail();
      tape_.steps.push_back(step.code);
      return true;
    }
    return false;
  }

  Submitted ask(std::size_t index, PendingOperation& pending) {
    Tape::Connection& connection = tape_.connections[index];
    connection.requests.push_back(pending.operation());
    rebuild();
    EXPECT_TRUE(take([&](const RunStep& step) { return is_of(step, index, StepKind::write); }));
    asked_.push_back(Asked{index, connection.requests.size() - 1, &pending});
    // An interruption is answered on the spot, and ends a wait with it.
    return answer(&pending) ? Submitted::completed : Submitted::pending;
  }

  void close(std::size_t index) {
    rebuild();
    EXPECT_TRUE(take([&](const RunStep& step) { return is_of(step, index, StepKind::write); }));
  }

  // Hands out the answers of the last step; whether `now` was among them.
  bool answer(const PendingOperation* now) {
    bool answered = false;
    const std::vector<Tape::Answer> answers = std::exchange(tape_.answers, {});
    for (const Tape::Answer& one : answers) {
      const auto at = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& asked) {
        return asked.connection == one.connection && asked.request == one.request;
      });
      if (at == asked_.end()) continue;
      PendingOperation* const pending = at->pending;
      asked_.erase(at);
      answered = answered || pending == now;
      pending->complete(one.reply);
    }
    return answered;
  }

  void go_on_until(const std::function<bool()>& done) {
    while (!done()) {
      const bool moved = take([](const RunStep& step) {
        return step.kind == StepKind::operation || step.kind == StepKind::wake;
      });
      if (!moved) pass_time();
      answer(nullptr);
    }
  }
  void pass_time() {
    const bool passed = take([](const RunStep& step) { return step.kind == StepKind::time; });
    INTERLOCK_ASSERT(passed);
  }

  Tape tape_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Asked> asked_;
};

// Only the simulator does this: on Redis a connection that listens twice counts once.
TEST(SimulatedStore, PublishCountsTheSubscriptionsThatAreOpen) {
  SimulatedWorld world;
  const auto store = world.open();
  const auto ask = [&](Operation operation) {
    std::optional<Reply> reply;
    world.complete(keep_reply(store.get(), std::move(operation), &reply));
    return std::move(*reply);
  };
  const auto subscribed = [&] {
    return *ask(Operation(OperationKind::subscribe, Key("news")))->number();
  };
  const auto heard = [&] {
    return *ask(test::operation(OperationKind::publish, "news", "hello"))->number();
  };
  EXPECT_EQ(heard(), 0);
  const SubscriptionId first = subscribed();
  EXPECT_EQ(heard(), 1);
  static_cast<void>(subscribed());
  EXPECT_EQ(heard(), 2);
  Operation end(OperationKind::unsubscribe);
  end.subscription = first;
  ASSERT_TRUE(ask(end));
  EXPECT_EQ(heard(), 1);
}

INSTANTIATE_TEST_SUITE_P(Simulated, StoreConformance, testing::Values(WorldFactory([] {
                           return std::make_unique<SimulatedWorld>();
                         })));

}  // namespace
}  // namespace interlock::testing_support
