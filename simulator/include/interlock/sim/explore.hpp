// The exhaustive search through all runs of a scenario, and its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interlock/sim/coverage.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class Progress {
 public:
  std::uint64_t states = 0;       // found so far
  std::uint64_t transitions = 0;  // taken so far
  std::size_t depth = 0;          // the level that is searched: the steps of its runs
  std::size_t faults = 0;         // the faults of its runs
};

// An executor that lends a search its threads: the simulator has none of its own. ThreadTeam
// (thread_team.hpp) is one.
class Team {
 public:
  virtual ~Team() = default;
  virtual std::size_t size() const = 0;
  // Calls job(0), job(1), ... job(count - 1), each once, some of them at the same time, and returns
  // when all have returned: the caller and every later job then see the effects of all.
  virtual void run(std::size_t count, const std::function<void(std::size_t)>& job) = 0;
};

class Widths;

// A search that reaches one of these, or that has more different things of a kind than its tables
// can number, is `incomplete` and says which.
class Limits {
 public:
  std::uint64_t states = 100'000'000;
  std::uint32_t local_states = 1'000'000;  // that one program may have
  std::uint32_t program_steps = 1'000;  // that one client may take; one that retries for ever needs
                                        // a loop_head or `remembers`
  // Bytes that the search keeps: states and tables exactly, the learned programs by estimate. The
  // process needs more, for a moment up to half as much again.
  std::uint64_t memory = usual_memory;
  static constexpr std::uint64_t usual_memory = std::uint64_t{4} << 30;
  // How many steps of each program the search repeats at its end; it repeats each step that it has
  // learned at least once. Choose fewer for programs that take long to run; a program that is only
  // sometimes not deterministic is then found less often.
  std::uint64_t repeated_steps = 2'000;
  // True: the search goes on after a violation and counts all of them; the run is that of the
  // first.
  bool count_violations = false;
  // Called after each level, several times within one, during the search for cycles, and while the
  // programs' promises are checked. False ends the search: `incomplete` if it has found nothing.
  std::function<bool(const Progress&)> proceed;
  // Its threads share the larger levels; null: the calling thread does all. The verdict is the
  // same. Only the calling thread calls programs, properties and `proceed`.
  Team* team = nullptr;
  std::size_t team_from = 1024;  // a level with fewer states is not shared

  // The limits that are below the defaults: `, at most 1000 states`. Empty: none is.
  std::string bounds() const;
  // For tests of the search itself: how many different things of each kind it can number. Null: as
  // many as it has room for.
  const Widths* widths = nullptr;
};

enum class Outcome : std::uint8_t {
  proved,      // the state space was exhausted, and each goal was reached
  violated,    // `run` breaks `property`; no run breaks one with fewer faults, nor with as many
               // faults in fewer steps. If it ends in a cycle, this holds for the steps before
               // the cycle, and the cycle is the shortest from there
  incomplete,  // a limit ended the search before it could decide; `reason` says which
  invalid,     // the scenario itself is wrong: a client that is not deterministic, a loop head that
               // hides state, a mistake in a program, a goal that was never reached. `reason` says
               // what, where, and what to change
};
std::string_view to_string(Outcome outcome) noexcept;

// An event that some run must reach, so that a property is not vacuous or because sometimes() names
// it.
class Goal {
 public:
  std::string name;
  bool reached = false;
};

// A property that holds within these bounds whatever the programs do.
class Vacuous {
 public:
  PropertyKind kind;
  std::string property;  // its name
  std::string goal;      // that no run reaches
};

// A search gives the same verdict on every machine, with every compiler and at every try.
class Verdict {
 public:
  Outcome outcome = Outcome::incomplete;
  std::string scenario;
  std::string bounds;  // what the outcome holds for: Scenario::bounds(), then Limits::bounds()
  // The fairness under which liveness was decided, in words (Scenario::fairness_in_words()), where
  // the scenario has chosen it; `bounds` has it, too. None: weak fairness of each task of each
  // client, of messages and of time; or no liveness is required.
  std::vector<std::string> fairness;
  // The assumptions that the search has not checked in full, in a few words each: `loop_head of A`.
  std::vector<std::string> trusts;
  std::string reason;            // why it is `incomplete` or `invalid`
  std::string property;          // the one that is violated, if it is `violated`
  Run run;                       // the counterexample, if it is `violated`
  std::uint64_t violations = 0;  // transitions that break a property
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::size_t depth = 0;             // every state found can be reached in so many steps or fewer
  std::uint32_t local_states = 0;    // of all programs together
  std::uint32_t coroutine_runs = 0;  // how often a program was run to learn them
  // As how many explore_merged() has taken the local states. 0: it has merged none.
  std::uint32_t merged_local_states = 0;
  std::size_t bytes_per_state = 0;  // of states, and of the graph of loops, if one is made
  std::vector<Goal> goals;
  // What the search has executed. Whole if it is `proved`; else of what was searched until it
  // ended. Empty if it has merged local states.
  Coverage coverage;
  // With `invalid`: the properties that are vacuous, if all others hold.
  std::vector<Vacuous> vacuous;
  // With `incomplete`: the limit in bytes that ended the search. 0: memory did not end it.
  std::uint64_t memory_limit = 0;
};

// A mistake in the scenario is no exception: the verdict is `invalid`. Any thread may call this;
// see client.hpp about threads.
Verdict explore(const Scenario& scenario, const Limits& limits = {});

// A few lines: outcome, bounds, what it trusts, figures, goals.
std::string describe(const Verdict& verdict);

}  // namespace interlock::sim
