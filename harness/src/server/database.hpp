// The types of Redis over the project's Keyspace, which has plain strings alone.
#pragma once

#include <optional>
#include <string>
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

// Keyspace with types, and with the connections that watch keys. These are part of the state: they
// are kept as keys of their own.
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
  std::int64_t publish(const std::string& channel, const std::string& message) {
    return keys_.publish(Channel(channel), message);
  }
  Keyspace& keys() { return keys_; }

  // `watcher` names a connection.
  void watch(const std::string& key, const std::string& watcher);
  bool is_watched(const std::string& key, const std::string& watcher);
  void unwatch(const std::string& key, const std::string& watcher);

 private:
  void touch(const std::string& key);
  Keyspace& keys_;
};

// The text of a Keyspace's entry that holds such data: `list one two`.
std::string pack(DataType type, const Words& items);
std::optional<Data> unpack(const Entry& entry);

}  // namespace interlock::harness
