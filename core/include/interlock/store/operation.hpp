// One atomic step at a store, as a value that can be printed, compared, recorded and replayed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/retention.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

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

// The keys of a script, which never change: copies share them, and copying allocates nothing.
class KeyList {
 public:
  KeyList() = default;
  KeyList(std::vector<Key> keys)  // NOLINT(google-explicit-constructor): given as what it is
      : keys_(std::make_shared<const std::vector<Key>>(std::move(keys))) {}
  KeyList(std::initializer_list<Key> keys) : KeyList(std::vector<Key>(keys)) {}
  operator const std::vector<Key>&() const noexcept { return all(); }  // NOLINT(google-explicit-*)

  const std::vector<Key>& all() const noexcept;
  auto begin() const noexcept { return all().begin(); }
  auto end() const noexcept { return all().end(); }
  std::size_t size() const noexcept { return all().size(); }
  bool empty() const noexcept { return all().empty(); }
  const Key& front() const noexcept { return all().front(); }
  const Key& operator[](std::size_t at) const noexcept { return all()[at]; }

  friend bool operator==(const KeyList& one, const KeyList& other) {
    return one.all() == other.all();
  }

 private:
  std::shared_ptr<const std::vector<Key>> keys_;  // null: none
};

// The arguments of a script. A copy of an owner token or of a channel shares its text.
class ArgumentList {
 public:
  ArgumentList() = default;
  ArgumentList(std::vector<detail::SharedText> texts)  // NOLINT(google-explicit-constructor)
      : texts_(std::move(texts)) {}
  ArgumentList(const std::vector<std::string>& texts)  // NOLINT(google-explicit-constructor)
      : texts_(texts.begin(), texts.end()) {}
  ArgumentList(std::initializer_list<detail::SharedText> texts) : texts_(texts) {}

  // Each is used as a std::string would be.
  auto begin() const noexcept { return texts_.begin(); }
  auto end() const noexcept { return texts_.end(); }
  std::size_t size() const noexcept { return texts_.size(); }
  bool empty() const noexcept { return texts_.empty(); }
  const std::string& front() const noexcept { return texts_.front(); }
  const std::string& operator[](std::size_t at) const noexcept { return texts_[at]; }

  friend bool operator==(const ArgumentList&, const ArgumentList&) = default;

 private:
  std::vector<detail::SharedText> texts_;
};

// The fields that each kind uses; stores ignore the others:
//   get, erase, remaining, increment   key
//   set, set_if_absent                 key, value; ttl, or none for a key that does not expire
//   exchange                           key, value
//   expire                             key, ttl
//   claim, renew                       key, value (the owner token), ttl, retention
//   release                            key, value (the owner token)
//   run                                script, keys, arguments
//   publish                            key (the channel), value (the message)
//   subscribe                          key (the channel), texts, keys (beside: one of them or none)
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
  detail::SharedText value;
  std::optional<milliseconds> ttl;
  Retention retention;
  SubscriptionId subscription = 0;
  bool texts = false;              // whether the subscriber wants the messages' texts
  TimePoint until{};               // by the local clock
  const Script* script = nullptr;  // must outlive every store that has seen it: see Script
  KeyList keys;                    // of a script; of subscribe, beside which the channel is
  ArgumentList arguments;          // of a script

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One line for people: `SETNX lock.foo 112`, `CLAIM deploy il1:... PX 30000`.
std::string describe(const Operation& operation);

}  // namespace interlock

#pragma GCC visibility pop
