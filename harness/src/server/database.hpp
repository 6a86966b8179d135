// The types of Redis over the project's Keyspace, which has plain strings alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/store/keyspace.hpp"

namespace interlock::harness {

using Words = std::vector<std::string>;

enum class DataType : std::uint8_t { string, list, set, hash, sorted_set };

// What a key holds.
class Data {
 public:
  explicit Data(DataType is) : type(is) {}

  DataType type;
  // string: itself. hash: field, value, field, value ... sorted_set: score, member ..., by score
  // and member. Sets and hashes stay in the order in which their members came, which renaming
  // clients cannot change.
  Words items;
  std::optional<milliseconds> expiry;
};

// The word that TYPE answers.
std::string_view to_string(DataType type) noexcept;

// Keyspace with types, and with what the server remembers of connections: which watch keys, and
// which wait (waiting.hpp). It is part of the state: it is kept as keys of its own.
class TypedKeys {
 public:
  explicit TypedKeys(Keyspace& keys) : keys_(keys) {}

  StoreTime now() const { return keys_.now(); }
  milliseconds now_ms() const {
    return std::chrono::floor<milliseconds>(keys_.now().time_since_epoch());
  }
  std::optional<Data> find(const std::string& key);
  // An aggregate without items is erased, as in Redis.
  void put(const std::string& key, const Data& data);
  void erase(const std::string& key);
  Keyspace& keys() { return keys_; }
  // The keys that now hold a list or a sorted set which somebody may wait for, in order.
  Words& ready() { return ready_; }

  // What the server keeps for itself, under a name that no client's key has: records in order.
  std::vector<Words> records(const std::string& name);
  void put_records(const std::string& name, const std::vector<Words>& records);

  // `watcher` names a connection.
  void watch(const std::string& key, const std::string& watcher);
  bool is_watched(const std::string& key, const std::string& watcher);
  void unwatch(const std::string& key, const std::string& watcher);

 private:
  void touch(const std::string& key);
  Keyspace& keys_;
  Words ready_;
};

// Words as one text, and back: `one two`.
std::string joined(const Words& words);
Words split(std::string_view text);

// The text of a Keyspace's entry that holds such data: `list one two`.
std::string pack(DataType type, const Words& items);
std::optional<Data> unpack(const Entry& entry);

}  // namespace interlock::harness
