#include "all.hpp"
#include "clients.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr std::chrono::seconds ttl{2};

// The unit of stamps, and of the clock readings that are compared with them.
std::int64_t seconds_of(TimePoint at) {
  return at.time_since_epoch() / std::chrono::seconds{1};
}

// The same lock with the loser's GETSET mended.
enum class Mended : std::uint8_t { fresh_stamp, puts_back };
Task<void> visit_mended(Client& me, Mended how) {
  TimePoint asked = me.wall_clock().now();
  std::string stamp = std::to_string(seconds_of(asked + ttl) + 1);
  const Result<bool> set = co_await me.store().set_if_absent(Key(foo), stamp);
  if (!set) co_return;
  if (!*set) {
    const Result<std::optional<std::string>> seen = co_await me.store().get(Key(foo));
    if (!seen || !*seen || seconds_of(asked) <= std::stoll(**seen)) co_return;
    if (how == Mended::fresh_stamp) {
      asked = me.wall_clock().now();
      stamp = std::to_string(seconds_of(asked + ttl) + 1);
    }
    const Result<std::optional<std::string>> before = co_await me.store().exchange(Key(foo), stamp);
    if (!before || !*before) co_return;
    if (seconds_of(asked) <= std::stoll(**before)) {
      const std::string winners = **before;
      if (how == Mended::puts_back) static_cast<void>(co_await me.store().set(Key(foo), winners));
      co_return;
    }
  }
  me.enter(foo, FencingToken(), asked + ttl, OwnClock::wall_clock);
  co_await me.leave(foo);
}

constexpr std::size_t clients = 3;
constexpr std::size_t instants = 5;

Scenario make(const flawed::StampOptions& options) {
  Visit visit;
  visit.draws_token = options.unique;
  Scenario scenario = world_with_stale_stamp(instants);
  scenario.clients(clients, visitor(stamp_lock_of(options), visit)).require(lease_exclusion(foo));
  return scenario;
}

Scenario make(Mended how) {
  Scenario scenario = world_with_stale_stamp(instants);
  scenario.clients(clients, [=](Client& me) { return visit_mended(me, how); })
      .require(lease_exclusion(foo));
  return scenario;
}

}  // namespace

Entries getset_loser_shortens() {
  return {
      {
          .name = "getset-loser-shortens",
          .family = Family::setnx,
          .summary = "a late loser's GETSET makes the winner's lock shorter: another takes it over",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(flawed::StampOptions()); },
          .expected = violated("exclusion within leases of lock.foo", 13),
          .explanation =
              R"(A reads the clock at 100 s, sees C0's expired stamp in step 2 (A GET), and is
delayed. B asks at 103 s and wins in step 8 (B GETSET): its lease lasts until 105 s, its stamp
is 106. A loses in step 9 (A GETSET), but GETSET writes even when it loses, and what A writes is
the stamp that it made three seconds before: the key now holds 103 in the place of 106. C comes
at 104 s, sees a stamp that has expired in step 12 (C GET), and takes the lock over in step 13
(C GETSET). B's lease has not ended: nobody has stayed inside too long. A winner loses up to as
much time as a loser has been delayed.)",
          .stale = Stale{2, 9},
          .fix = "compare and set in one step, so that a loser writes nothing",
          .repairs = {{"getset-loser-shortens-repaired",
                       "take over by a script that compares first", true,
                       "A loser writes nothing, so the winner's stamp stays as it was."},
                      {"getset-loser-shortens-fresh", "read the clock again right before GETSET",
                       false, "What was read is old again by the time GETSET arrives."},
                      {"getset-loser-shortens-put-back",
                       "let the loser put back what GETSET gave it", false,
                       "Between GETSET and SET the early stamp is there for everybody to see."}},
          .sources = {"Redis manual, SETNX: calls the overwritten stamp 'not a problem'"},
      },
      {
          .name = "getset-loser-shortens-repaired",
          .family = Family::setnx,
          .summary = "a loser that writes nothing makes nothing shorter",
          .protocol = "stamp-lock-repaired",
          .make = [](const Bounds&) { return make(repaired_stamps()); },
          .expected = proved,
          .explanation = "The script writes only if the stamp that it finds has ended, so nobody "
                         "is taken over before the end of its own stamp.",
          .repairs_what = "getset-loser-shortens",
      },
      {
          .name = "getset-loser-shortens-fresh",
          .family = Family::setnx,
          .summary = "a stamp made right before GETSET is early, too, when GETSET is late",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(Mended::fresh_stamp); },
          .expected = violated("exclusion within leases of lock.foo", 13),
          .explanation =
              R"(C sees the expired stamp in step 4 (C GET), reads the clock, makes the stamp
103, and its GETSET is delayed. B wins in step 11 (B GETSET), and its lease goes on. C's GETSET
arrives in step 12 (C GETSET) and puts 103 in the place of 106. A, which also saw the old stamp,
gets that 103 back in step 13 (A GETSET): it has expired, so A believes that it holds the lock
as well. The clock is read before the command is carried out, however late that is done.)",
          .stale = Stale{4, 12},
          .repairs_what = "getset-loser-shortens",
      },
      {
          .name = "getset-loser-shortens-put-back",
          .family = Family::setnx,
          .summary = "the loser puts the winner's stamp back: too late if another looks in between",
          .protocol = "stamp-lock",
          .make = [](const Bounds&) { return make(Mended::puts_back); },
          .expected = violated("exclusion within leases of lock.foo", 13),
          .explanation =
              R"(B wins in step 8 (B GETSET). A loses in step 9 (A GETSET) and has made the
key 103 in the place of 106. It is about to put 106 back, but that is a second command: before
it arrives, C sees the early stamp in step 12 (C GET) and takes the lock over in step 13 (C
GETSET). And if A's SET came after that, it would put B's stamp in the place of C's.)",
          .stale = Stale{2, 9},
          .repairs_what = "getset-loser-shortens",
      }};
}

}  // namespace interlock::sim::catalogue
