#include "interlock/flawed/bill_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key k1("bill/1");
const Key k2("bill/2");

// Wants both, and when it does not get the second, forgets the first, or deletes both.
Task<void> without_rollback(Client& me, bool deletes_all) {
  const OwnerToken owner = me.tokens().fresh();
  bool all = true;
  for (const Key& key : {k1, k2}) {
    const Result<bool> set = co_await me.store().set_if_absent(key, owner.text());
    all = set && *set;
    if (!all) break;
  }
  if (!all && deletes_all) {
    for (const Key& key : {k1, k2}) static_cast<void>(co_await me.store().erase(key));
  }
  if (!all) co_return;
  me.enter(foo);
  co_await me.leave(foo);
  for (const Key& key : {k1, k2}) static_cast<void>(co_await me.store().release(key, owner));
}

Task<void> with_rollback(Client& me) {
  flawed::BillBatch batch(me.store(), me.time(), flawed::Edition::repaired);
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
      .require(always("what everybody is done with is free", nothing_left,
                      "leave a key behind when every client has ended"));
  return scenario;
}

}  // namespace

Entries partial_batch_leak() {
  return {
      {
          .name = "partial-batch-leak",
          .family = Family::waiting,
          .summary = "a client gets one of two keys, is refused the other, and keeps the first",
          .protocol = "batch",
          .make =
              [](const Bounds&) {
                return make([](Client& me) { return without_rollback(me, false); });
              },
          .expected = violated("what everybody is done with is free", 4),
          .explanation = R"(A gets the first key in step 1 (A SETNX) and is refused the second
in step 3 (A SETNX), because B has it. A goes away, and keeps a key that it does not want any
more. By step 4 (B RELEASE) everybody is done, and bill/1 is still taken.)",
          .fix = "give back what was won as soon as one key is refused",
          .repairs = {{"partial-batch-leak-repaired", "all in one round, or give back what was won",
                       true, "A client that is refused has put everything back."},
                      {"partial-batch-leak-del-all", "DEL the whole list when one is refused",
                       false, "The key that was refused belongs to another client."}},
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
      },
      {
          .name = "partial-batch-leak-del-all",
          .family = Family::waiting,
          .summary = "DEL of the whole list when one key is refused: that one is another's",
          .protocol = "batch",
          .make =
              [](const Bounds&) {
                Scenario scenario = make([](Client& me) { return without_rollback(me, true); });
                scenario.require(owner_only(k2.text()));
                return scenario;
              },
          .expected = violated("only the owner releases or renews bill/2", 5),
          .explanation = R"(A has the first key and is refused the second in step 3 (A SETNX
bill/2), because B has it. It deletes its list: step 4 (A DEL bill/1) was right, and step 5 (A DEL
bill/2) removes B's lock.)",
          .stale = Stale{3, 5},
          .repairs_what = "partial-batch-leak",
      }};
}

}  // namespace interlock::sim::catalogue
