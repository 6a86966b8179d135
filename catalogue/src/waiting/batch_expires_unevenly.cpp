#include "interlock/flawed/bill_lock.hpp"

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

const Key k1("bill/1");
const Key k2("bill/2");
constexpr const char* first_bill = "bill/1";

std::optional<milliseconds> two_seconds() {
  return milliseconds{2'000};
}

// Takes one after the other, and waits for each, with the others in hand.
Task<void> one_after_the_other(Client& me) {
  const OwnerToken owner = me.tokens().fresh();
  for (const Key& key : {k1, k2}) {
    for (;;) {
      const Result<bool> set = co_await me.store().set_if_absent(key, owner.text(), two_seconds());
      if (!set) co_return;
      if (*set) break;
      co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
    }
  }
  me.enter(first_bill);
  co_await me.leave(first_bill);
}

Task<void> all_in_one_round(Client& me) {
  flawed::BillBatch batch(me.store(), me.time(), flawed::Edition::repaired);
  const OwnerToken owner = me.tokens().fresh();
  const std::vector<Key> both{k1, k2};
  const Ttl ttl{std::chrono::seconds{2}};
  const Duration wait = std::chrono::seconds{4};
  if (!co_await batch.try_lock(both, owner, ttl, wait)) co_return;
  me.enter(first_bill);
  co_await me.leave(first_bill);
}

// Work on the first or the second bill alone, for a while that its lease covers.
Task<void> one_bill(Client& me, Key key, Duration begins, Duration stays) {
  if (begins > Duration::zero()) co_await me.time().sleep_until(me.time().now() + begins);
  const OwnerToken owner = me.tokens().fresh();
  const std::optional<milliseconds> ttl = milliseconds{5'000};
  const Result<bool> set = co_await me.store().set_if_absent(key, owner.text(), ttl);
  if (!set || !*set) co_return;
  me.enter(key.text());
  co_await me.time().sleep_until(me.time().now() + stays);
  co_await me.leave(key.text());
  static_cast<void>(co_await me.store().release(key, owner));
}

Scenario make(const Program& batch) {
  using std::chrono::seconds;
  Scenario scenario = world(7);
  scenario.client(batch)
      .client([](Client& me) { return one_bill(me, k2, seconds{0}, seconds{4}); })
      .client([](Client& me) { return one_bill(me, k1, seconds{3}, seconds{2}); })
      .faults(FaultBudget().pauses(0))
      .require(mutual_exclusion(first_bill));
  return scenario;
}

}  // namespace

Entries batch_expires_unevenly() {
  return {{
              .name = "batch-expires-unevenly",
              .family = Family::waiting,
              .summary = "the first key of a batch ends while the batch waits for the second",
              .protocol = "batch",
              .make = [](const Bounds&) { return make(one_after_the_other); },
              .expected = violated("mutual exclusion of bill/1", 19),
              .explanation = R"(A gets the first key in step 3 (A SETNX bill/1), for 2 s, and is
refused the second in step 4 (A SETNX bill/2). It waits, with the first one in hand, which ends
meanwhile. When the second is free, A takes it in step 17 (A SETNX bill/2), and believes that it
has both; C gets the first in step 19 (C SETNX bill/1).)",
              .stale = Stale{3, 17},
              .fix = "never wait with keys in hand: all in one round, or give them back",
              .repairs = {{"batch-expires-unevenly-repaired",
                           "take all keys in one round, and hold none while waiting", true,
                           "The keys of a batch that is held were all set in the same round."}},
              .sources = {"derived from the batch of the bill lock"},
          },
          {
              .name = "batch-expires-unevenly-repaired",
              .family = Family::waiting,
              .summary = "a batch holds no key while it waits, so its keys end together",
              .protocol = "bill-lock",
              .make = [](const Bounds&) { return make(all_in_one_round); },
              .expected = proved,
              .explanation = "Within these bounds nobody is paused, and the holder of the batch "
                             "has set all of its keys at the same instant.",
              .repairs_what = "batch-expires-unevenly",
          }};
}

}  // namespace interlock::sim::catalogue
