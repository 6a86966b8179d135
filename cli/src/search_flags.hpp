// The flags that bound a search.
#pragma once

#include <cstdint>
#include <optional>

#include "flags.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "search_watch.hpp"

namespace interlock::cli {

// A number from 1 on; else `usage`, or what a wrong environment is, with the example.
Outcome<std::uint64_t> parse_number(const Given& given, const char* example);

class SearchFlags {
 public:
  void add_to(Flags& flags);
  // `base`, changed by those of --clients, --attempts, --instants, --faults, --property and
  // --allow-deadlock that were given.
  sim::ScheduleOptions options(sim::ScheduleOptions base) const;

  // What was asked for and the simulator does not put among the bounds of a verdict: it has no
  // clock, and does not tell a limit to memory that was not reached. `, at most 60 s`. Where there
  // is such a limit also the threads, which keep some memory of their own. `verdict` has the bounds
  // that the simulator gave it.
  std::string more_bounds(const sim::Limits& limits, const sim::Verdict& verdict) const;
  // The flags that give the verdict again: ` --max-states 1000`. With the limit to memory that
  // ended the search also if nobody asked for it, because another machine, or another hour, has
  // another. `verdict` as for more_bounds().
  std::string limit_words(const sim::Limits& limits, const sim::Verdict& verdict) const;

  // `usage` if a number is none.
  Outcome<sim::Limits> limits() const;
  Outcome<std::chrono::seconds> seconds() const;

  std::optional<Given> clients;
  std::optional<Given> attempts;
  std::optional<Given> instants;
  std::optional<Given> faults;
  std::optional<Given> property;
  bool allow_deadlock = false;
  std::optional<Given> max_states;
  std::optional<Given> max_memory;
  std::optional<Given> max_seconds;
};

}  // namespace interlock::cli
