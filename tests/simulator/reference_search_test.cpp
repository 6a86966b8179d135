// The search against the plainest possible one: no tables, no numbers, no memory of states. Every
// schedule is run from its beginning on real coroutines over core's own keyspace; what the two must
// agree in is the set of worlds that can be reached, and the steps between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "interlock/sim/explore.hpp"
#include "interlock/store/keyspace.hpp"

namespace interlock::sim {
namespace {

constexpr std::chrono::seconds instant{1};

// A process of the reference: one task over one store. It writes down all that it learns.
class PlainProcess final : public Client, private KeyValueStore, private TimeSource, TokenSource {
 public:
  PlainProcess(const Program& program, std::string name) : name_(std::move(name)) {
    task_.emplace(program(*this));
  }

  KeyValueStore& store(std::size_t) override { return *this; }
  TimeSource& time() override { return *this; }
  TimeSource& wall_clock() override { return *this; }
  TokenSource& tokens() override { return *this; }
  void spawn(std::string, Task<void>) override { FAIL(); }
  void enter(std::string, FencingToken) override { inside = true; }
  void wants(std::string) override {}
  void gives_up(std::string) override {}
  std::uint64_t choose(std::uint64_t) override { return 0; }
  void remembers(std::function<std::vector<std::int64_t>()>) override {}
  void reach(std::string, bool) override {}

  bool started = false;
  bool inside = false;
  bool read_clock = false;
  PendingOperation* operation = nullptr;
  PendingSleep* sleep = nullptr;
  PendingStep* step = nullptr;
  std::string history;

  bool crashed = false;
  bool done() const { return crashed || (started && task_->done()); }
  void run(TimePoint now, const std::string& learned) {
    now_ = now;
    read_clock = false;
    if (!started) {
      started = true;
      task_->start();
    } else if (auto* const asked = std::exchange(operation, nullptr)) {
      asked->complete(*answer);
    } else if (auto* const slept = std::exchange(sleep, nullptr)) {
      slept->resume();
    } else {
      std::exchange(step, nullptr)->complete(1);
    }
    while (step != nullptr && step->kind == PendingStepKind::loop_head) {
      std::exchange(step, nullptr)->complete(0);
    }
    history += learned;
    if (read_clock) history += "@" + std::to_string(now.time_since_epoch().count());
    history += ";";
  }
  std::optional<Reply> answer;

 private:
  Submitted submit(PendingOperation& pending) override {
    operation = &pending;
    return Submitted::pending;
  }
  void submit(PendingStep& pending) override { step = &pending; }
  TimePoint now() override {
    read_clock = true;
    return now_;
  }
  bool park(PendingSleep& pending) override {
    if (pending.until() <= now()) return false;
    sleep = &pending;
    return true;
  }
  void wake(PendingSleep&) override {}
  OwnerToken fresh() override { return OwnerToken("il1:" + name_ + std::to_string(++drawn_)); }
  std::uint64_t below(std::uint64_t) override { return 0; }

  std::string name_;
  TimePoint now_{};
  std::uint64_t drawn_ = 0;
  std::optional<Task<void>> task_;
};

// One world, run along a schedule. A choice is a number among those possible.
class PlainWorld {
 public:
  explicit PlainWorld(const Scenario& scenario) : scenario_(scenario) {
    for (const Scenario::ClientProgram& process : scenario.processes()) {
      processes_.push_back(std::make_unique<PlainProcess>(process.program, process.name));
    }
    for (const auto& key : scenario.initial_keys()) keys_.put(key.key, key.entry);
    held_.resize(processes_.size());
    pass_time(0);
  }

  std::vector<std::string> choices() {
    std::vector<std::string> choices;
    bool all_done = true;
    for (std::size_t who = 0; who < processes_.size(); ++who) {
      const PlainProcess& process = *processes_[who];
      if (process.done()) continue;
      all_done = false;
      const std::string name(1, static_cast<char>('0' + who));
      const bool may_crash = crashes_ < scenario_.faults().limit(Fault::crash);
      if (process.started && may_crash) choices.push_back("crash " + name);
      if (process.sleep != nullptr && process.sleep->until() > now()) continue;
      // A schedule may always cut a step in two; whether that was worth a state shows in the count
      // of worlds, not of schedules.
      choices.push_back("move " + name);
      const bool may_hold = !process.started || (process.operation != nullptr && !held_[who]);
      if (may_hold) choices.push_back("hold " + name);
      if (!process.started) choices.push_back("start " + name);
    }
    if (!all_done && time_ + 1 < scenario_.instants()) choices.push_back("time");
    return choices;
  }

  void take(const std::string& choice) {
    if (choice == "time") {
      pass_time(time_ + 1);
      return;
    }
    const auto who = static_cast<std::size_t>(choice.back() - '0');
    PlainProcess& process = *processes_[who];
    if (choice.starts_with("crash")) {
      process.crashed = true;
      process.inside = false;
      held_[who].reset();
      ++crashes_;
      return;
    }
    if (choice.starts_with("hold")) {
      if (!process.started) process.run(now(), "start");
      if (process.operation != nullptr) held_[who] = answer(who);
      return;
    }
    if (!process.started) {
      process.run(now(), "start");
      if (choice.starts_with("start") || process.operation == nullptr) return;
    }
    deliver(who);
  }

  // Everything that can matter to what comes after.
  // `who_is_who`: whether identical processes are told apart.
  std::string description(bool who_is_who = true) {
    std::string text = std::to_string(time_);
    if (crashes_ > 0) text += " crashes " + std::to_string(crashes_);
    for (const auto& [key, entry] : keys_.entries()) {
      text += "|" + key.text() + "=" + entry.value;
      if (entry.expiry) text += "/" + std::to_string(entry.expiry->count());
    }
    std::vector<std::string> each;
    for (std::size_t who = 0; who < processes_.size(); ++who) {
      const PlainProcess& process = *processes_[who];
      each.push_back(process.done() ? "|done" : "|" + process.history);
      if (held_[who]) each.back() += " holds " + say(*held_[who]);
      if (process.inside) each.back() += " inside";
      if (process.crashed) each.back() = "|crashed";
    }
    if (!who_is_who) std::sort(each.begin(), each.end());
    for (const std::string& one : each) text += one;
    return text;
  }

  bool asks(std::size_t who) const { return processes_[who]->operation != nullptr; }
  bool has_started(std::size_t who) const { return processes_[who]->started; }
  // Whether a held answer makes a difference: the client reads its clock when it gets it.
  bool hold_matters(std::size_t who) const { return processes_[who]->read_clock; }

 private:
  static std::string say(const Reply& reply) {
    return reply ? to_string(*reply) : std::string(to_string(reply.error().code()));
  }
  TimePoint now() const {
    return TimePoint(scenario_.first() + instant * static_cast<std::int64_t>(time_));
  }
  void pass_time(std::size_t time) {
    time_ = time;
    keys_.set_now(StoreTime(now().time_since_epoch()));
    std::vector<Key> all;
    for (const auto& [key, entry] : keys_.entries()) all.push_back(key);
    for (const Key& key : all) static_cast<void>(keys_.find(key));
  }
  Reply answer(std::size_t who) { return apply(keys_, processes_[who]->operation->operation()); }
  void deliver(std::size_t who) {
    PlainProcess& process = *processes_[who];
    std::string learned;
    if (process.operation != nullptr) {
      process.answer = held_[who] ? *held_[who] : answer(who);
      held_[who].reset();
      learned = say(*process.answer);
    } else if (process.step != nullptr) {
      process.inside = false;
    }
    process.run(now(), learned);
  }

  class Keys final : public MemoryKeyspace {
   public:
    std::int64_t publish(const Channel&, const std::string&) override { return 0; }
  };

  const Scenario& scenario_;
  Keys keys_;
  std::vector<std::unique_ptr<PlainProcess>> processes_;
  std::vector<std::optional<Reply>> held_;
  std::size_t time_ = 0;
  std::size_t crashes_ = 0;
};

// Which answers may be held back so that it matters is known only after delivering them: a hold is
// kept in the schedule if the same answer, delivered at once, would make the client read its clock.
bool worth_it(const Scenario& scenario,
              const std::vector<std::string>& path,
              const std::string& choice) {
  const bool hold = choice.starts_with("hold");
  const bool start = choice.starts_with("start");
  if (!hold && !start) return true;
  PlainWorld world(scenario);
  for (const std::string& step : path) world.take(step);
  const auto who = static_cast<std::size_t>(choice.back() - '0');
  const std::vector<std::string> before = world.choices();
  if (!world.has_started(who)) {
    world.take("start " + std::string(1, choice.back()));
    if (!world.asks(who)) return false;  // to move is the same step
  }
  if (hold) world.take("move " + std::string(1, choice.back()));
  const bool last = std::find(before.begin(), before.end(), "time") == before.end();
  return world.hold_matters(who) && !last;
}

class Reference {
 public:
  std::uint64_t states = 0;
  std::uint64_t states_up_to_names = 0;
  std::uint64_t transitions = 0;
  std::uint64_t runs = 0;
};

Reference search(const Scenario& scenario) {
  Reference result;
  std::set<std::string> seen;
  std::set<std::string> edges;
  std::vector<std::vector<std::string>> untried{{}};
  std::set<std::string> seen_up_to_names;
  seen.insert(PlainWorld(scenario).description());
  seen_up_to_names.insert(PlainWorld(scenario).description(false));
  while (!untried.empty()) {
    const std::vector<std::string> path = std::move(untried.back());
    untried.pop_back();
    PlainWorld here(scenario);
    for (const std::string& step : path) here.take(step);
    for (const std::string& choice : here.choices()) {
      if (!worth_it(scenario, path, choice)) continue;
      ++result.transitions;
      ++result.runs;
      PlainWorld next(scenario);
      for (const std::string& step : path) next.take(step);
      next.take(choice);
      seen_up_to_names.insert(next.description(false));
      if (!seen.insert(next.description()).second) continue;
      std::vector<std::string> longer = path;
      longer.push_back(choice);
      untried.push_back(std::move(longer));
    }
  }
  result.states = seen.size();
  result.states_up_to_names = seen_up_to_names.size();
  return result;
}

Task<void> set_and_delete(Client& me, int rounds, bool looks_at_clock) {
  const Key key("k");
  for (int left = rounds; left > 0; --left) {
    std::string value = "v";
    if (looks_at_clock) value += std::to_string(me.time().now().time_since_epoch().count());
    const Result<bool> won = co_await me.store().set_if_absent(key, value, milliseconds{1000});
    if (won && *won) {
      me.enter("k");
      co_await me.leave("k");
      static_cast<void>(co_await me.store().erase(key));
      co_return;
    }
    const Result<std::optional<std::string>> seen = co_await me.store().get(key);
    if (seen && !*seen) continue;
    co_await me.time().sleep_until(me.time().now() + instant);
  }
}

class ReferenceSearch : public ::testing::TestWithParam<std::tuple<int, int, int, bool, int>> {
 protected:
  static Scenario scenario() {
    const auto [clients, rounds, instants, looks_at_clock, crashes] = GetParam();
    Scenario scenario("reference");
    const int bound = rounds;
    const bool looks = looks_at_clock;
    scenario
        .clients(static_cast<std::size_t>(clients),
                 [=](Client& me) { return set_and_delete(me, bound, looks); })
        .instants(static_cast<std::size_t>(instants), instant)
        .initially(Key("k"), Entry("old", milliseconds{0}))
        .require(mutual_exclusion("k"));
    if (crashes > 0) {
      scenario.faults(FaultBudget().allow(Fault::crash, static_cast<std::size_t>(crashes)));
    }
    return scenario;
  }
  static Verdict all_of(const Scenario& scenario) {
    Limits limits;
    limits.count_violations = true;
    return explore(scenario, limits);
  }
};

TEST_P(ReferenceSearch, ReachesTheSameWorldsByTheSameNumberOfSteps) {
  const Scenario told_apart = scenario().symmetry(false);
  const Verdict verdict = all_of(told_apart);
  const Reference reference = search(told_apart);
  EXPECT_EQ(verdict.states, reference.states);
  EXPECT_EQ(verdict.transitions, reference.transitions);
  EXPECT_GT(verdict.states, 5U);
}

TEST_P(ReferenceSearch, MergesWithSymmetryWhatDiffersInNamesAlone) {
  const Scenario merged = scenario();
  EXPECT_EQ(all_of(merged).states, search(merged).states_up_to_names);
}

INSTANTIATE_TEST_SUITE_P(SmallScenarios,
                         ReferenceSearch,
                         ::testing::Values(std::tuple(1, 1, 2, false, 0),
                                           std::tuple(2, 1, 1, false, 0),
                                           std::tuple(2, 1, 2, false, 0),
                                           std::tuple(2, 1, 3, true, 0),
                                           std::tuple(2, 2, 2, true, 0),
                                           std::tuple(2, 2, 3, false, 0),
                                           std::tuple(3, 1, 2, false, 0),
                                           std::tuple(1, 1, 2, false, 1),
                                           std::tuple(2, 1, 2, false, 1),
                                           std::tuple(2, 1, 2, true, 1),
                                           std::tuple(2, 1, 2, false, 2),
                                           std::tuple(3, 1, 1, false, 1)));

}  // namespace
}  // namespace interlock::sim
