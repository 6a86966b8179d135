#include "sql_keyspace.hpp"

#include "interlock/lock_keys.hpp"

namespace interlock::sqlite {

std::int64_t SqlKeyspace::now_ms() const {
  return std::chrono::floor<milliseconds>(now_.time_since_epoch()).count();
}

std::optional<Entry> SqlKeyspace::find(const Key& key) {
  Query query(database_, "SELECT value, type, expiry FROM keys WHERE key = ?1");
  if (!query.with(key.text()).row()) return std::nullopt;
  Entry entry(query.text(0));
  entry.type = static_cast<Entry::Type>(query.number(1));
  if (!query.is_null(2)) entry.expiry = milliseconds(query.number(2));
  // Not deleted here: reading takes no write lock.
  if (is_expired(entry, now_)) return std::nullopt;
  return entry;
}

void SqlKeyspace::put(const Key& key, Entry entry) {
  Query query(database_,
              "INSERT INTO keys VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET"
              " value = excluded.value, type = excluded.type, expiry = excluded.expiry");
  query.with(key.text()).with(entry.value).with(static_cast<std::int64_t>(entry.type));
  if (entry.expiry) {
    query.with(entry.expiry->count());
  } else {
    query.with_null();
  }
  query.execute();
}

void SqlKeyspace::erase(const Key& key) {
  Query(database_, "DELETE FROM keys WHERE key = ?1").with(key.text()).execute();
}

std::int64_t SqlKeyspace::publish(const Channel& channel, const std::string&) {
  // max: also if the clock stands still between two messages.
  Query(database_,
        "INSERT INTO channels VALUES (?1, ?2) ON CONFLICT DO UPDATE SET"
        " sequence = max(sequence + 1, excluded.sequence)")
      .with(channel.text())
      .with(now_.time_since_epoch().count())
      .execute();
  published_ = true;
  return 0;
}

std::int64_t SqlKeyspace::sequence(const Channel& channel) {
  Query query(database_, "SELECT sequence FROM channels WHERE channel = ?1");
  return query.with(channel.text()).row() ? query.number(0) : 0;
}

std::vector<Key> SqlKeyspace::held_locks() {
  std::vector<Key> locks;
  {
    Query query(database_, "SELECT key FROM keys");
    while (query.row()) {
      if (auto lock = lock_of_fencing_key(Key(query.text(0)))) locks.push_back(std::move(*lock));
    }
  }
  std::erase_if(locks, [this](const Key& lock) { return !find(lock); });
  return locks;
}

bool SqlKeyspace::purge_some() {
  constexpr std::int64_t step = 256;
  constexpr Duration silence = std::chrono::hours{24};
  const std::int64_t before = database_.changes();
  Query(database_,
        "DELETE FROM keys WHERE key IN"
        " (SELECT key FROM keys WHERE expiry < ?1 ORDER BY expiry LIMIT ?2)")
      .with(now_ms())
      .with(step)
      .execute();
  // A sequence is a store time, give or take the messages of one instant.
  Query(database_,
        "DELETE FROM channels WHERE channel IN"
        " (SELECT channel FROM channels WHERE sequence < ?1 LIMIT ?2)")
      .with((now_.time_since_epoch() - silence).count())
      .with(step)
      .execute();
  const bool all = database_.changes() - before < step;
  Query(database_, "UPDATE meta SET latest = max(latest, ?1)")
      .with(now_.time_since_epoch().count())
      .execute();
  return all;
}

}  // namespace interlock::sqlite
