#include "interlock/store/lock_keys.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* refused = "is kept out by its own key";

Task<void> try_twice(Client& me, bool same_token) {
  flawed::TtlOptions options;
  options.knows_itself = same_token;
  flawed::TtlLock lock(me.store(), me.time(), options);
  const LockName name = *LockName::parse(foo);
  const Ttl ttl{std::chrono::seconds{2}};
  OwnerToken owner = me.tokens().fresh();
  for (int tries = 2; tries > 0; --tries) {
    const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
    // Nobody else is there: whose key can it be?
    me.reach(refused, outcome && std::holds_alternative<Busy>(*outcome));
    if (outcome && std::holds_alternative<Lease>(*outcome)) {
      const Lease lease = std::get<Lease>(*outcome);
      me.enter(foo);
      co_await me.leave(foo);
      static_cast<void>(co_await lock.release(lease));
      co_return;
    }
    if (!same_token) owner = me.tokens().fresh();
  }
}

// Not knowing whether it has the key, it deletes it and starts again.
Task<void> delete_and_try_again(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> ttl = milliseconds{2'000};
  Result<bool> set = co_await me.store().set_if_absent(Key(foo), owner.text(), ttl);
  if (!set && set.error().code() == Errc::indeterminate) {
    static_cast<void>(co_await me.store().erase(Key(foo)));
    set = co_await me.store().set_if_absent(Key(foo), owner.text(), ttl);
  }
  if (!set || !*set) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario deletes_first() {
  Scenario scenario = world();
  scenario.clients(2, delete_and_try_again)
      .faults(FaultBudget().allow(Fault::lost_reply).allow(Fault::lost_request).at_most(1))
      .require(owner_only(foo));
  return scenario;
}

Scenario make(bool same_token) {
  Scenario scenario = world();
  scenario.client([=](Client& me) { return try_twice(me, same_token); })
      .faults(FaultBudget().allow(Fault::lost_reply))
      .require(
          never(refused, "let a client be kept out of the lock by a key that it has set itself"));
  return scenario;
}

}  // namespace

Entries lost_reply_new_token() {
  return {
      {
          .name = "lost-reply-new-token",
          .family = Family::ttl,
          .summary = "SET succeeds, its answer is lost, and the retry with a new token is refused",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(false); },
          .expected = violated("never is kept out by its own key", 2, 1),
          .explanation = R"(A's SET is carried out, and its answer is lost: step 1 (A fault
lost-reply SETNX). A does what is natural and starts again, with a new token. In step 2 (A SETNX)
it is told that somebody holds the lock. It is A itself, under a name that it has thrown away, and
it will wait for its own ttl.)",
          .stale = Stale{1, 2},
          .fix = "try again with the same token, and count a key that holds it as won",
          .repairs = {{"lost-reply-new-token-repaired", "retry with the same token", true,
                       "The key says whether the first try has won."},
                      {"lost-reply-new-token-del",
                       "delete the key first, so that the retry finds it free", false,
                       "If the request was lost, and not its answer, the DEL deletes another "
                       "client's key."}},
          .sources = {"leandromoreira/redlock-rb#76"},
      },
      {
          .name = "lost-reply-new-token-repaired",
          .family = Family::ttl,
          .summary = "the same token: the key itself says that the first try has won",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(true); },
          .expected = proved,
          .explanation = "A claim that can be repeated makes a lost answer harmless: the second "
                         "one finds what the first has done.",
          .repairs_what = "lost-reply-new-token",
      },
      {
          .name = "lost-reply-new-token-del",
          .family = Family::ttl,
          .summary = "DEL after an unknown answer: it may be the key of somebody who came between",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return deletes_first(); },
          .expected = violated("only the owner releases or renews lock.foo", 3, 1),
          .explanation = R"(This time it is the request that is lost: step 1 (A fault lost-request
SETNX). A has no key. B gets the lock in step 2 (B SETNX), and A, to make room for its second attempt,
deletes B's key in step 3 (A DEL).)",
          .stale = Stale{1, 3},
          .repairs_what = "lost-reply-new-token",
      }};
}

}  // namespace interlock::sim::catalogue
