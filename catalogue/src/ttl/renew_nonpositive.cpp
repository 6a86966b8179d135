#include <algorithm>

#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

// Extends its lease to the end of its work, which it expects an instant after the beginning.
enum class NotPositive : std::uint8_t { sent, refused, one_millisecond };
Task<void> extend(Client& me, NotPositive treated) {
  const OwnerToken owner = me.tokens().fresh();
  const TimePoint work_ends = me.time().now() + std::chrono::seconds{1};
  const std::optional<milliseconds> ttl = milliseconds{4'000};
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), owner.text(), ttl);
  if (!set || !*set) co_return;
  me.enter(foo);
  auto left = std::chrono::duration_cast<milliseconds>(work_ends - me.time().now());
  if (treated == NotPositive::one_millisecond) left = std::max(left, milliseconds{1});
  bool still_held = true;
  if (left > milliseconds{0} || treated != NotPositive::refused) {
    const Result<bool> extended = co_await me.store().expire(Key(foo), left);
    still_held = extended && *extended;
  }
  co_await me.leave(foo);
  if (still_held) static_cast<void>(co_await me.store().release(Key(foo), owner));
}

Scenario make(NotPositive treated, std::size_t instants = 2) {
  Scenario scenario = world(instants);
  scenario.clients(2, [=](Client& me) { return extend(me, treated); })
      .require(mutual_exclusion(foo));
  return scenario;
}

}  // namespace

Entries renew_nonpositive() {
  return {
      {
          .name = "renew-nonpositive",
          .family = Family::ttl,
          .summary =
              "PEXPIRE with a time that is not positive deletes the key, and reports success",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(NotPositive::sent); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation = R"(A asks for the rest of the time that its work may take; in step 4 (A
PEXPIRE) that is 0. Redis deletes the key at once and answers 1, as if it had been renewed. B gets
the lock in step 5 (B SETNX).)",
          .fix = "refuse a ttl that is not positive before it is sent",
          .repairs = {{"renew-nonpositive-repaired", "no renewal with a ttl that is not positive",
                       true, "The key keeps the end that it had."},
                      {"renew-nonpositive-least", "ask for 1 ms at least", false,
                       "1 ms is too short for any work. And a lease for the planned time of the "
                       "work ends too early when the work takes longer."}},
          .sources = {"redis-py#4279"},
      },
      {
          .name = "renew-nonpositive-repaired",
          .family = Family::ttl,
          .summary = "a ttl that is not positive is never sent",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(NotPositive::refused); },
          .expected = proved,
          .explanation = "Ttl, in this library, cannot hold such a value. Within these bounds no "
                         "lease ends by itself.",
          .repairs_what = "renew-nonpositive",
      },
      {
          .name = "renew-nonpositive-least",
          .family = Family::ttl,
          .summary = "at least 1 ms: the renewal cuts a lease of seconds down to nearly nothing",
          .protocol = "ttl-lock",
          .make = [](const Bounds&) { return make(NotPositive::one_millisecond, 3); },
          .expected = violated("mutual exclusion of lock.foo", 5),
          .explanation = R"(No renewal deletes the key any more. But the lease is still as short as
the work is expected to take: step 2 (A PEXPIRE) leaves one second of four, and 1 ms would be left in
the worst case. The work takes longer, and B gets the lock in step 5 (B SETNX).)",
          .repairs_what = "renew-nonpositive",
      }};
}

}  // namespace interlock::sim::catalogue
