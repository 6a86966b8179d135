#include "interlock/protocols/queue_lock.hpp"

#include <algorithm>

#include "interlock/detail/assert.hpp"
#include "interlock/detail/ranges.hpp"
#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "offer.hpp"
#include "queue_claim.hpp"

namespace interlock {
namespace {

// What the scripts of a store with quarantines get.
KeyList with_incarnation(const LockKeys& keys) {
  std::vector<Key> all;
  all.reserve(4);
  for (const Key& key : keys.all()) all.push_back(key);
  all.push_back(incarnation_key());
  return all;
}

}  // namespace

std::optional<Error> QueuePolicy::wrong() const {
  constexpr std::int64_t largest_block = 1'000'000;
  return detail::Ranges("QueuePolicy")
      .duration("claim_window", claim_window, milliseconds{1})
      .duration("grace", grace, milliseconds{1})
      .duration("recheck", recheck, milliseconds{1})
      .number("fencing_block", fencing_block, 1, largest_block)
      .error();
}

QueueLock::QueueLock(KeyValueStore& store,
                     TimeSource& time,
                     SafetyMargin margin,
                     QueuePolicy policy,
                     std::optional<Quarantine> quarantine,
                     Retention retention)
    : LeaseProtocol(store, time, margin, quarantine, retention), policy_(policy) {
  if (const auto error = policy.wrong()) detail::misused(error->detail());
}

Task<Result<AcquireOutcome>> QueueLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  if (detail::has_white_space(owner.text())) return detail::refuse_white_space(std::move(name));
  return claim(std::move(name), std::move(owner), ttl, ClaimDetails(), Asks::first);
}

Task<Result<AcquireOutcome>> QueueLock::queue_up(
    LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) {
  ClaimDetails details;
  details.wake_up = detail::channel_or_none(wake_up);
  if (detail::has_white_space(owner.text() + details.wake_up)) {
    return detail::refuse_white_space(std::move(name));
  }
  return claim(std::move(name), std::move(owner), ttl, std::move(details), asks);
}

std::optional<Lease> QueueLock::lease_by_message(const LockName& name,
                                                 const OwnerToken& owner,
                                                 Ttl ttl,
                                                 const Busy& answer,
                                                 const std::string& message) {
  // A message of the server before the failover could still come, after an answer of the one that
  // has taken over and knows less: it would give a lease that the quarantine does not cover.
  if (quarantine()) return std::nullopt;
  const std::optional<Offer> offer = Offer::parse(message);
  if (!offer || offer->owner != owner.text() || !answer.last_given) return std::nullopt;
  // Each offer has a greater token than all grants before it. If this one's is greater, the offer
  // was made after the latest request was carried out, and so after it was sent. Else it may be an
  // earlier offer, which has ended.
  if (offer->fencing <= *answer.last_given) return std::nullopt;
  // A late copy of a request of this owner would leave the key for one ttl, and no longer.
  const Ttl lasts = std::min(offer->window, ttl);
  const Duration lifetime = margin().certain_lifetime(lasts);
  const TimePoint now = time().now();
  if ((now - answer.asked) * 2 >= lifetime) return std::nullopt;
  return Lease(name, owner, offer->fencing, ttl, now, answer.asked + lifetime, margin(),
               offer->tokens, offer->others_queue);
}

OperationAwaiter<ClaimReply> QueueLock::send_claim(const LockName& name,
                                                   const OwnerToken& owner,
                                                   Ttl ttl,
                                                   const ClaimDetails& details,
                                                   Asks asks) {
  const std::string& wake_up = details.wake_up;
  // This runs for every section, and uses no initializer list, which would be copied.
  const milliseconds window = std::min(policy_.claim_window, ttl.duration());
  std::vector<detail::SharedText> arguments;
  arguments.reserve((wake_up.empty() ? 5U : 9U) + (quarantine() ? 1U : 0U));
  arguments.push_back(owner.shared());
  arguments.emplace_back(std::to_string(ttl.duration().count()));
  arguments.emplace_back(std::to_string(retention().with(ttl.duration()).count()));
  arguments.emplace_back(std::to_string(fencing_block()));
  arguments.emplace_back(std::to_string(window.count()));
  if (!wake_up.empty()) {
    arguments.emplace_back(wake_up);
    arguments.emplace_back(std::to_string(policy_.recheck.count()));
    arguments.emplace_back(std::to_string(policy_.grace.count()));
    arguments.emplace_back(asks == Asks::again ? "1" : "0");
  }
  if (!quarantine()) {
    return store().claim_by(queue_claim_script(), name.keys().all(), std::move(arguments));
  }
  arguments.emplace_back(std::to_string(quarantine()->lasts().count()));
  return store().claim_by(quarantined_queue_claim_script(), with_incarnation(name.keys()),
                          std::move(arguments));
}

OperationAwaiter<OwnerCheck> QueueLock::send_release(const LockName& name,
                                                     const OwnerToken& owner) {
  const LockKeys& keys = name.keys();
  std::vector<detail::SharedText> arguments;
  milliseconds window = policy_.claim_window;
  // An offer is a lease of the store, too.
  if (quarantine()) window = std::min(window, quarantine()->longest_ttl.duration());
  arguments.reserve(6);
  arguments.push_back(owner.shared());
  arguments.push_back(keys.released().shared());
  arguments.emplace_back(std::to_string(policy_.fencing_block));
  arguments.emplace_back(std::to_string(window.count()));
  arguments.emplace_back(std::to_string(retention().with(window).count()));
  if (!quarantine()) {
    return store().release_by(queue_release_script(), keys.all(), std::move(arguments));
  }
  arguments.emplace_back(std::to_string(quarantine()->lasts().count()));
  return store().release_by(quarantined_queue_release_script(), with_incarnation(keys),
                            std::move(arguments));
}

}  // namespace interlock
