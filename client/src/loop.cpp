#include "loop.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "interlock/detail/assert.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/posix/clock.hpp"
#include "interlock/posix/failure.hpp"
#include "interlock/posix/signals_blocked.hpp"

namespace interlock {
namespace {

// By default the kernel gives timers a slack of some tens of microseconds, so nothing is added
// here.
itimerspec at_instant(TimePoint instant) {
  itimerspec when{};
  when.it_value = posix::to_timespec(instant.time_since_epoch());
  // All zero would disarm it.
  if (when.it_value.tv_sec <= 0 && when.it_value.tv_nsec <= 0) when.it_value = {0, 1};
  return when;
}

Error no_loop(const char* step) {
  return posix::failure(std::string("cannot make an event loop: ") + step, errno);
}

}  // namespace

// --- begin and end -------------------------------------------------------------------------------

EventLoop::Loop::Loop(Turned turned,
                      posix::Descriptor epoll,
                      posix::Eventfd posted,
                      posix::Descriptor clock)
    : turned_(turned),
      epoll_(std::move(epoll)),
      posted_(std::move(posted)),
      clock_(std::move(clock)),
      on_posted_(posted_.descriptor(), [this](bool, bool) { static_cast<void>(posted_.take()); }),
      on_clock_(clock_.get(), [this](bool, bool) { fire_due(); }) {}

Result<std::unique_ptr<EventLoop::Loop>> EventLoop::Loop::start(Turned turned) {
  posix::Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return no_loop("epoll_create");
  posix::Eventfd posted = posix::Eventfd::open();
  if (!posted) return no_loop("eventfd");
  posix::Descriptor clock(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!clock) return no_loop("timerfd_create");
  std::unique_ptr<Loop> loop(
      new Loop(turned, std::move(epoll), std::move(posted), std::move(clock)));
  if (auto error = loop->listen()) return *std::move(error);
  return loop;
}

std::optional<Error> EventLoop::Loop::listen() {
  if (add(on_posted_, EPOLLIN) != 0 || add(on_clock_, EPOLLIN) != 0) return no_loop("epoll_ctl");
  if (!has_thread()) return std::nullopt;
  auto thread = posix::thread_with_signals_blocked([this] { run(); });
  if (!thread) return thread.error();
  thread_ = *std::move(thread);
  return std::nullopt;
}

EventLoop::Loop::~Loop() {
  if (has_thread() && !thread_.joinable()) return;  // it never ran
  if (has_thread()) {
    if (on_thread()) {
      detail::misused(
          "an EventLoop is destroyed on its own thread, which it would wait for: destroy "
          "it, or its Client, on another");
    }
    post([this] { ended_ = true; });
    thread_.join();
  }
  if (!schedule_.empty()) {
    detail::misused(
        "an EventLoop is destroyed while a timer is armed or a task sleeps on it: end "
        "them first");
  }
  if (open_sources_ != 0) {
    detail::misused(
        "an EventLoop is destroyed while a descriptor is watched on it: destroy the Watch first");
  }
}

// --- jobs and events -----------------------------------------------------------------------------

void EventLoop::Loop::run() {
  depth_ = 1;
  while (!ended_) {
    // Jobs that these jobs post run after the descriptors that are ready.
    const bool more = run_jobs();
    if (!ended_) run_events(more ? 0 : -1);
  }
}

void EventLoop::Loop::turn(int longest) noexcept {
  if (in_child() || has_thread()) return;
  turned_by_ = std::this_thread::get_id();
  ++depth_;
  run_events(longest);
  // The jobs that these post run at the next turn, for which the descriptor must be readable.
  const bool more = run_jobs();
  --depth_;
  if (more) posted_.notify();
}

// A child that was forked on this thread is a copy of it, and would go on to do the parent's work.
void EventLoop::Loop::refuse_child() const {
  if (!in_child()) return;
  detail::misused(
      "a child that was forked on the loop of its parent's Client came back to it: end "
      "it by exec or _exit(), or fork on another thread");
}

void EventLoop::Loop::post(std::function<void()> job) {
  if (in_child()) return;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = jobs_.empty();
    jobs_.push_back(std::move(job));
  }
  // A turn looks before it ends, and needs no system call to be woken.
  if (!first || in_turn()) return;
  posted_.notify();
}

// True: there are more.
bool EventLoop::Loop::run_jobs() {
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
  }
  for (auto& job : jobs) {
    job();
    refuse_child();
  }
  const std::lock_guard lock(mutex_);
  return !jobs_.empty();
}

void EventLoop::Loop::run_events(int timeout) {
  std::array<epoll_event, 128> events;
  const int count = epoll_wait(epoll_.get(), events.data(), events.size(), timeout);
  for (int index = 0; index < count; ++index) {
    const epoll_event& event = events[static_cast<std::size_t>(index)];
    happened(*static_cast<Source*>(event.data.ptr), event.events);
    refuse_child();
  }
  if (depth_ == 1) closed_.clear();  // a turn further out may have events of theirs
}

void EventLoop::Loop::happened(Source& source, std::uint32_t events) {
  if (source.is_closed) return;
  const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if (source.wanted != 0) {
    source.ready(broken || (events & EPOLLIN) != 0, broken || (events & EPOLLOUT) != 0);
  } else if (broken) {
    // The watch is paused, and the system would report the descriptor again and again.
    control(EPOLL_CTL_DEL, source);
    source.is_added = false;
  }
}

int EventLoop::Loop::open(Source& source) {
  const int error = add(source, 0);
  if (error == 0) ++open_sources_;
  return error;
}

int EventLoop::Loop::add(Source& source, std::uint32_t wanted) const {
  source.wanted = wanted;
  const int error = control(EPOLL_CTL_ADD, source);
  source.is_added = error == 0;
  return error;
}

void EventLoop::Loop::want(Source& source, std::uint32_t wanted) const {
  if (source.wanted == wanted) return;
  source.wanted = wanted;
  if (source.is_added) {
    control(EPOLL_CTL_MOD, source);
  } else if (wanted != 0) {
    add(source, wanted);
  }
}

void EventLoop::Loop::close(std::unique_ptr<Source> source) {
  if (in_child()) return posix::leave_behind(std::move(source));
  if (source->is_added) control(EPOLL_CTL_DEL, *source);
  source->is_closed = true;
  --open_sources_;
  closed_.push_back(std::move(source));
}

int EventLoop::Loop::control(int operation, Source& source) const {
  epoll_event event{};
  event.events = source.wanted;
  event.data.ptr = &source;
  return epoll_ctl(epoll_.get(), operation, source.descriptor, &event) == 0 ? 0 : errno;
}

// --- timers --------------------------------------------------------------------------------------

EventLoop::Loop::Schedule::iterator EventLoop::Loop::schedule(TimePoint instant,
                                                              std::function<void()> fire) {
  const auto entry = schedule_.emplace(instant, std::move(fire));
  if (!armed_ || instant < *armed_) arm();
  return entry;
}

// Arms for the earliest entry. An entry that is taken out leaves the descriptor armed too early,
// which costs one look; arming anew each time would cost a system call for every command's timeout.
void EventLoop::Loop::arm() {
  if (schedule_.empty()) return;
  armed_ = schedule_.begin()->first;
  const itimerspec when = at_instant(*armed_);
  timerfd_settime(clock_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void EventLoop::Loop::fire_due() {
  std::uint64_t expirations = 0;
  static_cast<void>(!read(clock_.get(), &expirations, sizeof expirations));
  armed_.reset();
  // What becomes due while these run waits for the next turn, so that descriptors get theirs.
  const TimePoint due = local_now();
  while (!schedule_.empty() && schedule_.begin()->first <= due) {
    auto node = schedule_.extract(schedule_.begin());
    node.mapped()();
    refuse_child();
  }
  if (!armed_) arm();
}

}  // namespace interlock
