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

  // The flags that end a search early, as they were given: ` --max-states 1000`. Empty: none was.
  std::string limit_words() const;

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
