#include "interlock/protocols/group_lock.hpp"

#include <algorithm>
#include <utility>

#include "interlock/detail/assert.hpp"
#include "interlock/group.hpp"
#include "interlock/store/group_scripts.hpp"
#include "interlock/store/lock_keys.hpp"
#include "queue_claim.hpp"

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
  milliseconds window = policy.claim_window;
  // An offer is a lease of the store, too.
  if (quarantine) window = std::min(window, quarantine->longest_ttl.duration());
  std::vector<detail::SharedText> arguments{
      owner.shared(), name.keys().released().shared(), std::to_string(policy.fencing_block),
      std::to_string(window.count()), std::to_string(retention.with(window).count())};
  if (!quarantine) {
    return store.release_by(group_release_script(), keys_of(name, false), std::move(arguments));
  }
  arguments.emplace_back(std::to_string(quarantine->lasts().count()));
  return store.release_by(quarantined_group_release_script(), keys_of(name, true),
                          std::move(arguments));
}

// What a holder of permits is told if the others count to another number.
Task<Result<AcquireOutcome>> unless_counted_otherwise(Task<Result<AcquireOutcome>> claim,
                                                      LockName name,
                                                      OwnerToken owner) {
  Result<AcquireOutcome> outcome = co_await claim;
  const Busy* const busy = outcome ? std::get_if<Busy>(&*outcome) : nullptr;
  const auto group = busy == nullptr ? std::nullopt : GroupOfHolders::parse(busy->holder);
  const std::int64_t theirs = group ? group->all_permits : 0;
  const std::string end = "of" + std::to_string(theirs) + std::string(OwnerToken::fair_mark);
  if (theirs == 0 || owner.text().ends_with(end)) co_return outcome;
  std::string_view ours = owner.text();
  ours.remove_prefix(ours.rfind("of") + 2);
  ours.remove_suffix(OwnerToken::fair_mark.size());
  co_return Error(Errc::invalid_argument, "claiming '" + name.text() +
                                              "': those that have permits now say that there are " +
                                              std::to_string(theirs) + ", and this client says " +
                                              std::string(ours) +
                                              ": all clients must name the same number");
}

}  // namespace

GroupLock::GroupLock(KeyValueStore& store,
                     TimeSource& time,
                     SafetyMargin margin,
                     QueuePolicy policy,
                     std::optional<Quarantine> quarantine,
                     Retention retention)
    : LeaseProtocol(store, time, margin, quarantine, retention), policy_(policy) {
  if (const auto error = policy.wrong()) detail::misused(error->detail());
}

Task<Result<AcquireOutcome>> GroupLock::try_acquire(LockName name, OwnerToken owner, Ttl ttl) {
  if (detail::has_white_space(owner.text())) return detail::refuse_white_space(std::move(name));
  return claim(std::move(name), std::move(owner), ttl, ClaimDetails(), Asks::first);
}

Task<Result<AcquireOutcome>> GroupLock::queue_up(
    LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) {
  ClaimDetails details;
  details.wake_up = detail::channel_or_none(wake_up);
  if (detail::has_white_space(owner.text() + details.wake_up)) {
    return detail::refuse_white_space(std::move(name));
  }
  return claim(std::move(name), std::move(owner), ttl, std::move(details), asks);
}

std::vector<detail::SharedText> GroupLock::arguments_of_claim(const OwnerToken& owner,
                                                              Ttl ttl) const {
  std::vector<detail::SharedText> arguments;
  arguments.reserve(10);
  arguments.push_back(owner.shared());
  arguments.emplace_back(std::to_string(ttl.duration().count()));
  arguments.emplace_back(std::to_string(retention().with(ttl.duration()).count()));
  arguments.emplace_back(std::to_string(policy_.fencing_block));
  arguments.emplace_back(std::to_string(std::min(policy_.claim_window, ttl.duration()).count()));
  return arguments;
}

OperationAwaiter<ClaimReply> GroupLock::send_claim(const LockName& name,
                                                   const OwnerToken& owner,
                                                   Ttl ttl,
                                                   const ClaimDetails& details,
                                                   Asks asks) {
  const std::string& wake_up = details.wake_up;
  std::vector<detail::SharedText> arguments = arguments_of_claim(owner, ttl);
  if (!details.instead_of.empty()) {
    arguments.emplace_back(details.instead_of);
    return store().claim_by(group_downgrade_script(), keys_of(name, false), std::move(arguments));
  }
  if (!wake_up.empty()) {
    arguments.emplace_back(wake_up);
    arguments.emplace_back(std::to_string(policy_.recheck.count()));
    arguments.emplace_back(std::to_string(policy_.grace.count()));
    arguments.emplace_back(asks == Asks::again ? "1" : "0");
  }
  if (!quarantine()) {
    return store().claim_by(group_claim_script(), keys_of(name, false), std::move(arguments));
  }
  arguments.emplace_back(std::to_string(quarantine()->lasts().count()));
  return store().claim_by(quarantined_group_claim_script(), keys_of(name, true),
                          std::move(arguments));
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
  return ask_for_release(store(), name, owner, policy_, quarantine(), retention());
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
  return unless_counted_otherwise(GroupLock::try_acquire(name, owner, ttl), name, owner);
}

Task<Result<AcquireOutcome>> PermitLock::queue_up(
    LockName name, OwnerToken owner, Ttl ttl, std::optional<Channel> wake_up, Asks asks) {
  return unless_counted_otherwise(GroupLock::queue_up(name, owner, ttl, std::move(wake_up), asks),
                                  name, owner);
}

}  // namespace interlock
