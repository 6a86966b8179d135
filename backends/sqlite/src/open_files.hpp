// The files that this process has open through SQLite, which keeps one state for all connections to
// a file.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace interlock::sqlite {

using FileId = std::pair<dev_t, ino_t>;

// The files that SQLite keeps beside a file: its log (-wal) and the log's index (-shm).
using LogFiles = std::pair<std::optional<FileId>, std::optional<FileId>>;

// None: there is no such file.
std::optional<FileId> id_of(const std::filesystem::path& path);

// A connection that others may close while it is idle: it is opened again when next used.
class OpenConnection {
 public:
  // Closes it. False: it is in use, and stays open. Any thread; the caller must hold no lock that
  // it could need.
  virtual bool close_if_unused() = 0;

 protected:
  ~OpenConnection() = default;
};

// A file and this process's connections to it. Called by connections that hold their own lock, so
// no thread is in here during a fork().
class OpenFile {
 public:
  void add(OpenConnection& connection);
  // Calls `close` to close a connection. Threads that open the file meanwhile wait in add(), before
  // SQLite locks anything in it.
  template <class Close>
  void remove(OpenConnection& connection, Close close) {
    const std::lock_guard lock(mutex_);
    close();
    note_closed(std::erase(connections_, &connection));
  }
  // Closes all idle connections. The caller's is no longer among them.
  void close_unused();
  // POSIX drops a process's locks on a file when any descriptor of it is closed, so SQLite keeps
  // the descriptors of closed connections until no connection to the file is open. True: they are
  // so many that all should be closed for a moment.
  bool keeps_many_descriptors() const;

  // A connection has opened the log and its index, and found these at their paths. Answers what the
  // first of these connections has found: SQLite gives its index to all that follow.
  LogFiles note(const LogFiles& found);
  // Sets lost_log if others than these have been noted.
  void compare(const LogFiles& found);

  // The log or its index was removed or replaced while these connections had it open. What they
  // write is seen by nobody, or destroys what others write, and SQLite shares the index with each
  // new one.
  std::atomic<bool> lost_log = false;

 private:
  void note_closed(std::size_t connections);

  mutable std::mutex mutex_;
  std::vector<OpenConnection*> connections_;
  std::size_t kept_ = 0;           // descriptors of closed connections
  std::optional<LogFiles> noted_;  // by the first connection
};

// What is known of an open file. It is the same object for all connections to it.
std::shared_ptr<OpenFile> open_file(FileId id);

// Counts the connections of this process. Called before SQLite opens a file and after it has closed
// it.
void note_opening();
void note_closed();

// This process is a child of _Fork() or clone(), made while its parent had a file open: SQLite
// takes the parent's file locks for its own here.
bool has_files_of_parent();

}  // namespace interlock::sqlite
