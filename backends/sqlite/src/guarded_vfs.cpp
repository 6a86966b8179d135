#include "guarded_vfs.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "file_access.hpp"

namespace interlock::sqlite {
namespace {

sqlite3_vfs* original() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  return vfs;
}

// SQLite opens the index after the log, and not by this function.
bool may_open_log(const std::string& log) {
  const std::string file = log.substr(0, log.size() - std::string_view("-wal").size());
  return is_safe_beside(file, "-wal") && is_safe_beside(file, "-shm");
}

// A journal is opened under the file's write lock, so one that is there already is in nobody's use:
// a process was killed, or somebody has put it there.
int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened_with) {
  if ((flags & SQLITE_OPEN_WAL) != 0 && !may_open_log(name)) {
    file->pMethods = nullptr;
    return SQLITE_CANTOPEN;
  }
  const bool is_journal = (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0;
  const bool is_new = is_journal && (flags & SQLITE_OPEN_CREATE) != 0;
  if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0 || (is_journal && !is_new)) {
    file->pMethods = nullptr;
    return SQLITE_CANTOPEN;
  }
  if (is_new) {
    unlink(name);
    flags |= SQLITE_OPEN_EXCLUSIVE;
  }
  return original()->xOpen(original(), name, file, flags, opened_with);
}

// Asked about a journal, a log and a database.
int find_no_journal(sqlite3_vfs*, const char* name, int flags, int* found) {
  if (std::string_view(name).ends_with("-journal")) {
    *found = 0;
    return SQLITE_OK;
  }
  return original()->xAccess(original(), name, flags, found);
}

sqlite3_vfs* registered() {
  static sqlite3_vfs vfs = *original();
  vfs.zName = "interlock";
  vfs.pNext = nullptr;
  vfs.xOpen = open_file;
  vfs.xAccess = find_no_journal;
  sqlite3_vfs_register(&vfs, 0);
  return &vfs;
}

}  // namespace

const char* guarded_vfs() {
  static sqlite3_vfs* const vfs = registered();
  return vfs->zName;
}

}  // namespace interlock::sqlite
