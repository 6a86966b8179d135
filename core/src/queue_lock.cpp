#include "interlock/protocols/queue_lock.hpp"

#include <algorithm>

#include "interlock/store/lock_keys.hpp"
#include "interlock/store/queue_scripts.hpp"
#include "offer.hpp"

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
  std::vector<detail::SharedText> arguments = claim_arguments(owner, ttl, details, asks);
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
  std::vector<detail::SharedText> arguments =
      detail::release_arguments(name, owner, policy(), quarantine(), retention());
  if (!quarantine()) {
    return store().release_by(queue_release_script(), keys.all(), std::move(arguments));
  }
  return store().release_by(quarantined_queue_release_script(), with_incarnation(keys),
                            std::move(arguments));
}

}  // namespace interlock
