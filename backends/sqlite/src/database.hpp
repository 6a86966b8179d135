// SQLite without its pointers: one open database, its kept statements, and its first failure.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "file_rights.hpp"
#include "interlock/error.hpp"
#include "open_files.hpp"

namespace interlock::sqlite {

// For one thread at a time. It keeps the first failure, and all later calls do nothing, so that a
// transaction checks once, at its end, whether all of it succeeded.
class Database {
 public:
  explicit Database(OpenConnection& user) : user_(user) {}
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { close(); }

  // `rights`: the database is closed with these, too.
  void open(const std::filesystem::path& path, const FileRights& rights);
  // From now on a change of the tables makes the next statement fail (SQLITE_AUTH). SQLite would
  // compile the statement anew, and with it what another user's tables compute: CHECK constraints,
  // generated columns, indexes on expressions.
  void pin_schema();
  // Closes the database; also closes idle connections of this process if SQLite keeps too many
  // descriptors.
  void close();
  // Closes the database and all idle connections of this process.
  void close_with_others();
  // For OpenConnection::close_if_unused().
  void close_for_another();
  // For a child of _Fork(): forgets the connection without closing it.
  void leave_behind();
  bool is_open() const noexcept { return handle_ != nullptr; }

  // After how many pages in the log a commit copies them into the file; before the first call:
  // never.
  void checkpoint_after(int pages) noexcept { checkpoint_after_ = pages; }

  // Whether the file under this path is not the one that was opened.
  bool has_moved();
  // Whether the log (-wal), or the log's index (-shm), is not the one that was in use when
  // note_log() was called, or another connection of this process has found that. Costs two stat(2).
  bool has_lost_log();
  void note_log();
  // True: a connection of this process that is still open has lost its log or the log's index.
  // SQLite would give this one that connection's index, until all have been closed.
  bool shares_lost_log();
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

  // From now on a statement fails at once if others keep the file locked (SQLITE_BUSY), the one
  // that runs included. Any thread.
  void wait_no_more() noexcept { waits_no_more_ = true; }
  bool waits() const noexcept { return !waits_no_more_; }

  // Executes a statement that returns no rows.
  void execute(const char* sql);

  // The number of rows that were changed since the database was opened.
  std::int64_t changes() const { return sqlite3_total_changes64(handle_); }

  bool failed() const noexcept { return failure_.has_value(); }
  int failure_code() const noexcept { return failure_ ? failure_->code : SQLITE_OK; }
  // Whether the failure is that of pin_schema().
  bool found_new_schema() const noexcept { return failure_code() == SQLITE_AUTH; }
  void forget_failure() { failure_.reset(); }
  // The first failure since the last call, for people; `failed_what` begins the line.
  Error take_failure(const std::string& failed_what);

 private:
  friend class Query;
  class SqlFailure {
   public:
    SqlFailure(int is, int system, std::string says)
        : code(is), system_error(system), text(std::move(says)) {}
    int code;  // without SQLite's extension bits
    int system_error;
    std::string text;
  };

  // Prepared at its first use and kept; `sql` must be a literal, or live as long.
  sqlite3_stmt* prepared(const char* sql);
  void forget_statements();
  static int may_compile(void* database, int, const char*, const char*, const char*, const char*);
  static int wait_again(void* database, int tries);
  static int committed(void* database, sqlite3* handle, const char* name, int pages);
  void note_failure(int code);
  // The file, its log and its index. The file must be open.
  bool may_write_all() const;

  LogFiles log_files() const;

  OpenConnection& user_;
  FileRights rights_;
  sqlite3* handle_ = nullptr;
  std::filesystem::path log_path_;
  std::filesystem::path index_path_;
  std::shared_ptr<OpenFile> file_;
  std::optional<LogFiles> log_;
  std::optional<int> checkpoint_after_;
  int log_pages_ = 0;  // after our last commit
  std::map<const char*, sqlite3_stmt*> statements_;
  bool is_pinned_ = false;
  std::atomic<bool> waits_no_more_ = false;
  std::optional<SqlFailure> failure_;
};

// One execution of a kept statement. Bound text must outlive it.
class Query {
 public:
  Query(Database& database, const char* sql);
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  // Binds the next parameter.
  Query& with(std::int64_t number);
  Query& with(std::string_view blob);
  Query& with_null();

  // Goes on to the next row. False: at the end, or after a failure.
  bool row();
  // For statements without rows.
  void execute() { row(); }

  bool is_null(int column) const;
  std::int64_t number(int column) const;
  std::string text(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

}  // namespace interlock::sqlite
