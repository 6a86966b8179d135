// A store in one file, for any number of processes on one machine; no server.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "interlock/store/backend.hpp"

namespace interlock::sqlite {

// Opens the file, creating it if there is none; its directory must exist. A new file's mode follows
// its directory: 0666 if every user may write there, 0660 if its group may (mode g+ws), else 0600;
// 0600 also in a sticky directory such as /tmp, because users cannot share a database there.
// `unavailable`: it cannot be opened, or somebody keeps it locked. `rejected`: it is no plain file
// (a pipe, a folder), or a link in a folder that every user may write; it has another name, too
// (hard links, or it is mounted by itself), whose users would see no lock of this one's, because
// SQLite keeps a log for each name: mount the folder instead; it is not a database, is
// damaged or read-only for this user (nothing has been changed then), belongs to another program or
// to a newer version of this one. `invalid_argument`: an empty path.
//
// Promises
// - No signal disposition is changed. A process with a limit on file sizes (RLIMIT_FSIZE) must
//   ignore SIGXFSZ, which would end it; an operation that reaches the limit is `rejected` then.
// - Each operation is one transaction. A process killed at any moment leaves the file neither
//   locked nor damaged, and an operation done or not begun (SQLite, write-ahead log). An operation
//   waits at most 10 s for others, then it is `unavailable`. What fails before the commit is rolled
//   back: `unavailable`, or `rejected` when the disk is full or the file cannot be written. A
//   commit that fails for another reason than a full disk is `indeterminate`: the log may hold all
//   of it, and the next process that opens the file may find it.
// - Expiries follow a clock that all processes on the machine share, that no setting of the wall
//   clock moves, and that counts while the machine sleeps: CLOCK_BOOTTIME, plus an epoch that is
//   kept in the file and chosen anew after each boot.
// - A reboot ends every lease: keys with an expiry are void when the boot id has changed, because
//   their holders died with the machine. Keys without expiry and fencing counters stay.
// - Fencing tokens grow across reboots too: the epoch of a boot is the wall clock when the file is
//   first opened in it, or the latest time known to the file if the wall clock is behind that. What
//   it takes to defeat this is a power failure that loses the last commits (they are not forced to
//   the disk one by one) and a wall clock that is behind at the same time.
// - The file grows with the locks that are held, queued for or waited for, and not with the names
//   that were ever used. Once the store's clock has passed the fencing counter of a free lock, the
//   counter is deleted, a minute after the grant or, in a file of more than 1 MiB, at once: the
//   next token is the clock's then anyway. A lock takes some 0.2 kB. The log takes up to 0.5 MiB on
//   a file system of less than 64 MiB, 4 MiB elsewhere, and more for a moment while many processes
//   write at once.
// - Forking is safe: connections are closed before a fork() and opened again when next used. (A
//   connection carried across a fork loses SQLite's file locks.) In the child a store that its
//   parent opened answers `forked`; the backend serves both, and opens stores for the child. (In a
//   child of _Fork() or clone() the backend answers `forked`, too, and so does a new one if the
//   parent had any SQLite store open, until exec: SQLite believes to have its parent's file locks.)
// - A store opens the file at its first operation, with two descriptors of its own. If the system
//   grants none, the operation is `unavailable` and the next one tries again: a waiting acquire
//   goes on for its WaitPolicy::outage_limit. What is open stays usable.
// - SQLite keeps the descriptors of closed stores while the process has another one open, because
//   POSIX drops all of a process's locks on a file when it closes any descriptor of it. If they are
//   8 or more, and no fewer than the stores that are open, all stores that nobody uses at that
//   moment are closed with the last, and opened again when next used.
// - A file that is deleted or replaced is noticed by the next operation, which continues on the new
//   one. All locks of the old one are lost then.
// - Let SQLite alone open and copy the file. When a process closes it by other means (a copy, a
//   checksum), POSIX drops the file locks of that process, and the next process that closes the
//   file removes the log (-wal). Leave the log and its index (-shm) where they are, too: with
//   another index a process does not see what others write. An operation that finds either removed
//   or replaced is `unavailable`, so that a lease is lost by the clock; one that finds it after its
//   commit is `indeterminate`. The next one closes all connections of the process that nobody uses
//   at that moment, and opens the file anew if none was in use. What two processes write in the
//   same moment, one of them with a removed index, can damage the file. An index that is truncated
//   in place ends each process that reads it: SQLite maps it, and the system sends SIGBUS.
//
// open(): a store for one thread at a time, except for `interrupt`, which may come from any.
// open_on(): null. publish answers 0: who hears it is unknown. Waiters in other processes are woken
// by inotify through one thread per backend, started when first needed; only if the system grants
// no inotify do waiters look into the file, every 25 ms. await_message on a subscription that does
// not exist is `rejected`; interrupt and unsubscribe are without effect on one.
//
// Not supported: a file on a network file system (its locks do not hold; inspect() tells), and
// sharing it between containers that have time namespaces of their own.
Result<std::shared_ptr<Backend>> backend(std::filesystem::path path);

// /run/lock/interlock/locks.sqlite3: one file for all users of the machine, in memory on most
// systems, and empty after a boot, as its locks are. Source: Filesystem Hierarchy
// Standard 3.0, 5.9.
std::filesystem::path default_path();

// The store at default_path(). The first user of it makes the folder (mode 0777) and the file (mode
// 0666); root, when it uses the store, becomes the owner of both. `rejected`: a link or a file is
// in the folder's place, its owner keeps others out, or /run/lock is missing or read-only.
//
// Each user of the machine can take, see and break each lock in it, and could damage the file: it
// keeps users from disturbing each other by accident, not one that wants to. For locks that others
// must not touch, name a file in a folder of your own.
Result<std::shared_ptr<Backend>> default_backend();

// Who may use the file, by its mode: `all users of this machine`, `the user alice alone`. Empty if
// there is no file.
std::string shared_by(const std::filesystem::path& path);

}  // namespace interlock::sqlite
