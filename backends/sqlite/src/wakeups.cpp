#include "wakeups.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace interlock::sqlite {
namespace {

// A watched file is looked into from time to time all the same: the bell is rung after the commit,
// and a process may be killed in between; and no condition variable counts the time that the
// machine sleeps, so that a wait must look at the clock now and then.
constexpr Duration nap_watched = std::chrono::seconds{1};
constexpr Duration nap_unwatched = milliseconds{25};

// A thread that starts with all signals blocked: the program's handlers are for its own threads.
template <class Body>
std::thread quiet_thread(Body body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

Wakeups::Wakeups(std::filesystem::path path)
    : path_(std::move(path)),
      inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (inotify_ < 0 || stop_ < 0) return;
  watch_path();
  thread_ = quiet_thread([this] { listen(); });
}

Wakeups::~Wakeups() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    static_cast<void>(!write(stop_, &one, sizeof one));
    thread_.join();
  }
  close_descriptors();
}

void Wakeups::close_descriptors() const {
  if (inotify_ >= 0) close(inotify_);
  if (stop_ >= 0) close(stop_);
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

// Ringing sets the file's times; so does deleting it, by its count of links. The file under the
// path may be another one afterwards, and adding the same one again changes nothing.
void Wakeups::watch_path() {
  watching_ = inotify_add_watch(inotify_, path_.c_str(), IN_ATTRIB | IN_MOVE_SELF) >= 0;
}

void Wakeups::listen() {
  for (;;) {
    pollfd events[] = {{inotify_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(events, 2, -1) < 0) continue;
    if (events[1].revents != 0) return;
    alignas(inotify_event) char buffer[4096];
    // What exactly has happened does not matter, only that something has.
    while (read(inotify_, buffer, sizeof buffer) > 0) {
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
  if (wakeups_) {
    wakeups_->close_descriptors();
    // Left behind for good: its thread cannot be joined, and its waiters, which exist no more,
    // would be waited for by the condition variable's destructor.
    static auto* const left_behind = new std::vector<std::shared_ptr<Wakeups>>();
    left_behind->push_back(std::exchange(wakeups_, nullptr));
  }
  mutex_.unlock();
}

}  // namespace interlock::sqlite
