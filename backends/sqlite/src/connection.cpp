#include "connection.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "interlock/posix/clock.hpp"
#include "machine.hpp"
#include "schema.hpp"

namespace interlock::sqlite {

Connection::Connection(std::filesystem::path path) : path_(std::move(path)) {
  enter();
}

// In a child of _Fork(), SQLite's own locks may be held by a thread that does not exist there.
Connection::~Connection() {
  if (carried()) {
    database_.leave_behind();
  } else {
    const std::lock_guard lock(mutex_);  // so that no child is made meanwhile
    database_.close();
  }
  leave();
}

// A child does not inherit the file locks that SQLite took, but its copy of SQLite acts as if it
// had them. Source: "How To Corrupt An SQLite Database File", 2.6.
void Connection::before_fork() {
  mutex_.lock();
  database_.close();
}

bool Connection::close_if_unused() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) database_.close_for_another();
  return lock.owns_lock();
}

std::optional<Error> Connection::begin(Access access, const std::string& what) {
  // VACUUM and ANALYZE of another program change the schema, and leave the tables as they were.
  // Opening the file looks whether they are ours. It may happen again meanwhile, but not for ever.
  constexpr int most_tries = 3;
  for (int tries = 1;; ++tries) {
    if (auto error = open_if_needed(what)) return error;
    // IMMEDIATE takes the write lock now: a transaction that reads first and writes later fails if
    // another one has written in between.
    database_.execute(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN");
    const Duration boot = epoch(database_);
    // Read after the lock was taken, so that the clock does not run back from one transaction to
    // the next.
    keyspace_.emplace(database_, StoreTime(boot + posix::since_boot() - ahead_));
    if (!database_.found_new_schema() || tries == most_tries) break;
    database_.forget_failure();
    database_.close();
  }
  if (access == Access::write) purge_if_due();
  if (database_.failed()) return abandon(what);
  return std::nullopt;
}

std::optional<Error> Connection::open_if_needed(const std::string& what) {
  // The file was deleted or replaced: later processes see the new file, and so must we.
  if (database_.is_open() && database_.has_moved()) database_.close();
  if (!database_.is_open()) {
    if (auto error = open_and_prepare(database_, path_)) return error;
    ahead_ = ahead_of_machine();
  }
  // The log was deleted: no other process sees what we write there. Or its index was: another
  // process has made a new index and writes the same places of the log.
  if (database_.has_lost_log()) {
    database_.close();
    return lost_log(what + " in '" + path_.string() + "'");
  }
  return std::nullopt;
}

std::optional<Error> Connection::end(bool keep, const std::string& what) {
  if (database_.failed()) return abandon(what);
  if (keep) return commit(what);
  database_.execute("ROLLBACK");
  if (database_.failed()) return abandon(what);
  return std::nullopt;
}

std::optional<Error> Connection::commit(const std::string& what) {
  database_.execute("COMMIT");
  if (!database_.failed()) {
    // The log was lost while we wrote: another process may have read it before, without this
    // transaction.
    if (database_.has_lost_log()) {
      database_.close();
      const Error lost = lost_log(what + " in '" + path_.string() + "'");
      return Error(Errc::indeterminate, lost.detail());
    }
    if (keyspace_->has_published()) ring();
    return std::nullopt;
  }
  // If the disk is full, the mark of the commit is certainly not in the log. After any other error
  // the mark may be there, and the next process that reads the log may find it.
  const bool certainly_not = database_.failure_code() == SQLITE_FULL;
  Error error = abandon(what);
  if (certainly_not) return error;
  return Error(Errc::indeterminate, error.detail());
}

// Rolls back the transaction that may be under way. The file is opened anew for the next operation,
// because after some failures nothing else helps.
Error Connection::abandon(const std::string& what) {
  Error error = database_.take_failure(what + " in '" + path_.string() + "'");
  database_.close();
  return error;
}

// Without this, keys that nobody asks for again (locks named after an order, and their fencing
// counters) would make the file grow for ever. Transactions are counted, too, because there can be
// many within the interval: a step of the purge looks at more rows than that number of transactions
// makes.
void Connection::purge_if_due() {
  constexpr Duration interval = std::chrono::seconds{10};
  constexpr int transactions = 64;
  if (++since_purge_ < transactions && keyspace_->now() < purge_due_) return;
  since_purge_ = 0;
  if (keyspace_->purge_some()) purge_due_ = keyspace_->now() + interval;
}

// Notifies the processes that watch the file that there is a message. Writing the message does not
// notify them: SQLite writes the log before the commit is visible, and a waiter that looks in
// between would find nothing and get no further notification. A failure is ignored, because waiters
// look every five seconds anyway.
void Connection::ring() const {
  utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
}

std::unique_ptr<Connection> Connections::take() {
  Connection* const spare = spare_.exchange(nullptr);
  return spare != nullptr ? std::unique_ptr<Connection>(spare)
                          : std::make_unique<Connection>(path_);
}

void Connections::give_back(std::unique_ptr<Connection> connection) {
  Connection* none = nullptr;
  if (!spare_.compare_exchange_strong(none, connection.get())) return;
  static_cast<void>(connection.release());
}

}  // namespace interlock::sqlite
