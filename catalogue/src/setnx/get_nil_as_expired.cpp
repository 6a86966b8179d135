#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(flawed::NilStamp nil) {
  flawed::StampOptions options;
  options.take_over = TakeOver::del_setnx;
  options.nil = nil;
  Scenario scenario = world();
  add_visitors(scenario, 3, stamp_lock_of(options), Visit()).require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries get_nil_as_expired() {
  return {{
              .name = "get-nil-as-expired",
              .family = Family::setnx,
              .summary =
                  "GET finds no key, because it was just released, and that is taken for 'expired'",
              .protocol = "del-setnx-lock",
              .make = [](const Bounds&) { return make(flawed::NilStamp::expired); },
              .expected = violated("mutual exclusion of lock.foo", 9),
              .explanation = R"(B fails to get the lock in step 2 (B SETNX), because A has it. A
releases in step 5 (A DEL). B reads in step 6 (B GET) that there is no key, and takes the empty
answer for an expired stamp. C gets the free lock properly in step 7 (C SETNX). B now replaces what it
believes to be expired: step 8 (B DEL) removes C's key.)",
              .stale = Stale{6, 8},
              .fix = "start again at SETNX when GET finds nothing",
              .repairs = {{"get-nil-as-expired-repaired", "no key: start again at SETNX", true,
                           "A free lock is taken by SETNX alone, which one client wins."}},
              .sources = {"derived from the articles: int(None) in Python, 0 in PHP"},
          },
          {
              .name = "get-nil-as-expired-repaired",
              .family = Family::setnx,
              .summary = "no key is no stamp: start again at SETNX",
              .protocol = "del-setnx-lock",
              .make = [](const Bounds&) { return make(flawed::NilStamp::start_again); },
              .expected = proved,
              .explanation = "Without a stale stamp in the way nobody ever deletes; a lock that "
                             "was released is taken by SETNX.",
              .repairs_what = "get-nil-as-expired",
          }};
}

}  // namespace interlock::sim::catalogue
