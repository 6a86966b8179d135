// What the runs of a search have executed, and what none of them has: the answers that operations
// got, the locks that clients entered, and the faults that happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace interlock::sim {

class CoveredOutcome {
 public:
  std::string name;   // `1`, `nil`, `?`, `A enters lock.foo`, `lost-reply`
  bool seen = false;  // in some run of the search
};

// An operation of a program, as often as it occurs at one line of the source. Operations that
// differ only in what they store are one.
class CoveredOperation {
 public:
  std::vector<std::string> clients;  // that run the program
  std::string task;                  // empty: the main task
  std::string what;                  // in the words of a drawing: `SETNX lock.foo`
  std::string file;                  // as the compiler was given it; empty: unknown
  std::uint32_t line = 0;
  std::vector<CoveredOutcome> outcomes;
};

// A program is known only by what it did. So an operation to which no run came is not here, and
// neither is an outcome that nobody knows to be possible: what a script or a command of another
// program might answer besides. Every branch of a choice that a program met was taken.
class Coverage {
 public:
  std::vector<CoveredOperation> operations;  // in the order in which the search met them
  // For each lock that a client wants or enters, whether it enters. Identical clients are one.
  std::vector<CoveredOutcome> sections;
  std::vector<CoveredOutcome> faults;  // the kinds that the scenario allows

  // Nothing was searched, or only by sample.
  bool empty() const { return operations.empty() && sections.empty() && faults.empty(); }
  std::size_t outcomes() const;
  std::size_t seen() const;
  // The files of the operations' lines, each once, in the order of the operations.
  std::vector<std::string> files() const;
  // What was not seen: `GET lock.foo→nil`, `A enters lock.foo`, `fault eviction`. An operation has
  // the name of its client if different programs run, and its line if others have its name.
  std::vector<std::string> never() const;
  // `2 of 14 outcomes: GET lock.foo→nil, fault eviction`. Names so many of them at most; empty: all
  // were seen.
  std::string never_in_words(std::size_t most) const;
};

}  // namespace interlock::sim
