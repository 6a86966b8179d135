#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* pool = "pool";
constexpr std::size_t permits = 2;

Key permit(std::size_t number) {
  return Key("permit-" + std::to_string(number));
}

// A permit is a key with the instant of its end, by its holder's clock; what has ended is taken
// over.
Task<void> permits_by_stamp(Client& me, Duration ahead) {
  ClockAhead clock(me.wall_clock(), ahead);
  flawed::StampLock lock(me.store(), clock, repaired_stamps());
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  for (std::size_t number = 1; number <= permits; ++number) {
    const LockName name = *LockName::parse(permit(number).text());
    const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
    if (!outcome || !std::holds_alternative<Lease>(*outcome)) continue;
    const Lease lease = std::get<Lease>(*outcome);
    me.enter(pool);
    co_await me.leave(pool);
    static_cast<void>(co_await lock.release(lease));
    co_return;
  }
}

Task<void> permits_by_ttl(Client& me) {
  flawed::TtlLock lock(me.store(), me.time(), flawed::TtlOptions());
  const OwnerToken owner = me.tokens().fresh();
  const Ttl ttl{std::chrono::seconds{2}};
  for (std::size_t number = 1; number <= permits; ++number) {
    const LockName name = *LockName::parse(permit(number).text());
    const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, owner, ttl);
    if (!outcome || !std::holds_alternative<Lease>(*outcome)) continue;
    const Lease lease = std::get<Lease>(*outcome);
    me.enter(pool);
    me.reach("a permit is held");
    co_await me.leave(pool);
    static_cast<void>(co_await lock.release(lease));
    co_return;
  }
}

Task<void> permits_by_count(Client& me) {
  const Key count("permits-out");
  const Result<std::optional<std::string>> out = co_await me.store().get(count);
  if (!out || std::stoll(out->value_or("0")) >= static_cast<std::int64_t>(permits)) co_return;
  const Result<std::int64_t> raised = co_await me.store().increment(count);
  if (!raised) co_return;
  me.enter(pool);
  co_await me.leave(pool);
}

constexpr const char* too_many = "let more than 2 clients be in the pool at one time";

bool not_too_many(const Snapshot& now) {
  std::size_t inside = 0;
  for (const ClientView& client : now.clients) inside += client.inside.size();
  return inside <= permits;
}

Scenario broken(const Bounds&) {
  Scenario scenario = world();
  scenario.clients(2, [](Client& me) { return permits_by_stamp(me, Duration{0}); })
      .client([](Client& me) { return permits_by_stamp(me, std::chrono::seconds{60}); })
      .bounded_by("C's clock 60 s ahead")
      .require(always("no more than 2 in the pool", not_too_many, too_many));
  return scenario;
}

Scenario counting() {
  Scenario scenario = world();
  scenario.clients(3, permits_by_count)
      .require(always("no more than 2 in the pool", not_too_many, too_many));
  return scenario;
}

Scenario repaired(const Bounds&) {
  Scenario scenario = world();
  scenario.clients(3, permits_by_ttl)
      .sometimes("a permit is held")
      .require(always("no more than 2 in the pool", not_too_many, too_many));
  return scenario;
}

}  // namespace

Entries semaphore_skew() {
  return {
      {
          .name = "semaphore-skew",
          .family = Family::waiting,
          .summary = "permits end by clients' clocks: a clock that is ahead lets a third client in",
          .protocol = "semaphore of stamps",
          .make = broken,
          .expected = violated("no more than 2 in the pool", 4),
          .explanation = R"(There are two permits. A and B have them, from step 1 (A RUN
stamp-take-over) and step 3 (B RUN stamp-take-over) on. C's clock is a minute ahead, so the stamp
of A's permit has ended for it, and it takes that permit over in step 4 (C RUN stamp-take-over).)",
          .fix = "let the server's clock end permits",
          .repairs = {{"semaphore-skew-repaired", "a key with a ttl for each permit", true,
                       "One clock decides for all."},
                      {"semaphore-skew-count",
                       "a counter at the server: GET, and INCR if it is below two", false,
                       "Three may read the same count before anybody raises it."}},
          .sources = {"J. Carlson, Redis in Action, 6.3: fair semaphores"},
      },
      {
          .name = "semaphore-skew-repaired",
          .family = Family::waiting,
          .summary = "a key with a ttl for each permit: one clock decides",
          .protocol = "semaphore of ttl-locks",
          .make = repaired,
          .expected = proved,
          .explanation = "No client's clock is compared with another's.",
          .repairs_what = "semaphore-skew",
      },
      {
          .name = "semaphore-skew-count",
          .family = Family::waiting,
          .summary = "GET the count, INCR if it is below two: three may read the same count",
          .protocol = "counting semaphore",
          .make = [](const Bounds&) { return counting(); },
          .expected = violated("no more than 2 in the pool", 6),
          .explanation =
              R"(All three read that no permit is out, in step 1 (A GET), step 2 (B GET) and
step 3 (C GET). Each sees that it may take one, and each raises the count: in step 6 (A INCR) it is
three. Nobody's clock matters: looking and taking are two steps.)",
          .stale = Stale{1, 6},
          .repairs_what = "semaphore-skew",
      }};
}

}  // namespace interlock::sim::catalogue
