#include "lock/ready_file.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>

namespace interlock::cli {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void remove_if_it_says(const std::string& path, const std::string& ours) {
  if (!ours.empty() && content_of(path) == ours) ::unlink(path.c_str());
}

// Waits for the program's end, and removes the file if the program has not done so.
void remove_after_the_program(int channel, const std::string& path) {
  close_all_but({channel});
  std::string ours;
  for (;;) {
    std::array<char, 8192> packet{};
    const ssize_t size = ::recv(channel, packet.data(), packet.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    ours.assign(packet.data(), static_cast<std::size_t>(size));
  }
  remove_if_it_says(path, ours);
}

}  // namespace

std::optional<Failure> ReadyFile::begin() {
  if (!file_.is_in_use()) file_.remove();
  auto watcher =
      WatcherProcess::begin([&](int channel) { remove_after_the_program(channel, file_.path()); });
  if (!watcher) return watcher.error();
  watcher_.emplace(std::move(*watcher));
  return std::nullopt;
}

void ReadyFile::remove_ours() const {
  remove_if_it_says(path(), written_);
}

bool ReadyFile::write(const std::string& content) {
  written_ = content;
  // Sent before the file exists, because this program may be killed in between.
  if (watcher_) {
    static_cast<void>(!::send(watcher_->channel(), content.data(), content.size(), MSG_NOSIGNAL));
  }
  auto kept = file_.write_and_keep(content);
  if (kept) kept_ = *std::move(kept);
  return kept.has_value();
}

}  // namespace interlock::cli
