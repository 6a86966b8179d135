#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key permit("permit");

// The lock is a permit that lies in the store: taking it is popping it.
Task<void> take_and_return(Client& me) {
  const Result<bool> popped = co_await me.store().erase(permit);
  if (!popped || !*popped) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  const std::string value = "free";
  static_cast<void>(co_await me.store().set(permit, value));
}

// Sees that no permit is there, so many times, and puts a new one.
Task<void> janitor(Client& me, int looks) {
  for (int left = looks; left > 0; --left) {
    const Result<std::optional<std::string>> seen = co_await me.store().get(permit);
    if (!seen || *seen) co_return;
  }
  const std::string value = "free";
  static_cast<void>(co_await me.store().set_if_absent(permit, value));
}

Scenario make(int looks) {
  Scenario scenario = world();
  scenario.clients(2, take_and_return)
      .client([=](Client& me) { return janitor(me, looks); })
      .initially(permit, interlock::Entry("free"))
      .require(mutual_exclusion(foo));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Visit visit;
  visit.draws_token = true;
  Scenario scenario = world();
  add_visitors(scenario, 3, ttl_lock_of(), visit)
      .faults(FaultBudget().allow(Fault::crash))
      .require(mutual_exclusion(foo))
      .require(no_orphan(foo));
  return scenario;
}

}  // namespace

Entries blpop_token_lost() {
  return {
      {
          .name = "blpop-token-lost",
          .family = Family::waiting,
          .summary = "a popped permit may be lost with its client; putting a new one makes two",
          .protocol = "permit in a list",
          .make = [](const Bounds&) { return make(1); },
          .expected = violated("mutual exclusion of lock.foo", 4),
          .explanation = R"(A takes the permit in step 1 (A DEL). C, which looks after lost
permits, sees none in step 2 (C GET) and cannot tell 'lost' from 'in use'. It puts a new one in
step 3 (C SETNX), and B takes it in step 4 (B DEL). Without C, a permit that is lost in a crash is
lost for ever; with C, there may be two.)",
          .stale = Stale{2, 3},
          .fix =
              "keep the holder in the store, with an end: a permit that is out must be somewhere",
          .repairs =
              {{"blpop-token-lost-repaired", "SET key token NX PX ttl instead of a permit", true,
                "A held lock is a key with an end, a free lock is no key. Neither can be lost."},
               {"blpop-token-lost-patient", "look twice before putting a new one", false,
                "A permit that is in use may be out for longer than any two looks."}},
          .sources = {"dv/redis-semaphore#49"},
      },
      {
          .name = "blpop-token-lost-repaired",
          .family = Family::waiting,
          .summary = "held is a key with an end: nothing has to be put back",
          .protocol = "ttl-lock",
          .make = repaired,
          .expected = proved,
          .explanation = "A crash leaves a key that ends. There is nothing that a janitor would "
                         "have to put back.",
          .repairs_what = "blpop-token-lost",
      },
      {
          .name = "blpop-token-lost-patient",
          .family = Family::waiting,
          .summary = "a second look before a new permit is put: the holder only takes longer",
          .protocol = "permit in a list",
          .make = [](const Bounds&) { return make(2); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation =
              R"(A takes the permit in step 1 (A DEL). C looks in step 2 (C GET) and in step
3 (C GET), sees none both times, and puts a new one in step 4 (C SETNX). A was only slow: B takes the
second permit in step 5 (B DEL).)",
          .stale = Stale{3, 4},
          .repairs_what = "blpop-token-lost",
      }};
}

}  // namespace interlock::sim::catalogue
