#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// Gives up when no answer comes; with `cleans_up` it deletes what it may have left.
Task<void> try_once(Client& me, bool cleans_up, bool expires) {
  const std::string value = "1";
  std::optional<milliseconds> ttl;
  if (expires) ttl = milliseconds{2'000};
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), value, ttl);
  if (!set) {
    if (cleans_up) static_cast<void>(co_await me.store().erase(Key(foo)));
    co_return;
  }
  if (!*set) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().erase(Key(foo)));
}

Scenario make(bool cleans_up, bool expires) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return try_once(me, cleans_up, expires); })
      .faults(FaultBudget().allow(Fault::late_execution))
      .require(no_orphan(foo));
  return scenario;
}

}  // namespace

Entries late_execution() {
  return {
      {
          .name = "late-execution",
          .family = Family::ttl,
          .summary =
              "a client gives up on a SETNX that is carried out later: a lock without an owner",
          .protocol = "setnx-expire-lock",
          .make = [](const Bounds&) { return make(false, false); },
          .expected = violated("no orphan of lock.foo", 2, 1),
          .explanation = R"(A gives up because no answer comes: step 1 (A fault late-execution
SETNX). The request is still on its way, in a queue of the client or of the network, and is
carried out in step 2 (A late SETNX). The key has no owner, and no end.)",
          .stale = Stale{1, 2},
          .fix = "let the request itself carry the end of the key: SET NX PX",
          .repairs = {{"late-execution-repaired",
                       "SET NX PX: a key that is written late ends by itself", true,
                       "The late key is in the way for a ttl, not for ever."},
                      {"late-execution-cleanup", "delete the key when giving up", false,
                       "The late request may be later than the clean-up."}},
          .sources = {"simstudioai/sim#7680"},
      },
      {
          .name = "late-execution-repaired",
          .family = Family::ttl,
          .summary = "a key that is written late ends by itself",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(true, true); },
          .expected = proved,
          .explanation = "A request that was left behind may still take the lock for nobody. It "
                         "takes it for one ttl.",
          .repairs_what = "late-execution",
      },
      {
          .name = "late-execution-cleanup",
          .family = Family::ttl,
          .summary = "a clean-up cannot remove what comes after it",
          .protocol = "setnx-expire-lock",
          .make = [](const Bounds&) { return make(true, false); },
          .expected = violated("no orphan of lock.foo", 3, 1),
          .explanation = R"(A gives up in step 1 (A fault late-execution SETNX) and cleans up in
step 2 (A DEL). The request that it gave up on comes after that: step 3 (A late SETNX).)",
          .repairs_what = "late-execution",
      }};
}

}  // namespace interlock::sim::catalogue
