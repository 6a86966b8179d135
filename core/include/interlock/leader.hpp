// Who leads: the holder of a lock says something about itself beside the lock, and others observe
// that. The lock is an ordinary one, and holding it is what makes the leader.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "interlock/store/key_value_store.hpp"
#include "interlock/store/script.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// A leader as others see it.
class Leader {
 public:
  // The most bytes that a value may have. They may be any.
  static constexpr std::size_t value_max = 4096;

  Leader(OwnerToken by, FencingToken number, std::string says)
      : owner(std::move(by)), epoch(number), value(std::move(says)) {}

  OwnerToken owner;  // of the leader's lock
  // The fencing token of the leader's lock: it grows from leader to leader.
  FencingToken epoch;
  std::string value;  // what the leader says of itself

  friend bool operator==(const Leader&, const Leader&) = default;
};

// Notes beside the lock what its holder says of itself, and notifies the observers. A later value
// of the same holder replaces it. It is kept for 365 days, or until another leader's. A request
// that was not answered is repeated, up to two times. (The store may carry out such a request late,
// after a later proclamation.)
// `absent`, `other`: the owner does not hold the lock, and nothing has changed. Errors: those of
// KeyValueStore, and `invalid_argument` if the value has more than Leader::value_max bytes.
Task<Result<OwnerCheck>> proclaim(KeyValueStore& store, LockName name, Leader leader);

// Takes that back, before a release: so the store keeps nothing of a leader that has resigned. Does
// not notify anybody, which the release does.
Task<Result<OwnerCheck>> withdraw(KeyValueStore& store, LockName name, OwnerToken owner);

// Tells who leads, again whenever that changes. A holder that has not proclaimed itself is no
// leader. What it tells was true at the store at some moment after the call began; by the time of
// the answer the leader may be another. So a resource must check epochs as fencing tokens.
//
// A proclamation or a release notifies it by a message. If the leader dies, there is none: it looks
// again when the lease that it saw would end, so that it costs one request in a ttl while a leader
// goes on. It looks at least once a minute, to notice a connection through which nothing comes. One
// thread at a time, that of the store; store and clock outlive it.
class LeaderObserver {
 public:
  LeaderObserver(KeyValueStore& store, TimeSource& time, LockName name);
  LeaderObserver(const LeaderObserver&) = delete;
  LeaderObserver& operator=(const LeaderObserver&) = delete;

  // One request. None: nobody leads. Errors: those of KeyValueStore.
  Task<Result<std::optional<Leader>>> look();

  // Subscribes, unless that is done. wait() does it as well.
  Task<Result<SubscriptionId>> subscribe();
  // True: who leads, or the value, is not what it was when this was true before; leader() says what
  // it is now. The first call answers so at once. False: `until` came first, or
  // KeyValueStore::interrupt() of the subscription has ended the wait. After an error, call it
  // again after a pause: it has forgotten nothing. Errors: those of KeyValueStore.
  Task<Result<bool>> wait(TimePoint until);
  // As of the last wait() that was true.
  const std::optional<Leader>& leader() const noexcept { return told_; }

  // Ends the subscription. To be called before the observer ends.
  Task<void> end();

 private:
  KeyValueStore& store_;
  TimeSource& time_;
  const LockName name_;
  std::optional<SubscriptionId> subscription_;
  std::optional<milliseconds> lease_left_;  // of the holder, when the last look was answered
  bool has_told_ = false;
  std::optional<Leader> told_;
};

// --- scripts -------------------------------------------------------------------------------------
// KEYS of all: lock, leader_key().

// ARGV owner, fencing token, value, channel, for how many ms it is kept. 1: it is noted, and a
// message published on the channel. 0: there is no such lock; -1: another owner has it.
const Script& proclaim_script();
// ARGV owner. 1: what this owner has noted is deleted; 0, -1 as above.
const Script& withdraw_script();
// [holder or '', remaining ms or -1, what was proclaimed or ''].
const Script& look_for_leader_script();

}  // namespace interlock

#pragma GCC visibility pop
