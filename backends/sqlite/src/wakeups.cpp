#include "wakeups.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "interlock/posix/signals_blocked.hpp"

namespace interlock::sqlite {
namespace {

// Waiters look into a watched file from time to time nevertheless: a process notifies them after
// its commit, and may be killed in between. Also, no condition variable counts the time that the
// machine sleeps, so a wait must check the clock now and then.
constexpr Duration nap_watched = std::chrono::seconds{5};
constexpr Duration nap_unwatched = milliseconds{25};

}  // namespace

Wakeups::Wakeups(std::filesystem::path path)
    : path_(std::move(path)),
      inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      stop_(posix::Eventfd::open()) {
  if (!inotify_ || !stop_) return;
  auto thread = posix::thread_with_signals_blocked([this] { listen(); });
  if (!thread) return;
  thread_ = *std::move(thread);
  const std::lock_guard lock(mutex_);
  watch_path();
}

Wakeups::~Wakeups() {
  if (!thread_.joinable()) return;
  stop_.notify();
  thread_.join();
}

std::uint64_t Wakeups::count() {
  const std::lock_guard lock(mutex_);
  if (!watching_ && thread_.joinable()) watch_path();
  return count_;
}

void Wakeups::wait(std::uint64_t seen, Duration at_most) {
  std::unique_lock lock(mutex_);
  const Duration nap = watching_ ? nap_watched : nap_unwatched;
  rung_.wait_for(lock, std::min(at_most, nap), [&] { return count_ != seen; });
}

void Wakeups::ring() {
  const std::lock_guard lock(mutex_);
  ++count_;
  rung_.notify_all();
}

bool Wakeups::watching() {
  const std::lock_guard lock(mutex_);
  return watching_;
}

// IN_ATTRIB comes when a process notifies (it sets the file's times) and when the file is deleted
// (its count of links changes). The file under the path may be another one afterwards; adding the
// same file again changes nothing.
void Wakeups::watch_path() {
  watching_ = inotify_add_watch(inotify_.get(), path_.c_str(), IN_ATTRIB | IN_MOVE_SELF) >= 0;
}

void Wakeups::listen() {
  for (;;) {
    pollfd events[] = {{inotify_.get(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    if (poll(events, 2, -1) < 0) continue;
    if (events[1].revents != 0) return;
    alignas(inotify_event) char buffer[4096];
    // The contents of the events do not matter.
    while (read(inotify_.get(), buffer, sizeof buffer) > 0) {
    }
    const std::lock_guard lock(mutex_);
    watch_path();
    ++count_;
    rung_.notify_all();
  }
}

std::shared_ptr<Wakeups> SharedWakeups::get() {
  const std::lock_guard lock(mutex_);
  if (!wakeups_) wakeups_ = std::make_shared<Wakeups>(path_);
  return wakeups_;
}

void SharedWakeups::after_fork_in_child() {
  // The thread cannot be joined here, and the destructor of the condition variable would wait for
  // waiters that do not exist any more.
  if (wakeups_) posix::leave_behind(std::exchange(wakeups_, nullptr));
  mutex_.unlock();
}

}  // namespace interlock::sqlite
