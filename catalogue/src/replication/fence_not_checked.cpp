#include "interlock/sim/catalogue/lease_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

Scenario make(bool checked) {
  Scenario scenario("");
  scenario.clients(2, lease_client(LeaseClientOptions()))
      .instants(6)
      .require(fenced_writes(lease_lock_resource));
  if (checked) scenario.resource_checks_fencing(lease_lock_resource);
  return scenario;
}

}  // namespace

Entries fence_not_checked() {
  return {
      {
          .name = "fence-not-checked",
          .family = Family::replication,
          .summary = "tokens are drawn and sent, and the resource takes everything",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("no stale write to database after a newer one", 8),
          .explanation = R"(A is paused past its lease; B gets the lock with a greater token in
step 6 (B CLAIM) and writes in step 7 (B write). A wakes up, and its write with the smaller token
lands in step 8 (A write): the token is there, and the resource does not check it.)",
          .stale = Stale{1, 8},
          .fix = "the resource itself must refuse a smaller token than it has seen, in the step "
                 "that writes",
          .repairs = {{"fence-not-checked-repaired", "a resource that refuses smaller tokens", true,
                       "The resource sees every write, so it can refuse the stale one."}},
          .sources = {"M. Kleppmann, How to do distributed locking, 2016"},
      },
      {
          .name = "fence-not-checked-repaired",
          .family = Family::replication,
          .summary = "the resource refuses smaller tokens than it has seen",
          .protocol = "lease-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "The same clients, the same pauses; the resource makes the difference.",
          .repairs_what = "fence-not-checked",
      }};
}

}  // namespace interlock::sim::catalogue
