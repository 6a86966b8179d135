// What must hold in every run.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "interlock/sim/run.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sim {

class Property {
 public:
  enum class Kind : std::uint8_t {
    mutual_exclusion,
    owner_only,
    fencing_grows,
    fenced_writes,
    no_orphan,
    no_lost_wake_up,
    predicate,
    never,
  };
  using Predicate = std::function<bool(const Snapshot&)>;

  Property(Kind is, std::string called, std::string on)
      : kind(is), name(std::move(called)), subject(std::move(on)) {}

  Kind kind;
  std::string name;     // `mutual exclusion of lock.foo`
  std::string subject;  // the lock, key or resource
  Duration within{0};
  Predicate holds;
};

// Never are two clients inside `lock` (Client::enter) at one time, by true time.
Property mutual_exclusion(std::string lock);

// No client removes the key, or changes how long it lasts, while it holds what another client
// wrote. Keys of the initial state belong to nobody.
Property owner_only(std::string key);

// Each grant of a claim on the key has a greater fencing token than the one before.
Property fencing_grows(std::string key);

// No write that the resource accepts has a smaller fencing token than one before it, nor the same
// as another client's: however late, a stale write never lands after a newer one.
Property fenced_writes(std::string resource);

// When every client is done or crashed and no request is on its way, the key is gone or going to
// expire.
Property no_orphan(std::string key);

// When an operation has removed the key, no client goes on waiting for a message that is not on its
// way, unless its wait ends within `within` by its own clock. (A key that expires announces
// nothing, and is not meant here.) Lost messages justify a `within`: the ttl.
Property no_lost_wake_up(std::string key, Duration within = Duration{0});

// No client ever says that this has happened (Client::reach).
Property never(std::string event);

// The user's own: must hold in every state. Slower than the others: each state is decoded for it.
Property always(std::string name, Property::Predicate holds);

}  // namespace interlock::sim
