#include "open_files.hpp"

#include <sys/stat.h>

#include <map>
#include <mutex>

#include "interlock/posix/fork.hpp"

namespace interlock::sqlite {
namespace {

std::atomic<int> connections_here = 0;
std::atomic<unsigned> opened_in = 0;  // the process in which they were opened

}  // namespace

std::optional<FileId> id_of(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId(info.st_dev, info.st_ino);
}

void OpenFile::add(OpenConnection& connection) {
  const std::lock_guard lock(mutex_);
  connections_.push_back(&connection);
  if (kept_ > 0) --kept_;  // SQLite takes one of them
}

void OpenFile::close_unused() {
  const std::lock_guard lock(mutex_);
  note_closed(std::erase_if(connections_, [](auto* each) { return each->close_if_unused(); }));
}

bool OpenFile::keeps_many_descriptors() const {
  constexpr std::size_t few = 8;
  const std::lock_guard lock(mutex_);
  // Not if more connections are open than closed: each of them would have to be opened again.
  return kept_ >= few && kept_ >= connections_.size();
}

LogFiles OpenFile::note(const LogFiles& found) {
  const std::lock_guard lock(mutex_);
  if (!noted_) noted_ = found;
  return *noted_;
}

void OpenFile::compare(const LogFiles& found) {
  const std::lock_guard lock(mutex_);
  if (noted_ && found != *noted_) lost_log = true;
}

void OpenFile::note_closed(std::size_t connections) {
  kept_ = connections_.empty() ? 0 : kept_ + connections;
  if (!connections_.empty()) return;
  lost_log = false;
  noted_.reset();
}

// Called by connections that hold their own lock, for which a fork() waits, so no thread is in here
// during a fork. Both objects are never destroyed, because a connection may outlive static objects.
std::shared_ptr<OpenFile> open_file(FileId id) {
  static auto& mutex = *new std::mutex();
  static auto& files = *new std::map<FileId, std::weak_ptr<OpenFile>>();
  const std::lock_guard lock(mutex);
  std::erase_if(files, [](const auto& each) { return each.second.expired(); });
  auto file = files[id].lock();
  if (!file) files[id] = file = std::make_shared<OpenFile>();
  return file;
}

void note_opening() {
  opened_in = posix::this_process();
  ++connections_here;
}

void note_closed() {
  --connections_here;
}

bool has_files_of_parent() {
  return connections_here > 0 && opened_in != posix::this_process();
}

}  // namespace interlock::sqlite
