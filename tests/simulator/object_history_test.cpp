// The monitor of linearizable() beside a checker that tries all orders, on random histories; and
// the ready specifications.
#include "model/object_history.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace interlock::sim {
namespace {

constexpr std::size_t clients = 3;

// An operation of a whole history; the moments at which it begins and ends are counted through.
class TriedCall {
 public:
  std::size_t client = 0;
  OpenCall call;
  std::size_t begins = 0;
  std::optional<std::size_t> ends;
  std::optional<std::int64_t> result;
  bool is_placed = false;
};

// Wing and Gong: any operation comes first that no operation without a place ends before.
bool has_order(std::vector<TriedCall>& calls,
               const std::vector<std::int64_t>& state,
               const Sequential& specification) {
  const bool all_returned = std::all_of(calls.begin(), calls.end(), [](const TriedCall& call) {
    return call.is_placed || !call.ends;
  });
  if (all_returned) return true;
  for (TriedCall& next : calls) {
    if (next.is_placed) continue;
    const bool waits = std::any_of(calls.begin(), calls.end(), [&next](const TriedCall& other) {
      return !other.is_placed && other.ends && *other.ends < next.begins;
    });
    if (waits) continue;
    next.is_placed = true;
    for (const AllowedResult& one :
         specification.apply(state, next.call.operation, next.call.argument)) {
      if (next.ends && one.result != next.result) continue;
      if (has_order(calls, one.state, specification)) {
        next.is_placed = false;
        return true;
      }
    }
    next.is_placed = false;
  }
  return false;
}

// Draws histories, and tells the monitor and the checker the same.
class Histories {
 public:
  explicit Histories(Sequential specification)
      : property_(linearizable("it", std::move(specification))) {
    history_.name = "it";
    history_.possible.push_back(Configuration{property_.specification.initial, {}, {}});
  }

  void step() {
    const auto client = *rc::gen::inRange<std::size_t>(0, clients);
    ++now_;
    const auto pending = std::find_if(calls_.rbegin(), calls_.rend(), [&](const TriedCall& call) {
      return call.client == client && !call.ends && !is_left(call);
    });
    if (pending == calls_.rend()) return call(client);
    if (*rc::gen::inRange(0, 6) == 0) {
      left_.push_back(pending->begins);
      return history_.leave_open(client);
    }
    pending->ends = now_;
    pending->result = a_result(client);
    history_.give_back(client, pending->result, property_, specifications_, capacity_);
  }

  bool fits() const { return !history_.possible.empty(); }
  bool has_order_by_trying() {
    return has_order(calls_, property_.specification.initial, property_.specification);
  }
  const ObjectHistory& history() const { return history_; }

 private:
  bool is_left(const TriedCall& call) const {
    return std::find(left_.begin(), left_.end(), call.begins) != left_.end();
  }

  void call(std::size_t client) {
    const auto& names = property_.specification.operations;
    TriedCall call;
    call.client = client;
    call.call.operation = names[*rc::gen::inRange<std::size_t>(0, names.size())];
    call.call.argument = *rc::gen::inRange(1, 3);
    call.begins = now_;
    history_.invoke(client, call.call);
    history_.begin(client);
    calls_.push_back(call);
  }

  // Mostly one that fits, so that histories become long.
  std::optional<std::int64_t> a_result(std::size_t client) {
    std::vector<std::optional<std::int64_t>> all = {std::nullopt, 0, 1, 2, 3};
    const bool any = *rc::gen::inRange(0, 8) == 0;
    const auto misfits = std::partition(all.begin(), all.end(), [&](const auto& result) {
      ObjectHistory trial = history_;
      trial.give_back(client, result, property_, specifications_, capacity_);
      return !trial.possible.empty();
    });
    if (!any && misfits != all.begin()) all.erase(misfits, all.end());
    return all[*rc::gen::inRange<std::size_t>(0, all.size())];
  }

  Property property_;
  Specifications specifications_;
  Widths widths_;
  Capacity capacity_{widths_};
  ObjectHistory history_;
  std::vector<TriedCall> calls_;
  std::vector<std::size_t> left_;
  std::size_t now_ = 0;
};

void agrees_with_trying_on_one(const Sequential& specification) {
  Histories histories(specification);
  const auto steps = *rc::gen::inRange(1, 18);
  bool fits = true;
  for (int step = 0; step < steps && fits; ++step) {
    histories.step();
    fits = histories.fits();
    RC_ASSERT(fits == histories.has_order_by_trying());
  }
}

void agrees_with_trying(const Sequential& specification) {
  constexpr int histories = 20;
  for (int at = 0; at < histories; ++at) agrees_with_trying_on_one(specification);
}

RC_GTEST_PROP(ObjectHistory, AgreesWithTryingOnRegisters, ()) {
  agrees_with_trying(sequential::a_register());
}
RC_GTEST_PROP(ObjectHistory, AgreesWithTryingOnCounters, ()) {
  agrees_with_trying(sequential::counter());
}
RC_GTEST_PROP(ObjectHistory, AgreesWithTryingOnQueues, ()) {
  agrees_with_trying(sequential::queue());
}
RC_GTEST_PROP(ObjectHistory, AgreesWithTryingOnSets, ()) {
  agrees_with_trying(sequential::set());
}

// An operation may end in several ways: a bag gives back any number that is in it.
RC_GTEST_PROP(ObjectHistory, AgreesWithTryingOnBags, ()) {
  Sequential bag = sequential::queue();
  bag.apply = [](const auto& state, const auto& operation, auto argument) {
    std::vector<AllowedResult> all;
    std::vector<std::int64_t> next = state;
    if (operation == "push") {
      next.insert(std::upper_bound(next.begin(), next.end(), *argument), *argument);
      return std::vector<AllowedResult>{{std::nullopt, next}};
    }
    if (state.empty()) all.push_back({std::nullopt, {}});
    for (std::size_t at = 0; at < state.size(); ++at) {
      next = state;
      next.erase(next.begin() + static_cast<std::ptrdiff_t>(at));
      all.push_back({state[at], next});
    }
    return all;
  };
  agrees_with_trying(bag);
}

std::string bytes_of(const ObjectHistory& history) {
  Encoder identity;
  history.encode(identity);
  return identity.take();
}

// Clients that have changed places twice are where they were; roles move with them.
RC_GTEST_PROP(ObjectHistory, IsRenamedBackAndForth, ()) {
  Histories histories(sequential::a_register());
  const auto steps = *rc::gen::inRange(1, 10);
  for (int step = 0; step < steps && histories.fits(); ++step) histories.step();
  ObjectHistory renamed = histories.history();
  const Permutation swap = Permutation::swap(0, 2);
  renamed.rename(swap);
  for (std::size_t client = 0; client < clients; ++client) {
    RC_ASSERT(renamed.role(swap[client]) == histories.history().role(client));
  }
  renamed.rename(swap);
  RC_ASSERT(bytes_of(renamed) == bytes_of(histories.history()));
}

// --- ready specifications ------------------------------------------------------------------------

std::vector<AllowedResult> after(const Sequential& object_is,
                                 const std::vector<std::int64_t>& state,
                                 const std::string& operation,
                                 std::optional<std::int64_t> argument = std::nullopt) {
  return object_is.apply(state, operation, argument);
}

TEST(Sequential, HasTheResultsThatItSays) {
  using All = std::vector<AllowedResult>;
  EXPECT_EQ(after(sequential::queue(), {1, 2}, "pop"), (All{{1, {2}}}));
  EXPECT_EQ(after(sequential::queue(), {}, "pop"), (All{{std::nullopt, {}}}));
  EXPECT_EQ(after(sequential::queue(), {1}, "push", 2), (All{{std::nullopt, {1, 2}}}));
  EXPECT_EQ(after(sequential::set(), {2}, "add", 1), (All{{1, {1, 2}}}));
  EXPECT_EQ(after(sequential::set(), {1, 2}, "add", 2), (All{{0, {1, 2}}}));
  EXPECT_EQ(after(sequential::set(), {1, 2}, "remove", 1), (All{{1, {2}}}));
  EXPECT_EQ(after(sequential::set(), {1}, "remove", 2), (All{{0, {1}}}));
  EXPECT_EQ(after(sequential::set(), {1}, "contains", 1), (All{{1, {1}}}));
  EXPECT_EQ(after(sequential::set(), {1}, "contains", 2), (All{{0, {1}}}));
  EXPECT_EQ(after(sequential::a_register(3), {3}, "read"), (All{{3, {3}}}));
  EXPECT_EQ(after(sequential::a_register(3), {3}, "write", 4), (All{{std::nullopt, {4}}}));
  EXPECT_EQ(after(sequential::counter(3), {3}, "read"), (All{{3, {3}}}));
  EXPECT_EQ(sequential::counter(3).initial, std::vector<std::int64_t>{3});
}

}  // namespace
}  // namespace interlock::sim
