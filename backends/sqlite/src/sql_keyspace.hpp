// The keys in the file, as apply() and scripts see them: inside a transaction, time standing still.
#pragma once

#include "database.hpp"
#include "interlock/keyspace.hpp"

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
  // 0: nobody knows who hears it.
  std::int64_t publish(const Channel& channel, const std::string& message) override;
  bool has_published() const noexcept { return published_; }

  // Grows with every message on the channel; 0 if there has been none for long.
  std::int64_t sequence(const Channel& channel);
  // The keys of all locks granted here and not released since.
  std::vector<Key> held_locks();

  // Deletes what has expired, and channels that have been silent for a day. True if that was all:
  // a step deletes so few that nobody waits long for it.
  bool purge_some();

 private:
  std::int64_t now_ms() const;

  Database& database_;
  StoreTime now_;
  bool published_ = false;
};

}  // namespace interlock::sqlite
