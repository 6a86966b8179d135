#include "interlock/sim/catalogue/stamp_lock.hpp"

#include "all.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(const Bounds& bounds) {
  return stamp_lock_scenario(TakeOver::getset, bounds.clients.value_or(2),
                             static_cast<std::int64_t>(bounds.attempts.value_or(1)), 1);
}

}  // namespace

Entries stamp_lock() {
  return {{
      .name = "stamp-lock",
      .family = Family::locks,
      .summary = "the same with GETSET: one client wins, if clocks agree",
      .protocol = "stamp-lock",
      .make = make,
      .has_clients = true,
      .has_attempts = true,
      .expected = proved,
      .explanation = R"(One client alone gets the expired stamp back from GETSET. As long as
all clocks agree and nobody is paused, that is mutual exclusion.)",
      .repairs_what = "del-setnx-lock",
      .sources = {"Redis manual, SETNX, \"Design pattern: locking with SETNX\": clients C3 and C4"},
  }};
}

}  // namespace interlock::sim::catalogue
