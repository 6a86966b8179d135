// One configured store: how to open connections to it, and what it says about itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interlock/store/key_value_store.hpp"
#include "interlock/store/reactor.hpp"

namespace interlock {

// One finding about a store's configuration, for `interlock check`.
class Finding {
 public:
  enum class Grade : std::uint8_t { good, warning, bad };
  Finding(Grade is, std::string of, std::string that, std::string do_this = {})
      : grade(is), subject(std::move(of)), fact(std::move(that)), advice(std::move(do_this)) {}
  Grade grade;
  std::string subject;  // `version`, `persistence`, ...
  std::string fact;
  std::string advice;  // empty if there is nothing to do
};

// Safe for several threads.
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

  // Both ask the store, and block within its limits. Errors: `unavailable` or `indeterminate`, the
  // store did not answer; `rejected`, it refused the user; `forked`, this backend cannot be used in
  // this child. held_locks() also: `rejected`, the server is a node of a cluster and does not know
  // all locks; `unavailable`, it is a replica without its primary and does not know the latest.
  //
  // The facts about the store that matter for locks. A fact that the user may not see is left out,
  // or is a finding itself.
  virtual Result<std::vector<Finding>> inspect() = 0;
  // The keys of all locks that were granted in this store, still exist, and this user may read.
  virtual Result<std::vector<Key>> held_locks() = 0;
};

}  // namespace interlock
