// One atomic step at a store, as a value that can be printed, compared, recorded and replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interlock/vocabulary.hpp"

namespace interlock {

class Script;

enum class OperationKind : std::uint8_t {
  get,
  set,
  set_if_absent,
  exchange,
  erase,
  expire,
  remaining,
  increment,
  claim,
  renew,
  release,
  run,
  publish,
  subscribe,
  await_message,
  interrupt,
  unsubscribe,
};

// The word for a kind in messages and schedules: `get`, `set_if_absent`, ...
std::string_view to_string(OperationKind kind) noexcept;

// The number of one subscription of one KeyValueStore; it means nothing to another store.
using SubscriptionId = std::int64_t;

// The fields that each kind uses; stores ignore the others:
//   get, erase, remaining, increment   key
//   set, set_if_absent                 key, value; ttl, or none for a key that does not expire
//   exchange                           key, value
//   expire                             key, ttl
//   claim, renew                       key, value (the owner token), ttl
//   release                            key, value (the owner token)
//   run                                script, keys, arguments
//   publish                            key (the channel), value (the message)
//   subscribe                          key (the channel)
//   await_message                      subscription, until
//   interrupt, unsubscribe             subscription
// KeyValueStore says what each kind does. This class has a constructor, so that it is not an
// aggregate (see vocabulary.hpp).
class Operation {
 public:
  explicit Operation(OperationKind of_kind) : kind(of_kind) {}
  Operation(OperationKind of_kind, Key on_key) : kind(of_kind), key(std::move(on_key)) {}

  OperationKind kind;
  Key key;
  std::string value;
  std::optional<milliseconds> ttl;
  SubscriptionId subscription = 0;
  TimePoint until{};                   // by the local clock
  const Script* script = nullptr;      // must outlive every store that has seen it: see Script
  std::vector<Key> keys;               // of a script
  std::vector<std::string> arguments;  // of a script

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One line for people: `SETNX lock.foo 112`, `CLAIM deploy il1:... PX 30000`.
std::string describe(const Operation& operation);

}  // namespace interlock
