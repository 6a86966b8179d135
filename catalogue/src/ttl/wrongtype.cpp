#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* waits_for_nobody = "waits for a holder that does not exist";

Task<void> try_once(Client& me, LockOfClient of) {
  const std::unique_ptr<LockProtocol> lock = of.make(me, me.wall_clock());
  const LockName name = *LockName::parse(foo);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock->try_acquire(name, owner, ttl);
  if (!outcome) me.reach("the caller is told");
  me.reach(waits_for_nobody, outcome && std::holds_alternative<Busy>(*outcome));
}

// A list of the application has the lock's name.
Scenario make(const LockOfClient& lock) {
  interlock::Entry list("");
  list.type = interlock::Entry::Type::other;
  Scenario scenario = world();
  scenario.client([=](Client& me) { return try_once(me, lock); })
      .initially(Key(foo), list)
      .require(never(waits_for_nobody, "let a client wait for a holder that does not exist"));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Scenario scenario = make(lease_lock_of_core());
  scenario.sometimes("the caller is told");
  return scenario;
}

}  // namespace

Entries wrongtype() {
  return {
      {
          .name = "wrongtype",
          .family = Family::ttl,
          .summary = "the application has a list under the lock's name: clients wait for no holder",
          .protocol = "ttl-lock",
          .make =
              [](const Bounds&) {
                Scenario scenario = make(ttl_lock_of());
                scenario.sometimes("the caller is told");
                return scenario;
              },
          .expected = violated("never waits for a holder that does not exist", 1),
          .explanation = R"(The application keeps a list under the name of the lock. SET NX in
step 1 (A SETNX) says no more than 'there is something', and A takes that for a holder. It will
wait for ever, and nobody gets an error.)",
          .fix = "look at who holds it: a key of another type is an error, not a holder",
          .repairs = {{"wrongtype-repaired", "lease-lock: the caller gets the error WRONGTYPE",
                       true, "Reading the holder fails, and the caller learns why."}},
          .sources = {"redisson#5565", "node-redlock#107", "node-redlock#168"},
      },
      {
          .name = "wrongtype-repaired",
          .family = Family::ttl,
          .summary = "a key of another type is an error, which the caller gets",
          .protocol = "lease-lock",
          .make = repaired,
          .expected = proved,
          .explanation = "The claim reads the holder in the same step, and a key that is no "
                         "string is refused with WRONGTYPE.",
          .repairs_what = "wrongtype",
      }};
}

}  // namespace interlock::sim::catalogue
