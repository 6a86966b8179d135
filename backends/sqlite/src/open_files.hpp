// What this process has open through SQLite, which keeps one state for all connections to a file.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace interlock::sqlite {

using FileId = std::pair<dev_t, ino_t>;

// None: there is no such file.
std::optional<FileId> id_of(const std::filesystem::path& path);

class OpenFile {
 public:
  // Not zero: another connection may share SQLite's index of the log (-shm) with a new one.
  std::atomic<int> connections = 0;
  // The log was removed or replaced while they had it open. What they write is seen by nobody.
  std::atomic<bool> lost_log = false;
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
