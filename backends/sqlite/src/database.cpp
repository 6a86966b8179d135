#include "database.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "guarded_vfs.hpp"
#include "interlock/posix/clock.hpp"
#include "interlock/posix/fork.hpp"

namespace interlock::sqlite {
namespace {

// On a busy machine, fifty processes that start at once make each other wait for seconds.
constexpr std::chrono::seconds longest_wait{10};

// SQLite's own handler sleeps for up to 100 ms each time, and a transaction here takes about 50 us.
// The deadline is kept in the handler's state, because SQLite passes only a count.
class BusyWait {
 public:
  int again(int tries) {
    if (tries == 0) deadline_ = posix::since_boot() + longest_wait;
    if (posix::since_boot() >= deadline_) return 0;
    const auto pause = std::min(std::chrono::microseconds(50LL << std::min(tries, 5)),
                                std::chrono::microseconds(1000));
    const timespec time{0, std::chrono::nanoseconds(pause).count()};
    nanosleep(&time, nullptr);
    return 1;
  }

 private:
  Duration deadline_{0};
};

class Meaning {
 public:
  Meaning(Errc is, std::string that, std::string do_this)
      : code(is), fact(std::move(that)), advice(std::move(do_this)) {}
  Errc code;
  std::string fact;
  std::string advice;
};

bool is_full(int code, int system_error) {
  const bool no_space = system_error == ENOSPC || system_error == EDQUOT;
  return code == SQLITE_FULL || (no_space && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN));
}

// `opened`: the file itself could be opened, and its log or its index could not.
Meaning meaning_of(int code, int system_error, const std::string& text, bool opened) {
  const std::string system = system_error != 0 ? std::strerror(system_error) : text;
  if (is_full(code, system_error)) {
    return {Errc::rejected, "its file system is full",
            "free some space there (see `df`), or name a store elsewhere"};
  }
  if (code == SQLITE_NOMEM || system_error == ENOMEM) {
    return {Errc::unavailable, std::strerror(ENOMEM),
            "raise the limit (ulimit -v) or end something else"};
  }
  if (system_error == EFBIG) {
    return {Errc::rejected, "it has reached the limit on file sizes (" + system + ")",
            "raise the limit (ulimit -f)"};
  }
  if (system_error == EROFS) {
    return {Errc::rejected, "it is on a read-only file system",
            "mount it writable, or name a file elsewhere"};
  }
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::unavailable, "somebody has kept the file locked for 10 s",
              "see who with `fuser`, then try again"};
    case SQLITE_NOTADB:
      return {Errc::rejected, "the file is not an SQLite database",
              "name another file, or move this one away"};
    case SQLITE_CORRUPT:
      return {Errc::rejected, "the file is damaged (" + text + ")",
              "stop all its users and move it away; the locks in it are lost"};
    case SQLITE_TOOBIG:
      return {Errc::rejected, "a value in it has more than 32 MiB",
              "stop all its users and move it away; the locks in it are lost"};
    case SQLITE_AUTH:
      return {Errc::unavailable, "another program has changed the tables in it",
              "let interlock alone write it, then try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {Errc::rejected, "this user may not write the file or its directory",
              "give this user write permission for both"};
    case SQLITE_CANTOPEN:
      if (opened && system_error == ENOENT) {
        return {Errc::unavailable, "no file can be made beside it (" + system + ")",
                "name another file"};
      }
      if (system_error == ENOENT || system_error == ENOTDIR) {
        return {Errc::unavailable, "its directory does not exist",
                "create it, or name another file"};
      }
      if (system_error == EACCES || system_error == EPERM) {
        return {Errc::rejected, "this user may not write it (" + system + ")",
                "name another file, or give this user write permission for it and its directory"};
      }
      if (system_error == EMFILE || system_error == ENFILE) {
        return {Errc::unavailable, "the file cannot be opened (" + system + ")",
                "close some descriptors, or raise the limit (ulimit -n)"};
      }
      return {Errc::unavailable, "the file cannot be opened (" + system + ")", "name another file"};
    default:
      return {Errc::unavailable, text + (system_error != 0 ? " (" + system + ")" : ""),
              "check the disk, then try again"};
  }
}

// If SQLite has no descriptor for a file that it wants to write, it opens the file for reading,
// which may succeed a moment later, and then says that the user may not write it.
Meaning opened_for_reading() {
  return {Errc::unavailable, "it could not be opened for writing, although this user may write it",
          "close some descriptors, or raise the limit (ulimit -n)"};
}

bool may_write(const std::filesystem::path& path) {
  return access(path.c_str(), R_OK | W_OK) == 0;
}

// If SQLite cannot make a file, it opens it for reading, and reports that it is not there.
int why_not_made(const std::filesystem::path& path, int said) {
  const std::filesystem::path folder = path.parent_path();
  struct statvfs space {};
  if (said != ENOENT || statvfs(folder.c_str(), &space) != 0) return said;
  if (space.f_files != 0 && space.f_favail == 0) return ENOSPC;
  const std::size_t longest = std::string_view("-journal").size() + path.filename().string().size();
  return longest > space.f_namemax ? ENAMETOOLONG : said;
}

// If SQLite may not write a file, it opens the file once more, for reading, and reports why that
// failed. So we ask for the right to write. We do not open the file for that: closing it would drop
// the locks of this process's connections to it.
int why_not_opened(const std::filesystem::path& path, int said) {
  const int why = why_not_made(path, said);
  if (why != said) return why;
  const bool exists = access(path.c_str(), F_OK) == 0;
  const std::filesystem::path wanted = exists ? path : path.parent_path();
  return access(wanted.c_str(), exists ? R_OK | W_OK : W_OK | X_OK) == 0 ? said : errno;
}

class FileToOpen {
 public:
  std::filesystem::path path;
  int flags = 0;
};

// Where every user may write, a link could take the file's place after it was looked at: the last
// part of the path must be the file itself.
FileToOpen place_of(const std::filesystem::path& path) {
  struct stat folder {};
  std::error_code error;
  const auto canonical = std::filesystem::canonical(path.parent_path(), error);
  const bool others_write =
      stat(path.parent_path().c_str(), &folder) == 0 && (folder.st_mode & S_IWOTH) != 0 && !error;
  if (!others_write) return {path};
  return {canonical / path.filename(), SQLITE_OPEN_NOFOLLOW};
}

}  // namespace

void Database::open(const std::filesystem::path& path, const FileRights& rights) {
  rights_ = rights;
  // Without SQLite's own mutex, because the user of a Database has one. Without SQLITE_OPEN_CREATE,
  // because create() has made a new file with the mode for its folder.
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  note_opening();
  const FileToOpen place = place_of(path);
  const int code =
      sqlite3_open_v2(place.path.c_str(), &handle_, flags | place.flags, guarded_vfs());
  if (code != SQLITE_OK) {
    note_failure(code);
    if (handle_ == nullptr) note_closed();
    if (failure_->code == SQLITE_CANTOPEN) {
      failure_->system_error = why_not_opened(path, failure_->system_error);
    }
    return;
  }
  // Beside the file itself: the path may be a link to it.
  const std::string file = sqlite3_db_filename(handle_, "main");
  log_path_ = file + "-wal";
  index_path_ = file + "-shm";
  if (const auto id = id_of(path)) {
    file_ = open_file(*id);
    file_->add(user_);
  }
  sqlite3_busy_handler(handle_, wait_again, this);
  // Other users may write the file: triggers and views of theirs must not run.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // SQLite does not compile a statement anew because other values were bound to it.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
  sqlite3_set_authorizer(handle_, may_compile, this);
  log_pages_ = 0;
  checkpoint_after_.reset();
  sqlite3_wal_hook(handle_, committed, this);
  // A longer value than any queue has: nobody waits for, or has memory for, a value of 1 GB.
  constexpr int longest_value = 32 << 20;
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, longest_value);
}

int Database::wait_again(void* database, int tries) {
  if (static_cast<const Database*>(database)->waits_no_more_) return 0;
  // A thread has one wait at a time, because a connection waits inside a call of its user.
  thread_local BusyWait wait;
  return wait.again(tries);
}

// SQLite asks whenever it compiles a statement, also when it does so anew.
int Database::may_compile(void* database, int, const char*, const char*, const char*, const char*) {
  return static_cast<const Database*>(database)->is_pinned_ ? SQLITE_DENY : SQLITE_OK;
}

void Database::pin_schema() {
  // Statements that are older than the tables would be compiled anew.
  forget_statements();
  is_pinned_ = true;
}

void Database::forget_statements() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
}

void Database::close() {
  if (handle_ == nullptr) return;
  const auto file = file_;
  if (!file) {
    close_for_another();
    return;
  }
  file->remove(user_, [this] { close_for_another(); });
  if (file->keeps_many_descriptors()) file->close_unused();
}

void Database::close_with_others() {
  const auto file = file_;
  close();
  if (file) file->close_unused();
}

// SQLite calls this after each commit, and has no other way to say how long the log is.
int Database::committed(void* database, sqlite3* handle, const char* name, int pages) {
  auto& self = *static_cast<Database*>(database);
  self.log_pages_ = pages;
  // If this fails, it is tried again after the next commit, as SQLite's own automatic checkpoint
  // does.
  if (self.checkpoint_after_ && pages >= *self.checkpoint_after_) {
    static_cast<void>(sqlite3_wal_checkpoint(handle, name));
  }
  return SQLITE_OK;
}

// A short log stays beside the file when its last user closes it. To copy the log into the file,
// wait for the disk three times and remove the log took longer than all else that `interlock run`
// does with a file. The next user reads a longer log longer than the disk takes. A log that no
// other process sees must not be copied into the file.
void Database::close_for_another() {
  constexpr int short_log = 128;
  const bool stays = log_pages_ < short_log || has_lost_log();
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, stays ? 1 : 0, nullptr);
  forget_statements();
  is_pinned_ = false;
  const WithFileRights with(rights_);
  sqlite3_close(handle_);
  note_closed();
  handle_ = nullptr;
  log_.reset();
  file_.reset();
}

void Database::leave_behind() {
  if (handle_ != nullptr) posix::leave_behind(std::exchange(handle_, nullptr));
  // Made anew in place, without destroying the old one: a thread of the parent may have been
  // changing it.
  new (&statements_) std::map<const char*, sqlite3_stmt*>();
}

bool Database::has_moved() {
  int moved = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

LogFiles Database::log_files() const {
  return {id_of(log_path_), id_of(index_path_)};
}

void Database::note_log() {
  if (file_) log_ = file_->note(log_files());
}

bool Database::shares_lost_log() {
  if (file_) file_->compare(log_files());
  return file_ && file_->lost_log;
}

bool Database::has_lost_log() {
  if (!file_ || !log_) return false;
  if (log_files() != *log_) file_->lost_log = true;
  return file_->lost_log;
}

void Database::execute(const char* sql) {
  Query(*this, sql).execute();
}

Error Database::take_failure(const std::string& failed_what) {
  const SqlFailure failure = *std::exchange(failure_, std::nullopt);
  const bool opened = !log_path_.empty();
  const int system_error =
      opened ? why_not_made(log_path_, failure.system_error) : failure.system_error;
  const Meaning meaning = failure.code == SQLITE_READONLY && opened && may_write_all()
                              ? opened_for_reading()
                              : meaning_of(failure.code, system_error, failure.text, opened);
  return {meaning.code, failed_what + ": " + meaning.fact + ": " + meaning.advice};
}

bool Database::may_write_all() const {
  const std::string file = sqlite3_db_filename(handle_, "main");
  return may_write(file) && may_write(log_path_) && may_write(index_path_);
}

sqlite3_stmt* Database::prepared(const char* sql) {
  if (const auto kept = statements_.find(sql); kept != statements_.end()) {
    // SQLite would compile a pragma anew for each run, which may_compile() refuses.
    const bool runs_once = std::string_view(sql).starts_with("PRAGMA");
    if (!runs_once) return kept->second;
    sqlite3_finalize(kept->second);
    statements_.erase(kept);
  }
  // The place comes first: SQLite does not close a database that has a statement nobody knows.
  const auto place = statements_.emplace(sql, nullptr).first;
  // Compiled for the tables that the connection knows: it has read them before it was pinned.
  const bool was_pinned = std::exchange(is_pinned_, false);
  const int code =
      sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &place->second, nullptr);
  is_pinned_ = was_pinned;
  if (code != SQLITE_OK) {
    statements_.erase(place);
    note_failure(code);
    return nullptr;
  }
  return place->second;
}

void Database::note_failure(int code) {
  if (failure_) return;
  failure_.emplace(code & 0xFF, sqlite3_system_errno(handle_), sqlite3_errmsg(handle_));
}

Query::Query(Database& database, const char* sql)
    : database_(database), statement_(database.failed() ? nullptr : database.prepared(sql)) {}

Query::~Query() {
  if (statement_ == nullptr) return;
  // sqlite3_reset() returns the error of the last step, which has been noted.
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Query& Query::with(std::int64_t number) {
  sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Query& Query::with(std::string_view blob) {
  // A null pointer would be NULL, not an empty value.
  const char* const data = blob.data() == nullptr ? "" : blob.data();
  sqlite3_bind_blob64(statement_, ++bound_, data, blob.size(), SQLITE_STATIC);
  return *this;
}

Query& Query::with_null() {
  sqlite3_bind_null(statement_, ++bound_);
  return *this;
}

bool Query::row() {
  if (statement_ == nullptr || database_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.note_failure(code);
  return false;
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Query::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Query::text(int column) const {
  const void* const data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

}  // namespace interlock::sqlite
