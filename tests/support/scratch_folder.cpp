#include "support/scratch_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace interlock::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "interlock-test-";

// Locked and in its place, or -1. The lock goes with the last process that has it open, which
// children that were forked are as well.
int lock(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat opened {};
  struct stat named {};
  const bool ours = ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &opened) == 0 &&
                    ::stat(folder.c_str(), &named) == 0 && opened.st_ino == named.st_ino;
  if (ours) return file;
  ::close(file);
  return -1;
}

void remove_all_of(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

void remove_what_the_dead_left() {
  std::error_code error;
  for (fs::directory_iterator at(fs::temp_directory_path(), error), end; !error && at != end;
       at.increment(error)) {
    if (!at->path().filename().string().starts_with(prefix)) continue;
    const int file = lock(at->path());
    if (file < 0) continue;
    remove_all_of(at->path());
    ::close(file);
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  remove_what_the_dead_left();
  const std::string pattern = (fs::temp_directory_path() / prefix).string() + "XXXXXX";
  // Between making and locking it, another process may have taken it for a dead one's.
  for (int attempt = 0; attempt < 100 && locked_ < 0; ++attempt) {
    std::string name = pattern;
    if (::mkdtemp(name.data()) == nullptr) break;
    path_ = name;
    locked_ = lock(path_);
  }
  if (locked_ >= 0) return;
  std::perror(("cannot make " + pattern).c_str());
  std::abort();
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), locked_(std::exchange(other.locked_, -1)) {}

ScratchFolder::~ScratchFolder() {
  if (locked_ < 0) return;
  remove_all_of(path_);
  ::close(locked_);
}

}  // namespace interlock::test
