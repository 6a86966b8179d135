// The longest time that a search without an end of time has seen.
#pragma once

#include <string>

#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Longest {
 public:
  explicit Longest(Duration most) : most_(most) {}

  Duration most() const { return most_; }
  // `what` is called for the name of what lasts so long: `SET lock 1 PX 10000`.
  template <class Name>
  void see(Duration length, Name what) {
    if (length <= most_ || length <= longer_) return;
    longer_ = length;
    what_ = what();
  }
  // The longest that was seen, if it is longer than most(); zero: nothing is.
  Duration longer() const { return longer_; }
  const std::string& what() const { return what_; }

 private:
  Duration most_;
  Duration longer_{0};
  std::string what_;
};

// The `longest` of a scenario that calls time_without_end() without one: it begins with one instant
// and grows after each try to the longest that was seen, until a try sees nothing longer.
class LongestGuess {
 public:
  explicit LongestGuess(const Scenario& scenario)
      : most_(scenario.apart() * Scenario::longest_max),
        open_(scenario.endless() && !scenario.longest()),
        guess_(scenario.apart()) {}

  // The first try has this one, which an earlier try has led to.
  void begin_with(Duration guess) { guess_ = guess; }
  // Called before each try.
  void settle(Scenario& scenario) {
    if (open_) scenario.time_without_end(guess_);
    is_new_ = false;
  }
  // Called after each try.
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
