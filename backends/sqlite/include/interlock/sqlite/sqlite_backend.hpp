// A store in one file, for any number of processes on one machine; no server.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "interlock/store/backend.hpp"

#pragma GCC visibility push(default)

namespace interlock::sqlite {

// Opens the file, creating it if there is none; its directory must exist. A new file's mode follows
// its directory: 0666 if every user may write there, 0660 if its group may (mode g+ws), else 0600;
// 0600 also in a sticky directory such as /tmp, because users cannot share a database there.
// Any thread may use the backend.
//
// Errors:
// - `unavailable`: the file cannot be opened, or another process keeps it locked.
// - `rejected`, and nothing has been changed:
//   - It is not a plain file (a pipe, a folder), or it is a link in a folder that every user may
//     write.
//   - It has a second name: a hard link, or it is mounted by itself. Users of the other name would
//     not see the locks of this one, because SQLite keeps a log for each name. Mount the folder
//     instead.
//   - It is not a database, is damaged, is read-only for this user, or belongs to another program
//     or to a newer version of this one.
//   - Another program has changed its tables: SQLite would compute what is in them (constraints,
//     generated columns) in each process that uses the file. If that happens while a store has the
//     file open, the next operation is `unavailable`.
//   - A value in it has more than 32 MiB, as no value of a lock has: an operation that meets it
//     fails.
//   - In its folder, which others may write, somebody who may not write the file has put a log or
//     an index (-wal, -shm) beside it.
// - `invalid_argument`: the path is empty.
//
// Promises
// - No signal disposition is changed. A process with a limit on file sizes (RLIMIT_FSIZE) must
//   ignore SIGXFSZ, which would end it; an operation that reaches the limit is `rejected` then.
// - Each operation is one transaction. A process that is killed at any moment leaves the file
//   neither locked nor damaged, and its operation either done or not begun (SQLite, write-ahead
//   log). A rollback journal (-journal) is written only while a new file is made, and none is ever
//   read: one that lies beside the file may be another user's, and would make SQLite delete files
//   (sqlite.org, "Database File Format", 3).
//   An operation waits at most 10 s for others, then it is `unavailable`. If it fails before the
//   commit, it is rolled back: `unavailable`, or `rejected` if the disk is full or the file cannot
//   be written. If the commit fails for another reason than a full disk, the operation is
//   `indeterminate`: the log may contain all of it, and the next process that opens the file may
//   find it.
// - Expiries follow a clock that all processes on the machine share, that no setting of the wall
//   clock moves, and that counts while the machine sleeps: CLOCK_BOOTTIME, plus an epoch that is
//   kept in the file and chosen anew after each boot.
// - A reboot ends every lease: keys with an expiry are void when the boot id has changed, because
//   their holders died with the machine. Keys without expiry and fencing counters stay, and so does
//   a lock that `interlock run --every` keeps for the rest of its period after the command has run.
// - Fencing tokens grow across reboots too: the epoch of a boot is the wall clock when the file is
//   first opened in it, or the latest time known to the file if the wall clock is behind that. They
//   stop growing only if a power failure loses the last commits (which are not forced to the disk
//   one by one) and the wall clock is behind at the same time.
// - The file grows with the locks that are held, queued for or waited for, and not with the names
//   that were ever used. Once the store's clock has passed the fencing counter of a free lock, the
//   counter is deleted, a minute after the grant or, in a file of more than 1 MiB, at once: the
//   next token is the clock's then anyway. A lock takes some 0.2 kB. The log takes up to 0.5 MiB on
//   a file system of less than 64 MiB, 4 MiB elsewhere, and more for a moment while many processes
//   write at once.
// - Forking is safe: the stores close their connections before a fork() and open them again when
//   next used. (A connection that is carried across a fork loses SQLite's file locks.) A fork()
//   waits for the operations of other threads, up to 10 s while another process keeps the file
//   locked. In the child a store that the parent opened answers `forked`; the backend serves both
//   processes, and opens stores for the child. (In a child of _Fork() or clone() the backend
//   answers `forked`, too, and so does a new one if the parent had any SQLite store open, until
//   exec: SQLite acts as if the child had its parent's file locks.)
// - A store opens the file at its first operation, with two descriptors of its own. If the system
//   refuses them, the operation is `unavailable` and the next one tries again: a waiting acquire
//   goes on for its WaitPolicy::outage_limit. Descriptors that are open stay usable.
// - SQLite keeps the descriptors of closed stores while the process has another store open, because
//   POSIX drops all of a process's locks on a file when it closes any descriptor of it. If a
//   store closes and these are then 8 or more, and at least as many as open stores, the library
//   closes all stores that are idle at that moment, too, and opens them again when next used.
// - The log (-wal) and its index (-shm) stay beside the file when its last user closes it. If
//   the log was longer than 0.5 MiB after the last commit of the connection that closes last, this
//   one copies it into the file and removes both. They belong to the file: a user who moves, copies
//   or removes the file without them loses the latest locks. A commit waits for the disk only if it
//   finds the log long (1000 pages; 64 on a small file system) and copies it. So a power failure
//   loses commits and damages nothing.
// - If the file is deleted or replaced, the next operation notices it and continues on the new
//   file. All locks of the old file are lost then.
// - Only SQLite may open and copy the file. When a process closes it by other means (a copy, a
//   checksum), POSIX drops the file locks of that process, and the next process that closes the
//   file removes the log (-wal). Leave the log and its index (-shm) where they are, too: with
//   another index a process does not see what others write. An operation that finds either removed
//   or replaced is `unavailable`, so that a lease is lost by the clock; one that finds it after its
//   commit is `indeterminate`. The next operation closes all connections of the process that are
//   idle at that moment, and opens the file anew if none was in use. If two processes write at the
//   same moment, one of them with a removed index, they can damage the file. An index that is
//   truncated in place ends each process that reads it: SQLite maps it, and the system sends
//   SIGBUS.
//
// open(): a store for one thread at a time, except for `interrupt`, which any thread may call. An
// `interrupt` of subscription 0 says that the store is about to be destroyed: from then on,
// operations do not wait for a file that others keep locked, and are `unavailable` instead.
// open_on(): null. publish answers 0: the store does not know who listens. inotify wakes waiters in
// other processes, through one thread for each backend that starts when first needed; only if the
// system grants no inotify do waiters look into the file, every 25 ms. await_message on a
// subscription that does not exist is `rejected`; interrupt and unsubscribe have no effect on one.
//
// A process of root opens a file that belongs to another user, or that another user could replace
// (by the modes of its folder and of the folders above), with that user's rights instead of its
// own; with those of `nobody` if all users could. The library changes the user and groups of the
// calling thread for that (setfsuid(2), setgroups(2)), and changes them back. Otherwise a user
// could have root overwrite a file of root's by moving it to the place of the log. `rejected`: with
// these rights it cannot be opened.
//
// Containers of one machine share the file if its folder is mounted into each of them, also with
// time namespaces of their own. Not supported: a file on a network file system (its locks do not
// hold; inspect() reports it).
Result<std::shared_ptr<Backend>> backend(std::filesystem::path path);

// /run/lock/interlock/locks.sqlite3: one file for all users of the machine. On most systems it is
// in memory and gone after a boot, and so are its locks. Source: Filesystem Hierarchy
// Standard 3.0, 5.9.
std::filesystem::path default_path();

// The store at default_path(). The first user of it makes the folder (mode 0777) and the file (mode
// 0666); root, when it uses the store, becomes the owner of the folder. `rejected`: a link or a
// file is in the folder's place, it is not open to all users (mode 0777), even if this user may use
// it, it has the sticky bit (users could not share a file in it), the file, its log or the log's
// index is not open to all users, or /run/lock is missing or read-only.
//
// Each user of the machine can take, see and break each lock in it, and could damage the file: it
// protects users from each other's accidents, but not from an attack on their locks: somebody could
// also delay them, by a lease on the file (fcntl(2), F_SETLEASE) up to 45 s at a time. For locks
// that others must not touch, name a file in a folder of your own.
Result<std::shared_ptr<Backend>> default_backend();

// The users who may use the file, by its mode and those of its folder and of the folders above:
// `all users of this machine`, `the user alice alone`. Empty if there is no file.
std::string shared_by(const std::filesystem::path& path);

}  // namespace interlock::sqlite

#pragma GCC visibility pop
