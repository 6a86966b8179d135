#include "schema.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <vector>

#include "file_access.hpp"
#include "file_rights.hpp"
#include "interlock/posix/clock.hpp"
#include "interlock/store/lock_keys.hpp"
#include "machine.hpp"

namespace interlock::sqlite {
namespace {

constexpr std::int64_t application_id = 0x494C4F4B;  // "ILOK"
constexpr std::int64_t schema_version = 1;

// keys: expiry in ms of the store's clock; type is Entry::Type.
// channels: sequence grows with every message, from the store's clock in us when the row is made,
// so that a row which was forgotten and made anew does not repeat itself.
// meta: one row. epoch: us to add to CLOCK_BOOTTIME; latest: a store time in us, not before any at
// which a key was purged.
constexpr const char* const tables[] = {  // in the order of their names
    "CREATE TABLE channels (channel BLOB PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE keys (key BLOB PRIMARY KEY, value BLOB NOT NULL, type INTEGER NOT NULL,"
    " expiry INTEGER) WITHOUT ROWID",
    "CREATE INDEX keys_by_expiry ON keys (expiry) WHERE expiry IS NOT NULL",
    "CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), boot BLOB NOT NULL,"
    " epoch INTEGER NOT NULL, latest INTEGER NOT NULL)"};
// ANALYZE and PRAGMA optimize make these, and SQLite lets nobody change them.
constexpr std::array<std::string_view, 2> statistics{
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"};
constexpr const char* const first_contents[] = {
    "INSERT INTO meta VALUES (1, x'', 0, 0)", "PRAGMA user_version = 1",
    "PRAGMA application_id = 1229737803",  // 0x494C4F4B; PRAGMA knows no parameters
};

enum class Contents : std::uint8_t { nothing, ours, newer, altered, foreign, unknown };

std::int64_t one_number(Database& database, const char* sql) {
  Query query(database, sql);
  return query.row() ? query.number(0) : 0;
}

// Whether the tables are exactly ours, and maybe SQLite's statistics on them. Tables of another
// user could compute what they like in each process that uses them. Source: "SQLite: Defense
// Against The Dark Arts".
bool has_our_tables(Database& database) {
  Query objects(database, "SELECT sql FROM sqlite_schema ORDER BY name");
  for (const char* const sql : tables) {
    if (!objects.row() || objects.text(0) != sql) return false;
  }
  while (objects.row()) {
    const std::string made = objects.text(0);
    if (std::find(statistics.begin(), statistics.end(), made) == statistics.end()) return false;
  }
  return true;
}

// Called in a transaction, so that nobody changes the tables between this look and the statements
// that follow.
Contents contents_of(Database& database) {
  const std::int64_t application = one_number(database, "PRAGMA application_id");
  const std::int64_t version = one_number(database, "PRAGMA user_version");
  const std::int64_t objects = one_number(database, "SELECT count(*) FROM sqlite_schema");
  if (database.failed()) return Contents::unknown;
  if (application == 0 && version == 0 && objects == 0) return Contents::nothing;
  if (application != application_id) return Contents::foreign;
  if (version > schema_version) return Contents::newer;
  const bool ours = has_our_tables(database);
  if (database.failed()) return Contents::unknown;
  return ours ? Contents::ours : Contents::altered;
}

std::optional<Error> refusal(Contents contents, const std::string& opening) {
  switch (contents) {
    case Contents::newer:
      return Error(Errc::rejected, opening +
                                       ": the file was written by a newer version of interlock: "
                                       "upgrade this program, or name another file");
    case Contents::altered:
      return Error(Errc::rejected, opening +
                                       ": another program has changed the tables in the file: "
                                       "stop all its users and move it away; the locks in it are "
                                       "lost");
    case Contents::foreign:
      return Error(Errc::rejected, opening +
                                       ": the file is another program's database: name another "
                                       "file");
    default:
      return std::nullopt;
  }
}

// A lock that is kept for the rest of a period, after its command has run, needs no holder: the
// note of that run is its owner's.
bool is_kept_for_period(Database& database, const Key& lock, const std::string& owner) {
  const Key key = last_run_key(lock);
  Query note(database, "SELECT value FROM keys WHERE key = ?1");
  note.with(key.text());
  return note.row() && note.text(0).ends_with(" " + owner);
}

bool outlives_boot(Database& database, const Key& key, const std::string& value) {
  return lock_of_fencing_key(key) || lock_of_last_run_key(key) ||
         is_kept_for_period(database, key, value);
}

// A new boot: all holders died with the last one. Fencing counters and periods stay, and so does
// the time at which they expire, because the epoch makes the store's clock go on where it was.
void begin_boot(Database& database, const std::string& boot) {
  std::vector<std::string> void_keys;
  {
    Query expiring(database, "SELECT key, value FROM keys WHERE expiry IS NOT NULL");
    while (expiring.row()) {
      const Key key(expiring.text(0));
      if (!outlives_boot(database, key, expiring.text(1))) void_keys.push_back(key.text());
    }
  }
  for (const std::string& key : void_keys) {
    Query(database, "DELETE FROM keys WHERE key = ?1").with(key).execute();
  }
  const std::int64_t latest = one_number(database, "SELECT latest FROM meta");
  const std::int64_t start = std::max<std::int64_t>(wall_clock().count(), latest + 1);
  Query(database, "UPDATE meta SET boot = ?1, epoch = ?2, latest = ?3")
      .with(boot)
      .with(start - (posix::since_boot() - ahead_of_machine()).count())
      .with(start)
      .execute();
}

bool is_of_boot(Database& database, const std::string& boot) {
  Query meta(database, "SELECT boot FROM meta");
  return meta.row() && meta.text(0) == boot;
}

// Makes all changes in one transaction. Looks at everything again first, because another process
// may have been faster. Returns what it found, or made.
Contents prepare_tables(Database& database, const std::string& boot) {
  database.execute("BEGIN IMMEDIATE");
  Contents contents = contents_of(database);
  if (contents == Contents::nothing) {
    for (const char* sql : tables) database.execute(sql);
    for (const char* sql : first_contents) database.execute(sql);
    contents = contents_of(database);
  }
  if (contents == Contents::ours && !is_of_boot(database, boot)) begin_boot(database, boot);
  database.execute("COMMIT");
  return contents;
}

bool uses_write_ahead_log(Database& database, const char* pragma) {
  Query mode(database, pragma);
  return mode.row() && mode.text(0) == "wal";
}

// Whether the last call failed because another process uses the file, and a wait may help.
bool may_try_again(const Database& database, Duration give_up) {
  return database.failure_code() == SQLITE_BUSY && database.waits() &&
         posix::since_boot() < give_up;
}

// The mode is kept in the file. Two processes that change it at the same time fail at once instead
// of waiting, so this waits until the other one has done it.
void use_write_ahead_log(Database& database) {
  const Duration give_up = posix::since_boot() + std::chrono::seconds{10};
  while (!uses_write_ahead_log(database, "PRAGMA journal_mode") &&
         !uses_write_ahead_log(database, "PRAGMA journal_mode = WAL")) {
    if (!may_try_again(database, give_up)) return;
    database.forget_failure();
    std::this_thread::sleep_for(milliseconds{1});
  }
}

class Look {
 public:
  Contents contents = Contents::unknown;
  bool is_of_boot = false;
};

Look look_at(Database& database, const std::string& boot) {
  Look look;
  // In one transaction: another process may be making the tables.
  database.execute("BEGIN");
  look.contents = contents_of(database);
  look.is_of_boot = look.contents == Contents::ours && is_of_boot(database, boot);
  database.execute("COMMIT");
  return look;
}

// While another process changes the mode of the file, some calls fail at once instead of waiting.
Look look_patiently(Database& database, const std::string& boot) {
  const Duration give_up = posix::since_boot() + std::chrono::seconds{10};
  for (;;) {
    const Look look = look_at(database, boot);
    if (!may_try_again(database, give_up)) return look;
    database.forget_failure();
    if (database.in_transaction()) database.execute("ROLLBACK");
    std::this_thread::sleep_for(milliseconds{1});
  }
}

std::optional<Error> prepare(Database& database,
                             const std::filesystem::path& path,
                             const std::string& opening,
                             const std::string& boot) {
  const Look look = look_patiently(database, boot);
  if (database.failed()) return database.take_failure(opening);
  if (auto error = refusal(look.contents, opening)) return error;
  use_write_ahead_log(database);
  // NORMAL: the log reaches the disk at a checkpoint, not at every commit. Killed processes lose
  // nothing by that; a power failure may, and it ends every lease anyway.
  database.execute("PRAGMA synchronous = NORMAL");
  // The log can be as large as all locks together. Where there is little space, it is copied back
  // early; elsewhere less often, because each time costs a wait for the disk.
  if (is_on_small_file_system(path)) {
    database.checkpoint_after(64);
    database.execute("PRAGMA journal_size_limit = 524288");
  } else {
    database.checkpoint_after(1000);
    database.execute("PRAGMA journal_size_limit = 16777216");
  }
  if (!look.is_of_boot) {
    // Another program may have made its tables in between.
    if (auto error = refusal(prepare_tables(database, boot), opening)) return error;
  }
  if (database.failed()) return database.take_failure(opening);
  database.pin_schema();
  return std::nullopt;
}

}  // namespace

Error lost_log(const std::string& what) {
  return {Errc::unavailable,
          what +
              ": its log (-wal), or the index of the log (-shm), was removed or replaced while "
              "this process had it open: open and copy a lock file by SQLite alone, leave both "
              "where they are, and start this program anew if this goes on"};
}

std::optional<Error> open_and_prepare(Database& database, const std::filesystem::path& path) {
  const std::string opening = "opening '" + path.string() + "'";
  if (has_files_of_parent()) {
    return Error(Errc::forked,
                 opening +
                     ": this process was made by _Fork() or clone() while its parent had SQLite "
                     "open, whose file locks do not hold here: use fork(), or execute a program");
  }
  // Before there is a file: without it this machine keeps no locks.
  const auto boot = boot_id();
  if (!boot) return boot.error();
  // SQLite opens all its files in here: the log and its index when it first reads the tables.
  const FileRights rights = FileRights::of(path);
  const WithFileRights with(rights);
  if (auto error = make_usable(path, opening)) return error;
  database.open(path, rights);
  if (!database.failed() && database.shares_lost_log()) {
    database.close_with_others();
    database.open(path, rights);
  }
  // Some were in use just now.
  if (!database.failed() && database.shares_lost_log()) {
    database.close();
    return lost_log(opening);
  }
  std::optional<Error> error =
      database.failed() ? database.take_failure(opening) : prepare(database, path, opening, *boot);
  database.note_log();
  if (!error) return std::nullopt;
  database.close();
  const auto planted = refuse_planted_log(path, opening);
  return planted ? planted : error;
}

Duration epoch(Database& database) {
  return Duration(one_number(database, "SELECT epoch FROM meta"));
}

}  // namespace interlock::sqlite
