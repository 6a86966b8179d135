// The flags that bound a search.
#pragma once

#include <cstdint>
#include <optional>

#include "console/flags.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/schedule.hpp"
#include "lab/search_watch.hpp"

namespace interlock::cli {

// A number of at least 1. Else a failure with the example: `usage`, or the code of a wrong
// environment.
Fallible<std::uint64_t> parse_number(const Given& given, const char* example);

class SearchFlags {
 public:
  void add_to(Flags& flags);
  // `base`, changed by those of --clients, --attempts, --instants, --faults, --property and
  // --allow-deadlock that were given.
  sim::ScheduleOptions options(sim::ScheduleOptions base) const;

  // The bounds that the user gave and that the simulator does not add to a verdict: a time limit,
  // because it has no clock, and a memory limit that was not reached. `, at most 60 s`. With a
  // memory limit also the number of threads, because each keeps some memory of its own. `verdict`
  // has the simulator's bounds.
  std::string more_bounds(const sim::Limits& limits, const sim::Verdict& verdict) const;
  // The flags that give the same verdict again: ` --max-states 1000`. If a memory limit ended the
  // search, it is among them also if the user gave none, because the default depends on the machine
  // and the moment. `verdict` as for more_bounds().
  std::string limit_words(const sim::Limits& limits, const sim::Verdict& verdict) const;

  // `usage` if a word is not a number.
  Fallible<sim::Limits> limits() const;
  Fallible<std::chrono::seconds> seconds() const;

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
