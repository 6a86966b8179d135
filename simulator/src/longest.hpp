// What lasts longer than a search without an end of time tells apart.
#pragma once

#include <string>

#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Longest {
 public:
  explicit Longest(Duration most) : most_(most) {}

  Duration most() const { return most_; }
  // `what` makes its name, as `SET lock 1 PX 10000`.
  template <class Name>
  void see(Duration length, Name what) {
    if (length <= most_ || length <= longer_) return;
    longer_ = length;
    what_ = what();
  }
  // The longest that was seen of what is longer than `most`; zero: nothing is.
  Duration longer() const { return longer_; }
  const std::string& what() const { return what_; }

 private:
  Duration most_;
  Duration longer_{0};
  std::string what_;
};

// What a scenario leaves open that time without an end needs to know: from one try to the next it
// grows to the longest that was seen, and so soon no more.
class LongestGuess {
 public:
  explicit LongestGuess(const Scenario& scenario)
      : most_(scenario.apart() * Scenario::longest_max),
        open_(scenario.endless() && !scenario.longest()),
        guess_(scenario.apart()) {}

  // Before each try.
  void settle(Scenario& scenario) {
    if (open_) scenario.time_without_end(guess_);
    is_new_ = false;
  }
  // After it.
  void learn(Duration longer) {
    is_new_ = open_ && longer > guess_ && longer <= most_;
    if (is_new_) guess_ = longer;
  }
  bool is_new() const { return is_new_; }

 private:
  Duration most_;
  bool open_;
  Duration guess_;
  bool is_new_ = false;
};

}  // namespace interlock::sim
