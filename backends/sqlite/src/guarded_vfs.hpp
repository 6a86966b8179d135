// SQLite's way to files, without what others have put beside a lock file.
#pragma once

namespace interlock::sqlite {

// The name of a VFS for sqlite3_open_v2(), which is registered at the first call. It is SQLite's
// own for this system, with two differences.
//
// It never finds a rollback journal, and makes each anew. A lock file needs one only for its first
// change, which makes it a write-ahead file (schema.cpp). Reason: SQLite plays back a journal that
// lies beside a file, with the rights of the process that opens the file. A journal can also name a
// further file, which SQLite deletes then. Source: "Database File Format", 3; pager.c,
// pager_playback and pager_delsuper.
//
// It opens no log (-wal) and no index (-shm) that somebody has planted: see is_safe_beside().
// Source: wal.c, walIndexRecover.
const char* guarded_vfs();

}  // namespace interlock::sqlite
