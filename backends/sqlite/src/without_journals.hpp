// SQLite's way to files, without the rollback journals of others.
#pragma once

namespace interlock::sqlite {

// The name of a VFS for sqlite3_open_v2(), which is registered at the first call. It is SQLite's
// own for this system, but never finds a rollback journal, and makes each anew. A lock file needs
// one only for its first change, which makes it a write-ahead file (schema.cpp).
//
// Reason: SQLite plays back a journal that lies beside a file, with the rights of the process that
// opens the file. A journal can also name a further file, which SQLite deletes then. In a folder
// that other users may write, each of them could leave such a journal, even to root. Source:
// "Database File Format", 3; pager.c, pager_playback and pager_delsuper.
const char* vfs_without_journals();

}  // namespace interlock::sqlite
