// The flags with which explore keeps its search in a file, and goes on with one that was kept.
#pragma once

#include <optional>
#include <string>

#include "console/flags.hpp"
#include "interlock/sim/checkpoint.hpp"
#include "lab/partial_flags.hpp"
#include "lab/search_watch.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {

class CheckpointFlags {
 public:
  void add_to(Flags& flags);
  bool asked() const { return file || resumed; }
  // Failures if they do not fit to the others.
  std::optional<Failure> check(const PartialFlags& partial,
                               bool equal_futures,
                               const DrawingFlags& drawing) const;
  // One that does not fit to `other`. `what`: what the flags are for.
  Failure contradiction(const char* what, const std::string& other) const;

  // As sim::explore(). `words`: the scenario and its options as the user would write them. Only the
  // first search of a scenario is kept: another one leaves vacuous properties out, and has other
  // states. If the files cannot be used, failure() says why.
  sim::Verdict explore(const sim::Scenario& scenario,
                       const sim::Limits& limits,
                       const std::string& words,
                       SearchWatch& watch);
  const std::optional<Failure>& failure() const { return failure_; }
  // `code`, or 71 if the last checkpoint could not be written.
  int exit_code(int code) const;

  std::optional<Given> file;
  std::optional<Given> resumed;

 private:
  std::optional<Failure> would_replace() const;
  void tell(const sim::CheckpointNews& news, SearchWatch& watch);
  sim::Verdict explore_rest(const sim::Scenario& scenario,
                            const sim::Limits& limits,
                            SearchWatch& watch) const;

  std::optional<Failure> failure_;
  bool is_searched_ = false;
  bool is_lost_ = false;
};

}  // namespace interlock::cli
