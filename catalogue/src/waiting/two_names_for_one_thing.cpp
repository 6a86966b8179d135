#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key balance("balance");

// Adds one to the balance under a lock of the given name, and says so.
Task<void> add_one(Client& me, std::string lock_name) {
  flawed::TtlLock lock(me.store(), me.time(), flawed::TtlOptions());
  const LockName name = *LockName::parse(lock_name);
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
  if (!outcome || !std::holds_alternative<Lease>(*outcome)) co_return;
  const Lease lease = std::get<Lease>(*outcome);
  me.enter("the account");
  const Result<std::optional<std::string>> seen = co_await me.store().get(balance);
  if (!seen) co_return;
  const std::string sum = std::to_string(std::stoll(seen->value_or("0")) + 1);
  static_cast<void>(co_await me.store().set(balance, sum));
  co_await me.leave("the account");
  static_cast<void>(co_await lock.release(lease));
}

Scenario make(const std::string& other_name) {
  Scenario scenario = world();
  scenario.client([](Client& me) { return add_one(me, "acct:1"); })
      .client([=](Client& me) { return add_one(me, other_name); })
      .require(mutual_exclusion("the account"));
  return scenario;
}

}  // namespace

Entries two_names_for_one_thing() {
  return {
      {
          .name = "two-names-for-one-thing",
          .family = Family::waiting,
          .summary = "one program locks acct:1, the other account-1: both change the same balance",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make("account-1"); },
          .expected = violated("mutual exclusion of the account", 2),
          .explanation = R"(A locks acct:1 in step 1 (A SETNX acct:1), B locks account-1 in step
2 (B SETNX account-1). Each lock does what it should. Both clients are now at the same balance,
will read it and write it back, and one of the two sums is lost.)",
          .fix = "derive the name from the data, in one place",
          .repairs = {{"two-names-for-one-thing-repaired",
                       "one function that names the lock of an account", true,
                       "Both clients now lock the same name."}},
          .sources = {"students' most frequent mistake: a lock that is not tied to the data"},
      },
      {
          .name = "two-names-for-one-thing-repaired",
          .family = Family::waiting,
          .summary = "one thing, one name",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make("acct:1"); },
          .expected = proved,
          .explanation =
              "A lock protects a name. It protects the data only if everybody calls it the same.",
          .repairs_what = "two-names-for-one-thing",
      }};
}

}  // namespace interlock::sim::catalogue
