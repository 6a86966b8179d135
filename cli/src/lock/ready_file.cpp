#include "lock/ready_file.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "interlock/local_clock.hpp"
#include "system/timer_descriptor.hpp"

namespace interlock::cli {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void remove_if_it_says(const std::string& path, const std::string& ours) {
  if (!ours.empty() && content_of(path) == ours) ::unlink(path.c_str());
}

// A message of the program: until when the file may exist, then the file's content, or nothing if
// that has not changed.
using Until = std::int64_t;

// What the process knows of the file.
class Watched {
 public:
  explicit Watched(int channel) : channel_(channel) {}

  // Reads the messages that are there. False: the program has ended.
  bool hear() {
    for (;;) {
      std::array<char, 8192> packet{};
      const ssize_t size = ::recv(channel_, packet.data(), packet.size(), MSG_DONTWAIT);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return true;
      if (size < static_cast<ssize_t>(sizeof(Until))) return false;
      Until until = 0;
      std::memcpy(&until, packet.data(), sizeof until);
      alarm_.arm(TimePoint(Duration(until)) - local_now());
      const auto length = static_cast<std::size_t>(size) - sizeof until;
      if (length != 0) content_.assign(packet.data() + sizeof until, length);
    }
  }

  void wait() const {
    std::array<pollfd, 2> files{{{channel_, POLLIN, 0}, {alarm_.descriptor(), POLLIN, 0}}};
    ::poll(files.data(), files.size(), -1);
  }

  bool time_has_come() { return alarm_.take(); }
  const std::string& content() const noexcept { return content_; }

 private:
  int channel_;
  TimerDescriptor alarm_;
  std::string content_;
};

// Waits for the program's end, and removes the file if the program has not done so. Also removes it
// in time if the program does not run.
void remove_for_the_program(int channel, const std::string& path) {
  close_all_but({channel});
  Watched file(channel);
  while (file.hear()) {
    if (file.time_has_come()) remove_if_it_says(path, file.content());
    file.wait();
  }
  remove_if_it_says(path, file.content());
}

}  // namespace

std::optional<Failure> ReadyFile::begin() {
  if (!file_.is_in_use()) file_.remove();
  auto watcher =
      WatcherProcess::begin([&](int channel) { remove_for_the_program(channel, file_.path()); });
  if (!watcher) return watcher.error();
  watcher_.emplace(std::move(*watcher));
  return std::nullopt;
}

void ReadyFile::remove_ours() const {
  remove_if_it_says(path(), written_);
}

bool ReadyFile::write(const std::string& content, TimePoint until) {
  written_ = content;
  // Sent before the file exists, because this program may be killed in between.
  tell_watcher(until, content);
  auto kept = file_.write_and_keep(content);
  if (!kept) return false;
  kept_ = *std::move(kept);
  return true;
}

void ReadyFile::keep_until(TimePoint until) const {
  tell_watcher(until, "");
}

void ReadyFile::tell_watcher(TimePoint until, const std::string& content) const {
  if (!watcher_) return;
  const Until instant = until.time_since_epoch().count();
  std::string packet(sizeof instant, '\0');
  std::memcpy(packet.data(), &instant, sizeof instant);
  packet += content;
  // A watcher that is stopped must not stop us.
  static_cast<void>(
      !::send(watcher_->channel(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

}  // namespace interlock::cli
