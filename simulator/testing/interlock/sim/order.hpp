// A run repeated by the order in which its clients move, for a lock that has changed since: what
// regression_test() writes.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/sim/draw.hpp"
#include "interlock/sim/schedule.hpp"
#include "interlock/sim/simulation.hpp"
#include "interlock/sim/violation.hpp"

namespace interlock::sim::testing {

// Takes the steps of an order, and leaves out those that are not possible: a client of a repaired
// lock may have ended sooner, or may ask something else.
class OrderedSteps final : public Strategy {
 public:
  explicit OrderedSteps(std::string_view order) {
    std::istringstream words{std::string(order)};
    for (std::string word; words >> word;) {
      if (word == "(") loop_word_ = words_.size();
      if (word != "(" && word != ")") words_.push_back(word);
    }
  }

  bool begin_run(std::uint64_t) override { return true; }

  std::size_t choose(const Run& so_far, const std::vector<RunStep>& choices) override {
    for (; at_ < words_.size(); ++at_) {
      note_loop(so_far);
      const std::size_t found = find(words_[at_], choices);
      if (found == choices.size()) {
        ++left_out_;
        continue;
      }
      ++at_;
      return found;
    }
    note_loop(so_far);
    return end_of_run;
  }

  // The step from which the run repeats for ever; none if the order says nothing of it, or if a
  // step was left out.
  std::optional<std::size_t> loop(const Run& run) {
    at_ = words_.size();
    note_loop(run);
    return left_out_ == 0 && loop_word_ ? loop_step_ : std::nullopt;
  }
  std::size_t left_out() const { return left_out_; }

 private:
  void note_loop(const Run& so_far) {
    if (loop_word_ == at_ && !loop_step_) loop_step_ = so_far.steps.size();
  }

  static std::size_t find(const std::string& word, const std::vector<RunStep>& choices) {
    for (std::size_t at = 0; at < choices.size(); ++at) {
      if (print_short(choices[at]) == word) return at;
    }
    return choices.size();
  }

  std::vector<std::string> words_;
  std::optional<std::size_t> loop_word_;
  std::optional<std::size_t> loop_step_;
  std::size_t at_ = 0;
  std::size_t left_out_ = 0;
};

// Lets the clients move in this order, and fails if a step, or what repeats for ever at the end,
// violates a property. Steps that are not possible are left out.
inline ::testing::AssertionResult holds_in_order(const char* what,
                                                 const char*,
                                                 const Scenario& scenario,
                                                 std::string_view order) {
  Simulation simulation(scenario);
  OrderedSteps steps(order);
  constexpr std::size_t most = 100'000;
  const Result<std::size_t> taken = simulation.follow(steps, most);
  if (!taken) return ::testing::AssertionFailure() << what << ": " << taken.error().detail();
  if (const auto loop = steps.loop(simulation.run()); loop && !violating_step(simulation.run())) {
    // Where it violates nothing, this notes nothing in the run.
    static_cast<void>(simulation.close_loop(*loop));
  }
  if (!violating_step(simulation.run())) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << what << " violates '" << violated_property(simulation.run()) << "' in this order:\n"
         << draw_text(simulation.run());
}

}  // namespace interlock::sim::testing

// `order` as order_of() writes it: `1 1 2 t 2`.
#define EXPECT_HOLDS_IN_ORDER(scenario, order) \
  EXPECT_PRED_FORMAT2(::interlock::sim::testing::holds_in_order, scenario, order)
