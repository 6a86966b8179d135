#include "interlock/protocols/group_lock.hpp"

#include <utility>
#include <vector>

#include "held_group.hpp"
#include "interlock/group.hpp"
#include "interlock/store/group_scripts.hpp"
#include "interlock/store/lock_keys.hpp"

namespace interlock {
namespace {

KeyList keys_of(const LockName& name, bool has_quarantine) {
  const LockKeys& keys = name.keys();
  std::vector<Key> all{keys.lock(), keys.fencing(), keys.queue(), holders_key(keys.lock())};
  if (has_quarantine) all.push_back(incarnation_key());
  return all;
}

OperationAwaiter<OwnerCheck> ask_for_release(KeyValueStore& store,
                                             const LockName& name,
                                             const OwnerToken& owner,
                                             const QueuePolicy& policy,
                                             const std::optional<Quarantine>& quarantine,
                                             Retention retention) {
  const bool has_quarantine = quarantine.has_value();
  return store.release_by(
      has_quarantine ? quarantined_group_release_script() : group_release_script(),
      keys_of(name, has_quarantine),
      detail::release_arguments(name, owner, policy, quarantine, retention));
}

// What a holder of permits is told if the others count to another number.
Task<Result<AcquireOutcome>> unless_counted_otherwise(Task<Result<AcquireOutcome>> claim,
                                                      LockName name,
                                                      OwnerToken owner) {
  Result<AcquireOutcome> outcome = co_await claim;
  const Busy* const busy = outcome ? std::get_if<Busy>(&*outcome) : nullptr;
  const auto group = busy == nullptr ? std::nullopt : GroupOfHolders::parse(busy->holder);
  const Wish ours = Wish::of(owner.text());
  if (!group || group->are_readers || ours.kind == std::to_string(group->all_permits)) {
    co_return outcome;
  }
  co_return Error(Errc::invalid_argument, "claiming '" + name.text() +
                                              "': those that have permits now say that there are " +
                                              std::to_string(group->all_permits) +
                                              ", and this client says " + ours.kind +
                                              ": all clients must name the same number");
}

}  // namespace

OperationAwaiter<ClaimReply> GroupLock::send_claim(const LockName& name,
                                                   const OwnerToken& owner,
                                                   Ttl ttl,
                                                   const ClaimDetails& details,
                                                   Asks asks) {
  const bool downgrades = !details.instead_of.empty();
  std::vector<detail::SharedText> arguments = claim_arguments(owner, ttl, details, asks);
  if (downgrades) arguments.emplace_back(details.instead_of);
  if (!quarantine()) {
    return store().claim_by(downgrades ? group_downgrade_script() : group_claim_script(),
                            keys_of(name, false), std::move(arguments));
  }
  arguments.emplace_back(std::to_string(quarantine()->lasts().count()));
  return store().claim_by(
      downgrades ? quarantined_group_downgrade_script() : quarantined_group_claim_script(),
      keys_of(name, true), std::move(arguments));
}

OperationAwaiter<OwnerCheck> GroupLock::send_renewal(const LockName& name,
                                                     const OwnerToken& owner,
                                                     Ttl ttl) {
  const LockKeys& keys = name.keys();
  std::vector<Key> all{keys.lock(), keys.fencing(), holders_key(keys.lock())};
  std::vector<detail::SharedText> arguments{
      owner.shared(), std::to_string(ttl.duration().count()),
      std::to_string(retention().with(ttl.duration()).count())};
  return store().release_by(group_renew_script(), std::move(all), std::move(arguments));
}

OperationAwaiter<OwnerCheck> GroupLock::send_release(const LockName& name,
                                                     const OwnerToken& owner) {
  return ask_for_release(store(), name, owner, policy(), quarantine(), retention());
}

Task<Result<OwnerCheck>> remove_from_group(KeyValueStore& store,
                                           LockName name,
                                           OwnerToken owner,
                                           std::optional<Quarantine> quarantine,
                                           Retention retention) {
  co_return co_await ask_for_release(store, name, owner, QueuePolicy(), quarantine, retention);
}

Task<Result<AcquireOutcome>> SharedLock::downgrade(Lease exclusive, OwnerToken owner) {
  ClaimDetails details;
  details.instead_of = exclusive.owner().text();
  return claim(exclusive.name(), std::move(owner), exclusive.ttl(), std::move(details),
               Asks::first);
}

Task<Result<AcquireOutcome>> PermitLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  return unless_counted_otherwise(QueuedProtocol::try_acquire(name, owner, ttl), name, owner);
}

Task<Result<AcquireOutcome>> PermitLock::queue_up(
    LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) {
  return unless_counted_otherwise(
      QueuedProtocol::queue_up(name, owner, ttl, std::move(wake_up), asks), name, owner);
}

}  // namespace interlock
