// One atomic step at a store, as a value: it can be printed, compared, recorded and replayed.
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

// Names one subscription of one KeyValueStore.
using SubscriptionId = std::int64_t;

// Which fields count depends on the kind; KeyValueStore documents each. Has a constructor, so that
// it is not an aggregate (see vocabulary.hpp).
class Operation {
 public:
  explicit Operation(OperationKind of_kind) : kind(of_kind) {}
  Operation(OperationKind of_kind, Key on_key) : kind(of_kind), key(std::move(on_key)) {}

  OperationKind kind;
  Key key;            // for publish and subscribe: the channel's name
  std::string value;  // what is stored; the owner token; the message
  std::optional<milliseconds> ttl;
  SubscriptionId subscription = 0;
  TimePoint until{};  // await_message gives up
  const Script* script = nullptr;
  std::vector<Key> keys;               // of a script
  std::vector<std::string> arguments;  // of a script

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One line for people: `SETNX lock.foo 112`, `CLAIM deploy il1:... PX 30000`.
std::string describe(const Operation& operation);

}  // namespace interlock
