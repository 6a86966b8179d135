// Tells the waiters of this process that the file may hold a new message.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "interlock/posix/descriptor.hpp"
#include "interlock/posix/eventfd.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/vocabulary.hpp"

namespace interlock::sqlite {

// Counts notifications. One thread waits in inotify for all waiters; without inotify or a thread (a
// limit of the user is reached), waiters look more often.
class Wakeups {
 public:
  explicit Wakeups(std::filesystem::path path);
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;
  ~Wakeups();

  // Call it before looking into the file, and pass the count to wait() if there was no message:
  // then none is lost in between.
  std::uint64_t count();
  // Waits until the count has changed, until it is time to look again anyway, or for `at_most`.
  void wait(std::uint64_t seen, Duration at_most);
  // Wakes the waiters of this process.
  void ring();

  bool watching();

 private:
  void watch_path();
  void listen();

  const std::filesystem::path path_;
  const posix::Descriptor inotify_;
  const posix::Eventfd stop_;

  std::mutex mutex_;
  std::condition_variable rung_;
  std::uint64_t count_ = 0;
  bool watching_ = false;
  std::thread thread_;
};

// The Wakeups of a backend, made when first needed and anew after a fork.
class SharedWakeups final : public posix::ForkGuard {
 public:
  explicit SharedWakeups(std::filesystem::path path) : path_(std::move(path)) { enter(); }
  ~SharedWakeups() {
    // The thread of this object runs in the parent, and cannot be joined here.
    if (carried() && wakeups_) posix::leave_behind(std::move(wakeups_));
    leave();
  }

  std::shared_ptr<Wakeups> get();

 private:
  void before_fork() override { mutex_.lock(); }
  void after_fork_in_parent() override { mutex_.unlock(); }
  void after_fork_in_child() override;

  const std::filesystem::path path_;
  std::mutex mutex_;
  std::shared_ptr<Wakeups> wakeups_;
};

}  // namespace interlock::sqlite
