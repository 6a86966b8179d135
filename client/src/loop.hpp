// The descriptors, timers and jobs of an EventLoop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/event_loop.hpp"
#include "interlock/posix/descriptor.hpp"
#include "interlock/posix/eventfd.hpp"
#include "interlock/posix/fork.hpp"

namespace interlock {

// Three descriptors, and a thread unless the program turns it. epoll itself rather than a library
// over it: those end the process when descriptors run out, and share their epoll with a child that
// comes back to it.
class EventLoop::Loop {
 public:
  // The functions to call, by instant.
  using Schedule = std::multimap<TimePoint, std::function<void()>>;

  static Result<std::unique_ptr<Loop>> start(Turned turned);
  ~Loop();

  void post(std::function<void()> job);
  bool on_thread() const noexcept {
    return (has_thread() ? thread_.get_id() : turned_by_.load()) == std::this_thread::get_id();
  }
  bool in_turn() const noexcept { return on_thread() && depth_ > 0; }
  bool has_thread() const noexcept { return turned_ == Turned::by_its_thread; }
  int descriptor() const noexcept { return epoll_.get(); }
  // Waits for as many milliseconds if there is nothing to do.
  void turn(int longest) noexcept;
  bool in_child() const noexcept { return fork_.in_child(); }

  Schedule::iterator schedule(TimePoint instant, std::function<void()> fire);
  void unschedule(Schedule::iterator entry) {
    // A child's copy may have been taken in the middle of a change.
    if (!in_child()) schedule_.erase(entry);
  }

  // A descriptor that is waited for.
  class Source {
   public:
    Source(int of, std::function<void(bool, bool)> when_ready)
        : descriptor(of), ready(std::move(when_ready)) {}
    const int descriptor;
    const std::function<void(bool readable, bool writable)> ready;
    std::uint32_t wanted = 0;
    bool is_added = false;
    bool is_closed = false;
  };
  // 0, or the system's error. From then on it is waited for, until close().
  int open(Source& source);
  void want(Source& source, std::uint32_t wanted) const;
  // Freed when no event of it can be left.
  void close(std::unique_ptr<Source> source);

  std::unordered_map<const PendingSleep*, Schedule::iterator> sleeps;

 private:
  Loop(Turned turned, posix::Descriptor epoll, posix::Eventfd posted, posix::Descriptor clock);
  std::optional<Error> listen();
  void run();
  bool run_jobs();
  void run_events(int timeout);
  int add(Source& source, std::uint32_t wanted) const;
  void happened(Source& source, std::uint32_t events);
  int control(int operation, Source& source) const;
  void refuse_child() const;
  void fire_due();
  void arm();

  const Turned turned_;
  std::atomic<std::thread::id> turned_by_ = std::this_thread::get_id();
  int depth_ = 0;  // of turns inside of turns
  posix::ForkMark fork_;
  posix::Descriptor epoll_;
  posix::Eventfd posted_;    // readable when there are jobs
  posix::Descriptor clock_;  // readable when something is due
  Source on_posted_;
  Source on_clock_;
  std::vector<std::unique_ptr<Source>> closed_;
  int open_sources_ = 0;  // those of watches
  Schedule schedule_;
  std::optional<TimePoint> armed_;
  bool ended_ = false;

  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;

  std::thread thread_;
};

}  // namespace interlock
