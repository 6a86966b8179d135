#include "interlock/lock_set.hpp"

#include <algorithm>

#include "interlock/lock_client.hpp"

namespace interlock {
namespace {

Error lost_meanwhile() {
  return {Errc::unavailable,
          "acquiring several locks: the lease of one had ended before the last one was granted, "
          "and none is held: use a longer ttl"};
}

// All but `first`, which it has. The locks before that one are tried without a wait. So nobody who
// waits for a lock has one that comes after it, and callers cannot wait for each other in a circle.
// `asked`: the lock that was tried last.
Task<TakenSet> take_others(LockSet& locks,
                           std::size_t count,
                           std::size_t first,
                           Duration hold_and_wait,
                           std::size_t* asked) {
  const TimePoint until = locks.now() + hold_and_wait;
  for (std::size_t at = 0; at < count; ++at) {
    if (at == first) continue;
    const Duration left = std::max(until - locks.now(), Duration::zero());
    const Duration limit = at < first ? Duration::zero() : left;
    *asked = at;
    Result<std::optional<Busy>> taken = co_await locks.take(at, limit);
    if (!taken) co_return std::move(taken).error();
    if (*taken) co_return std::optional(BusyInSet(at, **std::move(taken)));
  }
  co_return std::optional<BusyInSet>();
}

}  // namespace

// Why a competitor that is refused a lock before its own gives back at once, and one that is
// refused a lock after its own waits a moment: if both gave back, both would begin anew, for ever.
Task<TakenSet> take_all(LockSet& locks, std::size_t count, LockSetPolicy policy) {
  std::size_t first = 0;
  Duration hold_and_wait = policy.first_hold_and_wait;
  for (;;) {
    Result<std::optional<Busy>> taken = co_await locks.take(first, std::nullopt);
    if (!taken) co_return std::move(taken).error();
    if (*taken) co_return std::optional(BusyInSet(first, **std::move(taken)));

    std::size_t asked = first;
    TakenSet others = co_await take_others(locks, count, first, hold_and_wait, &asked);
    const std::optional<std::size_t> lost = locks.lost();
    const bool has_all = others && !*others && !lost;
    if (has_all) co_return others;
    co_await locks.give_back();
    // A store that is away while some are in hand is waited for with nothing in hand, as long as
    // the first lock of a round may be waited for.
    const bool was_away = !others && is_out_of_reach(others.error());
    if (!others && !(was_away && locks.may_wait())) co_return others;
    if (!locks.may_wait()) {
      if (*others) co_return others;
      co_return lost_meanwhile();
    }
    if (was_away) {
      first = asked;
    } else {
      first = *others ? (*others)->at : *lost;
    }
    hold_and_wait = std::min(2 * hold_and_wait, policy.longest_hold_and_wait);
  }
}

}  // namespace interlock
