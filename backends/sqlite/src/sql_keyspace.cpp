#include "sql_keyspace.hpp"

#include "interlock/store/lock_keys.hpp"

namespace interlock::sqlite {
namespace {

constexpr std::int64_t step = 256;

}  // namespace

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
  const bool crowded = is_crowded();
  const bool none_expired = purge_expired();
  const bool no_counters = purge_counters(crowded ? Duration(0) : std::chrono::minutes{1});
  // Waiters look into the file every five seconds: a channel must stay for longer than that after
  // its last message, or they miss it.
  const bool no_channels =
      purge_channels(crowded ? Duration(std::chrono::seconds{12}) : std::chrono::hours{24});
  // The store's clock must not go back behind this: the deleted counters would be missed.
  Query(database_, "UPDATE meta SET latest = max(latest, ?1)")
      .with(now_.time_since_epoch().count())
      .execute();
  return none_expired && no_counters && no_channels;
}

bool SqlKeyspace::is_crowded() {
  constexpr std::int64_t pages = 256;  // of 4096 bytes
  Query all(database_, "PRAGMA page_count");
  Query unused(database_, "PRAGMA freelist_count");
  return all.row() && unused.row() && all.number(0) - unused.number(0) > pages;
}

bool SqlKeyspace::purge_expired() {
  const std::int64_t before = database_.changes();
  Query(database_,
        "DELETE FROM keys WHERE key IN"
        " (SELECT key FROM keys WHERE expiry < ?1 ORDER BY expiry LIMIT ?2)")
      .with(now_ms())
      .with(step)
      .execute();
  return database_.changes() - before < step;
}

bool SqlKeyspace::purge_counters(Duration silence) {
  const Key walk("interlock:purged-to:keys");
  std::vector<std::pair<Key, Key>> passed;  // counters and their locks
  std::int64_t rows = 0;
  std::string last = reached(walk);
  {
    // The cast makes 0 of a counter that is no number, so that it counts as passed.
    Query query(
        database_,
        "SELECT key, CAST(value AS INTEGER) FROM keys WHERE key > ?1 ORDER BY key LIMIT ?2");
    const std::string from = last;
    query.with(from).with(step);
    while (query.row()) {
      ++rows;
      last = query.text(0);
      auto lock = lock_of_fencing_key(Key(last));
      const bool is_passed = query.number(1) < (now_.time_since_epoch() - silence).count();
      if (lock && is_passed) passed.emplace_back(Key(last), std::move(*lock));
    }
  }
  for (const auto& [counter, lock] : passed) {
    if (!find(lock)) erase(counter);
  }
  return reach(walk, rows, last);
}

bool SqlKeyspace::purge_channels(Duration silence) {
  const Key walk("interlock:purged-to:channels");
  std::vector<std::string> silent;
  std::int64_t rows = 0;
  std::string last = reached(walk);
  {
    // A sequence is about the store's time at the last message.
    Query query(
        database_,
        "SELECT channel, sequence FROM channels WHERE channel > ?1 ORDER BY channel LIMIT ?2");
    const std::string from = last;
    query.with(from).with(step);
    while (query.row()) {
      ++rows;
      last = query.text(0);
      if (query.number(1) < (now_.time_since_epoch() - silence).count()) silent.push_back(last);
    }
  }
  for (const std::string& channel : silent) {
    Query(database_, "DELETE FROM channels WHERE channel = ?1").with(channel).execute();
  }
  return reach(walk, rows, last);
}

// Where the last step of a walk through a table has ended; empty: at the table's end. It is kept in
// the file: programs that each make one step and end would look at the first rows only.
std::string SqlKeyspace::reached(const Key& walk) {
  const auto entry = find(walk);
  return entry ? entry->value : std::string();
}

bool SqlKeyspace::reach(const Key& walk, std::int64_t rows, const std::string& last) {
  if (rows < step) {
    erase(walk);
    return true;
  }
  put(walk, Entry(last));
  return false;
}

}  // namespace interlock::sqlite
