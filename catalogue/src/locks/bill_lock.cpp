#include "interlock/flawed/bill_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// The lease of one bill lasts 3 s; instants are 4 s apart.
Scenario single(const char* id, const Bounds& bounds) {
  Visit visit;
  visit.draws_token = true;
  visit.ttl = Ttl(flawed::BillLock::usual_ttl);
  visit.attempts = static_cast<std::int64_t>(bounds.attempts.value_or(1));
  Scenario scenario = world(3, std::chrono::seconds{4});
  add_visitors(scenario, bounds.clients.value_or(2), source_lock(id), visit)
      .require(owner_only(foo));
  return scenario;
}

Task<void> two_bills(Client& me, flawed::Edition kind) {
  flawed::BillBatch batch(me.store(), me.time(), kind);
  const OwnerToken owner = me.tokens().fresh();
  const std::vector<Key> bills{Key("bill/1"), Key("bill/2")};
  const Ttl ttl(flawed::BillBatch::usual_ttl);
  const Duration once{0};
  if (!co_await batch.try_lock(bills, owner, ttl, once)) co_return;
  me.enter("bill/1");
  co_await me.leave("bill/1");
  co_await batch.unlock(bills, owner);
}

Scenario batch(flawed::Edition kind, const Bounds& bounds) {
  Scenario scenario = world();
  scenario.clients(bounds.clients.value_or(2), [=](Client& me) { return two_bills(me, kind); })
      .faults(FaultBudget().allow(Fault::unreachable).allow(Fault::lost_reply).at_most(1))
      .require(mutual_exclusion("bill/1"));
  return scenario;
}

}  // namespace

Entries bill_lock() {
  return {
      {
          .name = "bill-lock",
          .family = Family::locks,
          .summary = "SETNX and EXPIRE with the key's own name as value: the key names no owner",
          .protocol = "bill-lock",
          .make = [](const Bounds& bounds) { return single("bill-lock", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = violated("only the owner releases or renews lock.foo", 6),
          .explanation = R"(The value is the name of the key, so no client can tell whose it is.
A's lease ends while it works, B gets the lock in step 5 (B SETNX), and step 6 (A DEL) removes it.)",
          .stale = Stale{1, 6},
          .fix = "SET key token NX PX ttl, and a release that compares the token",
          .repairs = {{"bill-lock-repaired", "SET key token NX PX ttl, compare and delete", true,
                       "A late release finds somebody else's token and leaves it."}},
          .sources = {"an article on the lock of a billing system over Jedis"},
      },
      {
          .name = "bill-lock-repaired",
          .family = Family::locks,
          .summary = "an owner token as value, compared and deleted in one step",
          .protocol = "bill-lock-repaired",
          .make = [](const Bounds& bounds) { return single("bill-lock-repaired", bounds); },
          .has_clients = true,
          .has_attempts = true,
          .expected = proved,
          .explanation =
              "The script compares the owner in the same step in which it deletes the key.",
          .repairs_what = "bill-lock",
      },
      {
          .name = "bill-lock-batch",
          .family = Family::locks,
          .summary = "several bills at once: an error on the way counts as success",
          .protocol = "bill-lock",
          .make = [](const Bounds& bounds) { return batch(flawed::Edition::as_shipped, bounds); },
          .has_clients = true,
          .expected = violated("mutual exclusion of bill/1", 5, 1),
          .explanation = R"(A's request does not even leave the machine: step 1 (A fault
unreachable SETNX). The code catches the error, logs it, and goes on to its last line, which says
'locked'. B gets both bills properly, the last step being step 5 (B PEXPIRE), and is not alone.)",
          .fix = "an error is not a grant: give back what may have been won, and report that it "
                 "failed",
          .repairs =
              {{"bill-lock-batch-repaired",
                "sort the keys, take all or none in a round, and treat an error as a refusal", true,
                "A client that is not sure gives back all keys and has none."}},
          .sources = {"an article on the lock of a billing system over Jedis"},
      },
      {
          .name = "bill-lock-batch-repaired",
          .family = Family::locks,
          .summary = "all keys in one round, or none; an error is a refusal",
          .protocol = "bill-lock",
          .make = [](const Bounds& bounds) { return batch(flawed::Edition::repaired, bounds); },
          .has_clients = true,
          .expected = proved,
          .explanation = "After a lost answer the round is given back by owner token, whether it "
                         "was granted or not.",
          .repairs_what = "bill-lock-batch",
      }};
}

}  // namespace interlock::sim::catalogue
