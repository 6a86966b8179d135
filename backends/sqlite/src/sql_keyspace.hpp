// The keys in the file, as apply() and scripts see them: inside a transaction, time standing still.
#pragma once

#include "database.hpp"
#include "interlock/store/keyspace.hpp"

namespace interlock::sqlite {

// Failures stay in the database until the transaction ends; until then nothing is found and nothing
// is written.
class SqlKeyspace final : public Keyspace {
 public:
  SqlKeyspace(Database& database, StoreTime now) : database_(database), now_(now) {}

  StoreTime now() const override { return now_; }
  std::optional<Entry> find(const Key& key) override;
  void put(const Key& key, Entry entry) override;
  void erase(const Key& key) override;
  // Returns 0: the store does not know who listens.
  std::int64_t publish(const Channel& channel, const std::string& message) override;
  bool has_published() const noexcept { return published_; }

  // A number that grows with every message on the channel; 0 if there was none for long.
  std::int64_t sequence(const Channel& channel);
  // The keys of all locks granted here and not released since.
  std::vector<Key> held_locks();

  // Takes one step of a round that deletes expired keys, channels that had no message for long (for
  // some seconds, if the file has grown beyond a megabyte), and fencing counters of free locks that
  // the clock has passed, because the next token is then the clock's anyway. True: the round is
  // over. A step looks at few rows, so that others do not wait long for it; the next step goes on
  // from there, in this process or another.
  bool purge_some();

 private:
  std::int64_t now_ms() const;
  bool is_crowded();
  bool purge_expired();
  bool purge_counters(Duration silence);
  bool purge_channels(Duration silence);
  std::string reached(const Key& walk);
  bool reach(const Key& walk, std::int64_t rows, const std::string& last);

  Database& database_;
  StoreTime now_;
  bool published_ = false;
};

}  // namespace interlock::sqlite
