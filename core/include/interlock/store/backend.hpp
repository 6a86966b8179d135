// One configured store: how to open connections to it, and what it says about itself.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interlock/quarantine.hpp"
#include "interlock/retention.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/reactor.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// One finding about a store's configuration, for `interlock check`.
class Finding {
 public:
  // How good that is for locks.
  enum class Grade : std::uint8_t { good, warning, bad };
  Finding(Grade is, std::string of, std::string that, std::string do_this = {})
      : grade(is), subject(std::move(of)), fact(std::move(that)), advice(std::move(do_this)) {}
  Grade grade;          // of the fact
  std::string subject;  // `version`, `persistence`, ...
  std::string fact;     // what was found
  std::string advice;   // empty if there is nothing to do
};

// A search for held locks in parts, so that a look at a store with many other keys has a bounded
// cost. One thread at a time; the backend must outlive it.
class LockSearch {
 public:
  class FoundPart {
   public:
    // Locks that were held when the search came to them. One may come twice.
    std::vector<Key> found;
    // Which share of all keys was seen in this round: 0 to 1.
    double share_seen = 1;
    bool is_complete() const noexcept { return share_seen >= 1; }
  };
  virtual ~LockSearch() = default;
  // The next part: looks at about `keys_max` keys if the store has no list of its locks, and else
  // at all locks. After a part that is_complete(), or an error, the next round begins. A lock that
  // is held during a whole round is found in it. Errors: as of Backend::held_locks().
  virtual Result<FoundPart> next(std::size_t keys_max) = 0;
};

// One store, and how to open connections to it. Safe for several threads.
class Backend {
 public:
  virtual ~Backend() = default;

  // A store that answers inside submit(), for one thread at a time. Never null. It connects with
  // its first operation, so this reports no error; every wait in it is bounded.
  virtual std::unique_ptr<KeyValueStore> open() = 0;

  // A store that never blocks the loop, used on the loop's thread alone. Null: this backend has
  // none; run a blocking one on threads of its own.
  virtual std::unique_ptr<KeyValueStore> open_on(Reactor& reactor) = 0;

  // For messages; without a password: `redis://127.0.0.1:6379/0`.
  virtual std::string description() const = 0;

  // What its users must do after a failover or a restart; the protocols of a Client do it. None: no
  // lock waits. Valid, and the same for the whole life of the backend.
  virtual std::optional<Quarantine> quarantine() const { return std::nullopt; }

  // For how long the store keeps what a lock leaves behind; the protocols of a Client say it. The
  // same for the whole life of the backend.
  virtual Retention retention() const { return Retention(); }

  // Both ask the store, and block within its limits. Errors: `unavailable` or `indeterminate`, the
  // store did not answer; `rejected`, it refused the user; `forked`, this backend cannot be used in
  // this child. held_locks() also: `rejected`, the server is a node of a cluster and does not know
  // all locks; `unavailable`, it is a replica without its primary and does not know the latest.
  //
  // The facts about the store that matter for locks. A fact that the user may not see is left out,
  // or is a finding itself.
  virtual Result<std::vector<Finding>> inspect() = 0;
  // The same for a user who is to take this lock: also whether the user may use its keys and
  // channels. Unless a backend has its own, this is inspect(): where users have the same rights to
  // all locks, there is no more to say.
  virtual Result<std::vector<Finding>> inspect_for(const LockName& lock);
  // The keys of all locks that were granted in this store, still exist, and this user may read.
  virtual Result<std::vector<Key>> held_locks() = 0;

  // The same in parts. Asks nothing yet. Unless a backend has its own, a part is all of
  // held_locks().
  virtual std::unique_ptr<LockSearch> search_locks();
};

}  // namespace interlock

#pragma GCC visibility pop
