#include "interlock/event_loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "interlock/local_clock.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/posix/failure.hpp"
#include "interlock/posix/fork.hpp"
#include "loop.hpp"
#include "refuse_empty.hpp"

namespace interlock {
namespace {

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

}  // namespace

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

Result<std::unique_ptr<EventLoop>> EventLoop::open_as(Turned turned) {
  auto loop = Loop::start(turned);
  if (!loop) return std::move(loop).error();
  return std::unique_ptr<EventLoop>(new EventLoop(*std::move(loop)));
}

Result<std::unique_ptr<EventLoop>> EventLoop::open() {
  return open_as(Turned::by_its_thread);
}

Result<std::unique_ptr<EventLoop>> EventLoop::open_without_thread() {
  return open_as(Turned::by_the_program);
}

EventLoop::EventLoop() {
  auto loop = Loop::start(Turned::by_its_thread);
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

int EventLoop::descriptor() const noexcept {
  return loop_->descriptor();
}

bool EventLoop::has_thread() const noexcept {
  return loop_->has_thread();
}

bool EventLoop::in_turn() const noexcept {
  return loop_->in_turn();
}

void EventLoop::turn() noexcept {
  loop_->turn(0);
}

bool EventLoop::turn_until(const std::function<bool()>& ended, std::optional<Duration> limit) {
  constexpr Duration looks_after = milliseconds{10};
  const TimePoint began = local_now();
  while (!ended()) {
    const Duration left = limit ? *limit - (local_now() - began) : looks_after;
    if (left <= Duration::zero()) return false;
    const auto wait = std::chrono::ceil<milliseconds>(std::min(left, looks_after));
    if (has_thread() || loop_->in_child()) {
      std::this_thread::sleep_for(wait);
    } else {
      loop_->turn(static_cast<int>(wait.count()));
    }
  }
  return true;
}

void EventLoop::spawn(Task<void> task, std::function<void(std::exception_ptr)> done) {
  if (!task) detail::moved_task_used();
  // std::function wants copies; a task has one owner.
  auto shared = std::make_shared<Task<void>>(std::move(task));
  post([shared, done = std::move(done)] { run_detached(std::move(*shared), done); });
}

Result<std::unique_ptr<Reactor::Watch>> EventLoop::watch(int descriptor,
                                                         std::function<void(bool, bool)> ready) {
  refuse_empty(ready, "watch()");
  if (loop_->in_child()) return posix::used_in_child("cannot watch a descriptor", "the event loop");
  auto source = std::make_unique<Loop::Source>(descriptor, std::move(ready));
  if (const int error = loop_->open(*source)) {
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
    std::optional<Loop::Schedule::iterator> entry_;
  };
  refuse_empty(fired, "timer()");
  return std::make_unique<ScheduledTimer>(*loop_, std::move(fired));
}

void EventLoop::post(std::function<void()> job) {
  refuse_empty(job, "post()");
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
