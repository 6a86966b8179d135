// Whose rights root uses for a lock file.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace interlock::sqlite {

// A user who may write the folder of a lock file can put another file in the place of its log
// (-wal) or of the log's index (-shm), and SQLite would open, overwrite and delete it; in a process
// of root it also gives the file to the owner of the lock file (os_unix.c, robustFchown). So root
// opens and closes such a file with no more rights than those who could do that.
class FileRights {
 public:
  // Those of this process for the file, or for the one that it would make there: its own, unless it
  // is root's and the file belongs to another user, or another user can write its folder or move
  // one of the folders above. Then those of that user; of `nobody`, if all users can.
  static FileRights of(const std::filesystem::path& file);

  // None: the process uses its own.
  std::optional<uid_t> user() const { return user_; }

 private:
  friend class WithFileRights;
  std::optional<uid_t> user_;
  gid_t group_ = 0;
};

// While this lives, the calling thread has these rights for files, as by setfsuid(2). Made and
// destroyed by the same thread; the one that was made last is destroyed first.
class WithFileRights {
 public:
  explicit WithFileRights(const FileRights& rights);
  ~WithFileRights();
  WithFileRights(const WithFileRights&) = delete;
  WithFileRights& operator=(const WithFileRights&) = delete;

 private:
  bool changed_ = false;
  uid_t user_ = 0;
  gid_t group_ = 0;
  std::vector<gid_t> groups_;
  int dumpable_ = 0;
  int death_signal_ = 0;
};

}  // namespace interlock::sqlite
