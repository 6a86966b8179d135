// The rights that root uses for a lock file.
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
  // The rights with which this process opens the file, or makes it. They are its own, except where
  // root meets a file of another user, or a folder on the way that another user can write or move.
  // Root then uses the rights of that user, and those of `nobody` where all users can do it.
  static FileRights of(const std::filesystem::path& file);

 private:
  friend class WithFileRights;
  std::optional<uid_t> user_;  // none: the process keeps its own rights
  gid_t group_ = 0;
};

// While this lives, the calling thread has these rights for files, as by setfsuid(2). The thread
// that made it destroys it, and the one that was made last is destroyed first. A root that may not
// change its groups (in some containers) keeps its own rights.
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
