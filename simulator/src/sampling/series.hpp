// A series of runs, whose steps one chooser chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sampling/step_chooser.hpp"

namespace interlock::sim {

class Series {
 public:
  // At most so many runs; one of more steps is cut off.
  Series(std::unique_ptr<StepChooser> chooser, std::uint64_t runs_most, std::size_t steps_most)
      : chooser_(std::move(chooser)), runs_most_(runs_most), steps_most_(steps_most) {}

  // Takes one run. Asks before each step whether it goes on, and else leaves the run where it is.
  void take_run(WalkedStates& walked, const std::function<bool()>& goes_on);
  // Takes runs while `walked` does not learn, until it has taken about so many more steps. A run
  // that comes to what is not known has not begun: then is_stuck().
  void take_known_runs(WalkedStates& walked, std::uint64_t steps);

  // No further run is possible: all are taken, one has broken a property, or the chooser has ended
  // them.
  bool is_over() const { return violated != 0 || ended_ || (runs == runs_most_ && !repeats_); }
  bool is_stuck() const { return stuck_; }
  // By its chooser.
  bool has_ended() const { return ended_; }
  std::string failure() const { return chooser_->failure(); }

  std::uint64_t runs = 0;  // also the one that is being taken
  std::uint64_t steps = 0;
  std::uint64_t cut_off = 0;
  std::size_t longest = 0;
  std::uint16_t violated = 0;  // the property that the last run has broken, counted from 1
  std::vector<Action> path;    // the last run

 private:
  enum class RunEnd : std::uint8_t { ended, cut_off, left, unknown };

  template <class GoesOn>
  void one_run(WalkedStates& walked, GoesOn goes_on);
  template <class GoesOn>
  RunEnd walk(WalkedStates& walked, GoesOn goes_on);
  void take_back_run();

  std::unique_ptr<StepChooser> chooser_;
  std::uint64_t runs_most_;
  std::size_t steps_most_;
  bool ended_ = false;
  bool stuck_ = false;
  bool repeats_ = false;  // the next run repeats the last one, which has only measured something
};

}  // namespace interlock::sim
