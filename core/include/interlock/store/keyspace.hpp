// The keys of a store as a script on the server sees them, while time stands still.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interlock/store/operation.hpp"
#include "interlock/store/value.hpp"
#include "interlock/vocabulary.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// What a key holds. `list` is a list of lines, which only scripts read and write. `other` stands
// for every other type that is not a plain string (a hash, a set). Such keys exist, and every
// string command on one is refused with WRONGTYPE. Stores may save the numbers of types, so these
// must not change.
class Entry {
 public:
  enum class Type : std::uint8_t { string, other, list };

  explicit Entry(std::string holds) : value(std::move(holds)) {}
  Entry(std::string holds, std::optional<milliseconds> until)
      : value(std::move(holds)), expiry(until) {}
  // One line at least, and none with a line break: as in Redis, there are no empty lists. Without a
  // line this ends the process with `interlock: misuse: ...`.
  static Entry list(const std::vector<std::string>& lines, std::optional<milliseconds> until);

  bool is_string() const { return type == Type::string; }
  std::vector<std::string> lines() const;  // of a list

  std::string value;                   // of a list: its lines, with line breaks between them
  std::optional<milliseconds> expiry;  // since the epoch of the store's clock
  Type type = Type::string;

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Redis' rule, kept to the millisecond: an entry is gone when the clock is strictly past its
// expiry. Source: Redis, db.c, keyIsExpired().
inline bool is_expired(const Entry& entry, StoreTime now) {
  return entry.expiry && std::chrono::floor<milliseconds>(now.time_since_epoch()) > *entry.expiry;
}

// A store implements the first five functions over its own storage; apply() and the native halves
// of scripts do everything else, so that an operation means the same in all stores. Used by one
// thread at a time, inside one transaction. A key may have any bytes: LockName::parse checks names
// before.
//
// No function reports an error. If the storage fails (a full disk, say), the keyspace remembers the
// failure: find() then finds nothing, put() and erase() do nothing, and the store rolls the
// transaction back and answers the operation with the error.
class Keyspace {
 public:
  virtual ~Keyspace() = default;

  // The store's clock, standing still during one operation.
  virtual StoreTime now() const = 0;

  // The entry of a key that exists and has not expired.
  virtual std::optional<Entry> find(const Key& key) = 0;

  // Creates or replaces.
  virtual void put(const Key& key, Entry entry) = 0;

  // Without effect on a key that is not there.
  virtual void erase(const Key& key) = 0;

  // Sends a message to the subscribers of a channel. Returns how many there were; 0 also if the
  // store does not know.
  virtual std::int64_t publish(const Channel& channel, const std::string& message) = 0;

  // A name of letters and digits. It changes when the store may have lost what it had acknowledged;
  // a store that never does has one incarnation for ever. Redis: master_replid of INFO replication.
  virtual std::string incarnation() { return "1"; }

  // True: if publish() returns 0, nobody listens.
  virtual bool knows_listeners() const { return false; }

  // False: nobody listens on the channel. A store that does not know answers true.
  virtual bool may_be_heard(const Channel&) const { return true; }
};

// True for all but subscribe, await_message, interrupt and unsubscribe, which need time and
// messages.
bool is_immediate(OperationKind kind) noexcept;

// Executes an operation that is_immediate() in one step. Answers as Redis does; a refusal is
// `rejected`, and nothing has changed.
Reply apply(Keyspace& keyspace, const Operation& operation);

// Keys in memory. The owner sets the time and implements publish(): the memory store adds a clock
// and threads, the simulator neither. For one thread at a time.
class MemoryKeyspace : public Keyspace {
 public:
  StoreTime now() const override { return now_; }
  std::optional<Entry> find(const Key& key) override;
  void put(const Key& key, Entry entry) override;
  void erase(const Key& key) override;

  // Sets the time for what follows.
  void set_now(StoreTime now) { now_ = now; }

  // All entries in key order, including those that have expired but have not been looked at.
  const std::map<Key, Entry>& entries() const noexcept { return entries_; }
  void clear() { entries_.clear(); }

 private:
  StoreTime now_{};
  std::map<Key, Entry> entries_;
};

}  // namespace interlock

#pragma GCC visibility pop
