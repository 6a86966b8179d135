// The complete search through all runs of a scenario, and what it found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Progress {
 public:
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::size_t depth = 0;
  std::size_t faults = 0;
};

// Lends a search its threads: the simulator has none of its own. ThreadTeam (thread_team.hpp)
// is one.
class Team {
 public:
  virtual ~Team() = default;
  virtual std::size_t size() const = 0;
  // Calls job(0), job(1), ... job(count - 1), each once, some of them at the same time, and returns
  // when all have returned: what they did is then seen by the caller, and by every later job.
  virtual void run(std::size_t count, const std::function<void(std::size_t)>& job) = 0;
};

class Widths;

class Limits {
 public:
  std::uint64_t states = 100'000'000;
  std::uint32_t local_states = 1'000'000;  // of one program
  std::uint32_t program_steps = 1'000;     // of one client; who retries for ever has more
  // Bytes that the search keeps: states and tables exactly, the learned programs by estimate. The
  // process needs more, for a moment up to half as much again.
  std::uint64_t memory = usual_memory;
  static constexpr std::uint64_t usual_memory = std::uint64_t{4} << 30;
  // Goes on after a violation and only counts; the run is the first one's.
  bool count_violations = false;
  // Called after each level, every so often within one, while loops are looked for, and while the
  // programs' promises are checked; false ends the search: `incomplete` if it has found nothing.
  std::function<bool(const Progress&)> proceed;
  // Does the larger levels together; null: the calling thread does all. The verdict is the same.
  // Programs, properties and `proceed` are called by the calling thread alone.
  Team* team = nullptr;
  std::size_t team_from = 1024;  // states of a level: fewer are not worth a call

  // The limits that were lowered: `, at most 1000 states`. Empty: none was.
  std::string bounds() const;
  // For tests of the search itself: how many different things of each kind it can tell apart. Null:
  // as many as it has room for. Where they run out, the verdict is `incomplete`.
  const Widths* widths = nullptr;
};

enum class Outcome : std::uint8_t {
  proved,      // every run within the bounds was looked at, and each goal was reached
  violated,    // `run` breaks `property`; no run breaks one with fewer faults, nor with as many
               // faults in fewer steps. If it goes round for ever, that is said of the steps before
               // its loop; the loop is the shortest there is from there
  incomplete,  // a limit ended the search before it could tell; `reason` says which
  invalid,     // the scenario itself is wrong: a client that is not deterministic, a loop head that
               // hides state, a mistake in a program, a goal that was never reached. `reason` says
               // what, where, and what to change
};
std::string_view to_string(Outcome outcome) noexcept;

// What some run must reach so that a property says something, or because sometimes() names it.
class Goal {
 public:
  std::string name;
  bool reached = false;
};

// A property that would hold in these bounds whatever the programs did.
class Vacuous {
 public:
  Property::Kind kind;
  std::string property;  // its name
  std::string goal;      // that no run reaches
};

// The same on every machine, with every compiler and at every try.
class Verdict {
 public:
  Outcome outcome = Outcome::incomplete;
  std::string scenario;
  std::string bounds;  // of the outcome: Scenario::bounds(), then Limits::bounds()
  // What it rests on and the search has not checked in full, a few words each: `loop_head of A`.
  std::vector<std::string> trusts;
  std::string reason;            // of `incomplete` and `invalid`
  std::string property;          // that was violated
  Run run;                       // of a violation
  std::uint64_t violations = 0;  // transitions that break a property
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::size_t depth = 0;             // steps of the longest shortest run
  std::uint32_t local_states = 0;    // of all programs together
  std::uint32_t coroutine_runs = 0;  // how often a program was run to learn them
  std::size_t bytes_per_state = 0;   // of states, and of the graph of loops, if one is made
  std::vector<Goal> goals;
  // With `invalid`: the properties about which nothing was proved, where all else holds.
  std::vector<Vacuous> vacuous;
  // With `incomplete`: the bytes that the search was to keep at most. 0: this did not end it.
  std::uint64_t memory_limit = 0;
};

Verdict explore(const Scenario& scenario, const Limits& limits = {});

// A few lines: outcome, bounds, what it trusts, figures, goals.
std::string describe(const Verdict& verdict);

}  // namespace interlock::sim
