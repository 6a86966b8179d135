#include "interlock/event_loop.hpp"

#include <sys/timerfd.h>
#include <unistd.h>
#include <uv.h>

#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interlock/detail/assert.hpp"
#include "interlock/local_clock.hpp"
#include "quiet_thread.hpp"

namespace interlock {
namespace {

// What fires, by instant. libuv's own timers count whole milliseconds of a clock that stands still
// while the machine sleeps; a lease does not.
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

// Timer slack of some tens of microseconds is what the kernel gives by default; nothing to add.
itimerspec at_instant(TimePoint instant) {
  const auto since_boot = instant.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  itimerspec when{};
  when.it_value.tv_sec = seconds.count();
  when.it_value.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
  // All zero would disarm it.
  if (when.it_value.tv_sec <= 0 && when.it_value.tv_nsec <= 0) when.it_value = {0, 1};
  return when;
}

}  // namespace

class EventLoop::Loop {
 public:
  Loop();
  ~Loop();

  void post(std::function<void()> job);
  bool on_thread() const noexcept { return thread_.get_id() == std::this_thread::get_id(); }

  Schedule::iterator schedule(TimePoint instant, std::function<void()> fire);
  void unschedule(Schedule::iterator entry) { schedule_.erase(entry); }

  uv_loop_t uv{};
  std::unordered_map<const PendingSleep*, Schedule::iterator> sleeps;

 private:
  void run_jobs();
  void about_to_wait();
  void fire_due();
  void arm();

  uv_async_t posted_{};
  uv_prepare_t before_waiting_{};
  uv_poll_t clock_{};
  int timer_descriptor_ = -1;
  Schedule schedule_;
  std::optional<TimePoint> armed_;

  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;

  std::thread thread_;
};

EventLoop::Loop::Loop() {
  INTERLOCK_ASSERT(uv_loop_init(&uv) == 0);
  uv.data = this;
  const auto on_posted = [](uv_async_t* handle) {
    static_cast<Loop*>(handle->loop->data)->run_jobs();
  };
  INTERLOCK_ASSERT(uv_async_init(&uv, &posted_, on_posted) == 0);
  const auto on_waiting = [](uv_prepare_t* handle) {
    static_cast<Loop*>(handle->loop->data)->about_to_wait();
  };
  INTERLOCK_ASSERT(uv_prepare_init(&uv, &before_waiting_) == 0);
  INTERLOCK_ASSERT(uv_prepare_start(&before_waiting_, on_waiting) == 0);
  timer_descriptor_ = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  INTERLOCK_ASSERT(timer_descriptor_ >= 0);
  INTERLOCK_ASSERT(uv_poll_init(&uv, &clock_, timer_descriptor_) == 0);
  const auto on_clock = [](uv_poll_t* handle, int, int) {
    static_cast<Loop*>(handle->loop->data)->fire_due();
  };
  INTERLOCK_ASSERT(uv_poll_start(&clock_, UV_READABLE, on_clock) == 0);
  thread_ = quiet_thread([this] { uv_run(&uv, UV_RUN_DEFAULT); });
}

EventLoop::Loop::~Loop() {
  INTERLOCK_ASSERT(!on_thread());
  post([this] {
    uv_close(reinterpret_cast<uv_handle_t*>(&posted_), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&before_waiting_), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&clock_), nullptr);
  });
  thread_.join();
  INTERLOCK_ASSERT(schedule_.empty());
  INTERLOCK_ASSERT(uv_loop_close(&uv) == 0);
  close(timer_descriptor_);
}

void EventLoop::Loop::post(std::function<void()> job) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = jobs_.empty();
    jobs_.push_back(std::move(job));
  }
  // The loop's own thread looks before it waits again, and needs no system call to be woken.
  if (first && !on_thread()) uv_async_send(&posted_);
}

// What these jobs post in turn comes after the descriptors that are ready.
void EventLoop::Loop::about_to_wait() {
  run_jobs();
  const std::lock_guard lock(mutex_);
  if (!jobs_.empty()) uv_async_send(&posted_);
}

void EventLoop::Loop::run_jobs() {
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
  }
  for (auto& job : jobs) job();
}

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
  timerfd_settime(timer_descriptor_, TFD_TIMER_ABSTIME, &when, nullptr);
}

void EventLoop::Loop::fire_due() {
  std::uint64_t expirations = 0;
  static_cast<void>(read(timer_descriptor_, &expirations, sizeof expirations));
  armed_.reset();
  // What becomes due while these run waits for the next turn, so that descriptors get theirs.
  const TimePoint due = local_now();
  while (!schedule_.empty() && schedule_.begin()->first <= due) {
    auto node = schedule_.extract(schedule_.begin());
    node.mapped()();
  }
  if (!armed_) arm();
}

// ---------------------------------------------------------------------------------------------

namespace {

class UvWatch final : public Reactor::Watch {
 public:
  UvWatch(uv_loop_t& loop, int descriptor, std::function<void(bool, bool)> ready)
      : handle_(new Handle{{}, std::move(ready)}) {
    INTERLOCK_ASSERT(uv_poll_init(&loop, &handle_->poll, descriptor) == 0);
    handle_->poll.data = handle_;
  }
  ~UvWatch() override {
    uv_poll_stop(&handle_->poll);
    // libuv keeps the handle until its next turn, and the callback may be on the stack right now.
    uv_close(reinterpret_cast<uv_handle_t*>(&handle_->poll),
             [](uv_handle_t* closed) { delete static_cast<Handle*>(closed->data); });
  }
  UvWatch(const UvWatch&) = delete;
  UvWatch& operator=(const UvWatch&) = delete;

  void interest(bool readable, bool writable) override {
    const int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
    if (events == events_) return;
    events_ = events;
    if (events == 0) {
      uv_poll_stop(&handle_->poll);
    } else {
      uv_poll_start(&handle_->poll, events, on_ready);
    }
  }

 private:
  struct Handle {
    uv_poll_t poll;
    std::function<void(bool, bool)> ready;
  };

  static void on_ready(uv_poll_t* poll, int status, int events) {
    const bool broken = status < 0;
    static_cast<Handle*>(poll->data)
        ->ready(broken || (events & UV_READABLE) != 0, broken || (events & UV_WRITABLE) != 0);
  }

  Handle* handle_;
  int events_ = 0;
};

// Sleeps with the same slack end at multiples of it: one wake-up for all that end in between.
TimePoint together(const PendingSleep& sleep) {
  if (sleep.slack() <= Duration::zero()) return sleep.until();
  return sleep.until() - sleep.until().time_since_epoch() % sleep.slack();
}

}  // namespace

EventLoop::EventLoop() : loop_(std::make_unique<Loop>()) {}
EventLoop::~EventLoop() = default;

bool EventLoop::on_loop_thread() const noexcept {
  return loop_->on_thread();
}

void EventLoop::spawn(Task<void> task, std::function<void(std::exception_ptr)> done) {
  // std::function wants copies; a task has one owner.
  auto shared = std::make_shared<Task<void>>(std::move(task));
  post([shared, done = std::move(done)] { run_detached(std::move(*shared), done); });
}

std::unique_ptr<Reactor::Watch> EventLoop::watch(int descriptor,
                                                 std::function<void(bool, bool)> ready) {
  return std::make_unique<UvWatch>(loop_->uv, descriptor, std::move(ready));
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
