#include "interlock/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/detail/assert.hpp"
#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/posix/clock.hpp"
#include "interlock/posix/descriptor.hpp"
#include "interlock/posix/eventfd.hpp"
#include "interlock/posix/failure.hpp"
#include "interlock/posix/fork.hpp"
#include "interlock/posix/signals_blocked.hpp"

namespace interlock {
namespace {

// The functions to call, by instant.
using Schedule = std::multimap<TimePoint, std::function<void()>>;

// A coroutine that owns itself: the root of a task that nobody awaits.
class Detached {
 public:
  class promise_type {
   public:
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Detached run_detached(Task<void> task, std::function<void(std::exception_ptr)> done) {
  std::exception_ptr thrown;
  try {
    co_await task;
  } catch (...) {
    thrown = std::current_exception();
  }
  if (done) done(std::move(thrown));
}

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

// Three descriptors and a thread. epoll itself rather than a library over it: those end the process
// when descriptors run out, and share their epoll with a child that comes back to it.
class EventLoop::Loop {
 public:
  static Result<std::unique_ptr<Loop>> start();
  ~Loop();

  void post(std::function<void()> job);
  bool on_thread() const noexcept { return thread_.get_id() == std::this_thread::get_id(); }
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
  // 0, or the system's error.
  int add(Source& source, std::uint32_t wanted) const;
  void want(Source& source, std::uint32_t wanted) const;
  // Freed when no event of it can be left.
  void close(std::unique_ptr<Source> source);

  std::unordered_map<const PendingSleep*, Schedule::iterator> sleeps;

 private:
  Loop(posix::Descriptor epoll, posix::Eventfd posted, posix::Descriptor clock);
  std::optional<Error> listen();
  void run();
  bool run_jobs();
  void run_events(int timeout);
  void happened(Source& source, std::uint32_t events);
  int control(int operation, Source& source) const;
  void refuse_child() const;
  void fire_due();
  void arm();

  posix::ForkMark fork_;
  posix::Descriptor epoll_;
  posix::Eventfd posted_;    // readable when there are jobs
  posix::Descriptor clock_;  // readable when something is due
  Source on_posted_;
  Source on_clock_;
  std::vector<std::unique_ptr<Source>> closed_;
  Schedule schedule_;
  std::optional<TimePoint> armed_;
  bool ended_ = false;

  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;

  std::thread thread_;
};

// --- begin and end -------------------------------------------------------------------------------

EventLoop::Loop::Loop(posix::Descriptor epoll, posix::Eventfd posted, posix::Descriptor clock)
    : epoll_(std::move(epoll)),
      posted_(std::move(posted)),
      clock_(std::move(clock)),
      on_posted_(posted_.descriptor(), [this](bool, bool) { static_cast<void>(posted_.take()); }),
      on_clock_(clock_.get(), [this](bool, bool) { fire_due(); }) {}

Result<std::unique_ptr<EventLoop::Loop>> EventLoop::Loop::start() {
  posix::Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return no_loop("epoll_create");
  posix::Eventfd posted = posix::Eventfd::open();
  if (!posted) return no_loop("eventfd");
  posix::Descriptor clock(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!clock) return no_loop("timerfd_create");
  std::unique_ptr<Loop> loop(new Loop(std::move(epoll), std::move(posted), std::move(clock)));
  if (auto error = loop->listen()) return *std::move(error);
  return loop;
}

std::optional<Error> EventLoop::Loop::listen() {
  if (add(on_posted_, EPOLLIN) != 0 || add(on_clock_, EPOLLIN) != 0) return no_loop("epoll_ctl");
  auto thread = posix::thread_with_signals_blocked([this] { run(); });
  if (!thread) return thread.error();
  thread_ = *std::move(thread);
  return std::nullopt;
}

EventLoop::Loop::~Loop() {
  if (!thread_.joinable()) return;  // it never ran
  if (on_thread()) {
    detail::misused(
        "an EventLoop is destroyed on its own thread, which it would wait for: destroy "
        "it, or its Client, on another");
  }
  post([this] { ended_ = true; });
  thread_.join();
  if (!schedule_.empty()) {
    detail::misused(
        "an EventLoop is destroyed while a timer is armed or a task sleeps on it: end "
        "them first");
  }
}

// --- jobs and events -----------------------------------------------------------------------------

void EventLoop::Loop::run() {
  while (!ended_) {
    // Jobs that these jobs post run after the descriptors that are ready.
    const bool more = run_jobs();
    if (!ended_) run_events(more ? 0 : -1);
  }
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
  // The loop's own thread looks before it waits again, and needs no system call to be woken.
  if (!first || on_thread()) return;
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
  closed_.clear();
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
  closed_.push_back(std::move(source));
}

int EventLoop::Loop::control(int operation, Source& source) const {
  epoll_event event{};
  event.events = source.wanted;
  event.data.ptr = &source;
  return epoll_ctl(epoll_.get(), operation, source.descriptor, &event) == 0 ? 0 : errno;
}

// --- timers --------------------------------------------------------------------------------------

Schedule::iterator EventLoop::Loop::schedule(TimePoint instant, std::function<void()> fire) {
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

// --- the loop as others see it -------------------------------------------------------------------

class EventLoop::DescriptorWatch final : public Reactor::Watch {
 public:
  DescriptorWatch(Loop& loop, std::unique_ptr<Loop::Source> source)
      : loop_(loop), source_(std::move(source)) {}
  ~DescriptorWatch() override { loop_.close(std::move(source_)); }
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

  void interest(bool readable, bool writable) override {
    loop_.want(*source_, (readable ? std::uint32_t{EPOLLIN} : 0U) |
                             (writable ? std::uint32_t{EPOLLOUT} : 0U));
  }

 private:
  Loop& loop_;
  std::unique_ptr<Loop::Source> source_;
};

namespace {

// Sleeps with the same slack end at multiples of it: one wake-up for all that end in between.
TimePoint together(const PendingSleep& sleep) {
  if (sleep.slack() <= Duration::zero()) return sleep.until();
  return sleep.until() - sleep.until().time_since_epoch() % sleep.slack();
}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::open() {
  auto loop = Loop::start();
  if (!loop) return std::move(loop).error();
  return std::unique_ptr<EventLoop>(new EventLoop(*std::move(loop)));
}

EventLoop::EventLoop() {
  auto loop = Loop::start();
  if (!loop) throw LockFailure(std::move(loop).error());
  loop_ = *std::move(loop);
}

EventLoop::EventLoop(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

EventLoop::~EventLoop() {
  if (loop_->in_child()) posix::leave_behind(std::move(loop_));
}

bool EventLoop::on_loop_thread() const noexcept {
  return loop_->on_thread();
}

void EventLoop::spawn(Task<void> task, std::function<void(std::exception_ptr)> done) {
  // std::function wants copies; a task has one owner.
  auto shared = std::make_shared<Task<void>>(std::move(task));
  post([shared, done = std::move(done)] { run_detached(std::move(*shared), done); });
}

Result<std::unique_ptr<Reactor::Watch>> EventLoop::watch(int descriptor,
                                                         std::function<void(bool, bool)> ready) {
  if (loop_->in_child()) return posix::used_in_child("cannot watch a descriptor", "the event loop");
  auto source = std::make_unique<Loop::Source>(descriptor, std::move(ready));
  if (const int error = loop_->add(*source, 0)) {
    return posix::failure("cannot watch a descriptor", error);
  }
  return std::unique_ptr<Watch>(std::make_unique<DescriptorWatch>(*loop_, std::move(source)));
}

std::unique_ptr<Reactor::Timer> EventLoop::timer(std::function<void()> fired) {
  class ScheduledTimer final : public Timer {
   public:
    ScheduledTimer(Loop& loop, std::function<void()> fired)
        : loop_(loop), fired_(std::make_shared<std::function<void()>>(std::move(fired))) {}
    ~ScheduledTimer() override { disarm(); }
    ScheduledTimer(const ScheduledTimer&) = delete;
    ScheduledTimer& operator=(const ScheduledTimer&) = delete;

    void arm(Duration delay) override {
      disarm();
      entry_ = loop_.schedule(local_now() + delay, [this, keep = fired_] {
        entry_.reset();
        (*keep)();  // may destroy this timer
      });
    }
    void disarm() override {
      if (entry_) loop_.unschedule(*std::exchange(entry_, std::nullopt));
    }

   private:
    Loop& loop_;
    std::shared_ptr<std::function<void()>> fired_;
    std::optional<Schedule::iterator> entry_;
  };
  return std::make_unique<ScheduledTimer>(*loop_, std::move(fired));
}

void EventLoop::post(std::function<void()> job) {
  loop_->post(std::move(job));
}

TimePoint EventLoop::now() {
  return local_now();
}

bool EventLoop::park(PendingSleep& sleep) {
  const TimePoint end = together(sleep);
  if (end <= local_now()) return false;
  loop_->sleeps[&sleep] = loop_->schedule(end, [this, &sleep] {
    loop_->sleeps.erase(&sleep);
    sleep.resume();
  });
  return true;
}

void EventLoop::wake(PendingSleep& sleep) {
  const auto parked = loop_->sleeps.find(&sleep);
  if (parked == loop_->sleeps.end()) return;
  auto resume = std::move(parked->second->second);
  loop_->unschedule(parked->second);
  parked->second = loop_->schedule(TimePoint(), std::move(resume));
}

}  // namespace interlock
