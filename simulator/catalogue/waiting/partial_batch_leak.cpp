#include "interlock/flawed/bill_lock.hpp"

#include "../all.hpp"
#include "../clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key k1("bill/1");
const Key k2("bill/2");

// Wants both, and forgets the first when it does not get the second.
Task<void> without_rollback(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  for (const Key& key : {k1, k2}) {
    const Result<bool> set = co_await me.store().set_if_absent(key, owner.text());
    if (!set || !*set) co_return;
  }
  me.enter(foo);
  co_await me.leave(foo);
  for (const Key& key : {k1, k2}) static_cast<void>(co_await me.store().release(key, owner));
}

Task<void> with_rollback(Client& me) {
  flawed::BillBatch batch(me.store(), me.time(), flawed::BillBatch::Kind::repaired);
  const OwnerToken owner = me.tokens().fresh();
  const std::vector<Key> both{k1, k2};
  const Ttl ttl(flawed::BillBatch::usual_ttl);
  const Duration once{0};
  if (!co_await batch.try_lock(both, owner, ttl, once)) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  co_await batch.unlock(both, owner);
}

// Holds the second one for a while.
Task<void> holder_of_k2(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  const Result<bool> set = co_await me.store().set_if_absent(k2, owner.text());
  if (!set || !*set) co_return;
  static_cast<void>(co_await me.store().release(k2, owner));
}

bool nothing_left(const Snapshot& now) {
  for (const ClientView& client : now.clients) {
    if (client.status != ClientView::Status::done) return true;
  }
  return now.keys.empty();
}

Scenario make(const Program& batch) {
  Scenario scenario = world();
  scenario.client(batch)
      .client(holder_of_k2)
      .require(always("what everybody is done with is free", nothing_left));
  return scenario;
}

}  // namespace

Entries partial_batch_leak() {
  return {
      {
          .name = "partial-batch-leak",
          .family = Family::waiting,
          .summary = "two keys wanted, one got: it is kept by nobody when the other is refused",
          .protocol = "batch",
          .make = [](const Bounds&) { return make(without_rollback); },
          .expected = violated("what everybody is done with is free", 4),
          .explanation = R"(A gets the first key in step 1 (A SETNX) and is refused the second
in step 3 (A SETNX), because B has it. A goes away, and keeps a key that it does not want any
more. By step 4 (B RELEASE) everybody is done, and bill/1 is still taken.)",
          .fix = "give back what was won as soon as one key is refused",
          .repairs = {{"partial-batch-leak-repaired", "all in one round, or give back what was won",
                       true, "Whoever leaves with empty hands has put everything back."}},
          .sources = {"medusajs/medusa#16285"},
      },
      {
          .name = "partial-batch-leak-repaired",
          .family = Family::waiting,
          .summary = "all or nothing in each round",
          .protocol = "bill-lock",
          .make = [](const Bounds&) { return make(with_rollback); },
          .expected = proved,
          .explanation = "A round that does not get every key gives back those that it got; and "
                         "each has an end, for crashes.",
          .repairs_what = "partial-batch-leak",
      }};
}

}  // namespace interlock::sim::catalogue
