// A run as text that can be kept, sent and repeated: docs/schedule-format.md. A schedule describes
// what each step does, and is no seed: people can read it, it stays valid when the search changes,
// and a replay checks every step.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/error.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

// The options with which a scenario of the catalogue was built: `clients` → `2`. In the order of
// the file.
using ScheduleOptions = std::vector<std::pair<std::string, std::string>>;

// One step as it stands in a line: `A SETNX lock.foo 112 -> 0`.
class ScheduleStep {
 public:
  std::string mover;     // `A`, `A/renewal`, `world`
  std::string action;    // `SETNX lock.foo 112`, `fault crash`
  std::string reply;     // `0`; empty: none
  std::size_t line = 0;  // in the file; 0: not from a file

  friend bool operator==(const ScheduleStep& one, const ScheduleStep& other) {
    return one.mover == other.mover && one.action == other.action && one.reply == other.reply;
  }
};

class Schedule {
 public:
  std::string scenario;
  ScheduleOptions options;
  std::string violated;    // the property that is broken first; empty: none
  std::size_t length = 0;  // the step that breaks it, counted from 1; if none does, how many steps
  std::size_t expectation_line = 0;
  std::vector<ScheduleStep> steps;
  std::optional<std::size_t> loop;  // as in Run
  std::size_t loop_line = 0;

  friend bool operator==(const Schedule& one, const Schedule& other) {
    return one.scenario == other.scenario && one.options == other.options &&
           one.violated == other.violated && one.length == other.length &&
           one.steps == other.steps && one.loop == other.loop;
  }
};

Schedule make_schedule(const Run& run, ScheduleOptions options = {});

// The text of a schedule. parse_schedule() of it gives the schedule back: characters that would
// break a line are escaped.
std::string print(const Schedule& schedule);

// `invalid_argument`, with the number of the line and what was expected there.
Result<Schedule> parse_schedule(std::string_view text);

// Repeats the steps in a scenario that the caller has built from name and options. Stops with
// `invalid_argument` at the first step that does not fit: `step 9: the file says C2 GETSET
// lock.foo, C2 is at GET lock.foo`; likewise if the first violation differs from the expected one,
// or a loop does not lead back to its first state, or is not weakly fair.
Result<Run> replay(const Scenario& scenario, const Schedule& schedule);

// The same without the check of the violation: takes as many steps as fit, for comparisons.
class Replayed {
 public:
  Run run;
  std::optional<Error> stopped;  // why not all steps were taken
};
Replayed replay_while_it_fits(const Scenario& scenario, const Schedule& schedule);

// The one-line form: `setnx-race:11221122`, `stamp-lock,clients=3:11t2`. A usual step is one
// character: a client's number, or `t` when time passes. Steps that repeat for ever are in brackets
// at the end: `starvation:213(12223)`; `()`: nothing can, or need, happen any more.
class ShortSchedule {
 public:
  std::string scenario;
  ScheduleOptions options;
  std::string steps;
};
std::string print_short(const Run& run, const ScheduleOptions& options = {});
// One step of it: `1`, `t`, `x2`. Two steps that are possible at one time have different texts.
std::string print_short(const RunStep& step);
// `invalid_argument`: not of this form. Only replay() checks the steps.
Result<ShortSchedule> parse_short(std::string_view text);
Result<Run> replay(const Scenario& scenario, const ShortSchedule& schedule);

}  // namespace interlock::sim
