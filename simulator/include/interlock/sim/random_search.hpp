// Random runs, for state spaces that are too large to be explored; and how to make a run that goes
// wrong shorter.
#pragma once

#include <cstdint>
#include <functional>

#include "interlock/sim/explore.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim {

class RandomProgress {
 public:
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;  // of all runs
};

class RandomSearch {
 public:
  std::uint64_t runs = 10'000;
  std::size_t steps = 1'000;  // a longer run is cut off
  // The same seed gives the same runs, on every machine and with every compiler.
  std::uint64_t seed = 1;
  // 0: each step draws the next mover, by odds that each run draws anew. Otherwise PCT (Burckhardt
  // et al., ASPLOS 2010): each run draws priorities; the mover with the highest priority that can
  // move does, but at `depth` - 1 random steps it falls behind all others. If a failure needs
  // `depth` orderings among n movers (each task of a client, and time) and no fault, each run of k
  // steps finds it with a probability of at least 1 in n k^(depth - 1). Here k is the length of the
  // longest run of its series until then: a run that is longer than all before it only measures the
  // length, and is repeated, so that the probability holds for the first run, too.
  // Both ways draw when faults happen, and which. More than `depth_max` is `invalid`.
  std::size_t depth = 0;
  static constexpr std::size_t depth_max = 100;
  std::uint64_t repeated_steps = Limits().repeated_steps;  // see there
  // The runs are divided into series of so many. Each series has a seed of its own, which depends
  // on `seed` and the number of the series.
  static constexpr std::uint64_t series = 10'000;
  // Its threads take several series at a time, once almost all steps are known from earlier runs.
  // Null: the calling thread takes all. RandomVerdict has the same runs, steps and shown run; what
  // has been learned of the programs (Verdict::coroutine_runs) may be more. Only the calling thread
  // calls programs, properties and `proceed`.
  Team* team = nullptr;
  // Called every so often, also within a run; false ends the search.
  std::function<bool(const RandomProgress&)> proceed;
};

class RandomVerdict {
 public:
  // `violated`: by verdict.run, which is the last of `runs` and is not shortened. Never `proved`:
  // if no run breaks a property, it is `incomplete`. The figures about states are 0, because none
  // are kept.
  Verdict verdict;
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;  // of all runs, also of those that only measured the length
  std::uint64_t cut_off = 0;
  std::size_t longest = 0;  // steps of the longest run
};

// Liveness properties are left out, because a run that ends says nothing about them: `invalid` if
// there is no other.
RandomVerdict search_at_random(const Scenario& scenario, const RandomSearch& how);

// Removes steps that the run does not need to break the same property (steps after the one that
// breaks it are not needed), until each step is needed: without any one, the possible rest of the
// run breaks nothing. (The shortest run may be another one: explore() finds it.) Returns the run
// itself if it violates nothing, has no end or belongs to another scenario; if `proceed` returns
// false, returns the run as far as it is shortened.
Run shorten(const Scenario& scenario, const Run& run, const std::function<bool()>& proceed = {});

}  // namespace interlock::sim
