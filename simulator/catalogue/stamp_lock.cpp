#include "interlock/sim/catalogue/stamp_lock.hpp"

#include <charconv>
#include <string>

#include "interlock/lock_keys.hpp"

namespace interlock::sim::catalogue {
namespace {

constexpr const char* lock_name = "lock.foo";

std::optional<std::int64_t> parse_stamp(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::int64_t stamp = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, stamp);
  if (error != std::errc() || stop != end) return std::nullopt;
  return stamp;
}

AcquireOutcome busy() {
  return Busy(OwnerToken(), std::nullopt, std::nullopt);
}

Task<void> stamp_worker(Client& me, TakeOver take_over, std::int64_t attempts, Ttl ttl) {
  StampLock lock(me.store(), me.wall_clock(), take_over);
  const LockName name = *LockName::parse(lock_name);
  for (std::int64_t left = attempts; left > 0; --left) {
    co_await me.loop_head(left);
    const Result<AcquireOutcome> outcome = co_await lock.try_acquire(name, OwnerToken(), ttl);
    const Lease* held = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
    if (held != nullptr) {
      const Lease lease = *held;
      me.enter(lock_name);
      co_await me.leave(lock_name);
      static_cast<void>(co_await lock.release(lease));
      co_return;
    }
    if (left > 1) co_await me.time().sleep_until(me.time().now() + std::chrono::seconds{1});
  }
}

}  // namespace

std::int64_t StampLock::now() {
  return clock_.now().time_since_epoch() / granularity_;
}

Task<Result<AcquireOutcome>> StampLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  const Key key = lock_key(name);
  const TimePoint sent = clock_.now();
  const std::int64_t now = sent.time_since_epoch() / granularity_;
  const std::string stamp = std::to_string(now + ttl.duration() / granularity_ + 1);
  const Lease lease(name, owner, FencingToken(), ttl, sent, SafetyMargin());

  const Result<bool> first = co_await store_.set_if_absent(key, stamp);
  if (!first) co_return first.error();
  if (*first) co_return AcquireOutcome(lease);

  const Result<std::optional<std::string>> seen = co_await store_.get(key);
  if (!seen) co_return seen.error();
  const std::optional<std::int64_t> ends = parse_stamp(*seen);
  // Released between the two commands: the next try starts at SETNX again.
  if (!ends || now <= *ends) co_return busy();

  if (take_over_ == TakeOver::del_setnx) {
    const Result<bool> erased = co_await store_.erase(key);
    if (!erased) co_return erased.error();
    const Result<bool> second = co_await store_.set_if_absent(key, stamp);
    if (!second) co_return second.error();
    co_return *second ? AcquireOutcome(lease) : busy();
  }
  const Result<std::optional<std::string>> before = co_await store_.exchange(key, stamp);
  if (!before) co_return before.error();
  const std::optional<std::int64_t> old = parse_stamp(*before);
  // Nobody held it at that moment, or the one who did had let it end.
  const bool free = !old || now > *old;
  co_return free ? AcquireOutcome(lease) : busy();
}

Task<Result<RenewOutcome>> StampLock::renew(Lease lease) {
  co_return Error(Errc::invalid_argument, "renewing '" + lease.name().text() +
                                              "': a stamp lock cannot be renewed: use lease-lock");
}

Task<Result<ReleaseOutcome>> StampLock::release(Lease lease) {
  const Key key = lock_key(lease.name());
  const Result<std::optional<std::string>> seen = co_await store_.get(key);
  if (!seen) co_return seen.error();
  const std::optional<std::int64_t> ends = parse_stamp(*seen);
  if (!ends || now() >= *ends) co_return ReleaseOutcome::not_holder;
  // The check and the deletion are two steps: a take-over may fall between them.
  const Result<bool> erased = co_await store_.erase(key);
  if (!erased) co_return erased.error();
  co_return *erased ? ReleaseOutcome::released : ReleaseOutcome::not_holder;
}

std::optional<Channel> StampLock::release_channel(const LockName&) const {
  return std::nullopt;
}

Program stamp_client(TakeOver take_over, std::int64_t attempts, Ttl ttl) {
  return [=](Client& me) { return stamp_worker(me, take_over, attempts, ttl); };
}

Scenario stamp_lock_scenario(TakeOver take_over,
                             std::size_t clients,
                             std::int64_t attempts,
                             std::size_t instants) {
  const Ttl ttl{std::chrono::seconds{2}};
  Scenario scenario(take_over == TakeOver::getset ? "stamp-lock" : "del-setnx-lock");
  scenario.clients(clients, stamp_client(take_over, attempts, ttl))
      .clocks_start_at(std::chrono::seconds{100})
      .instants(instants)
      .initially(Key(lock_name), Entry("50"))
      .require(mutual_exclusion(lock_name));
  return scenario;
}

}  // namespace interlock::sim::catalogue
