// A loop without a thread, whose time passes when a test says so.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "interlock/store/reactor.hpp"

namespace interlock::test {

class ManualLoop final : public Reactor {
 public:
  Result<std::unique_ptr<Watch>> watch(int, std::function<void(bool, bool)>) override {
    return Error(Errc::unavailable, "no descriptors here");
  }
  std::unique_ptr<Timer> timer(std::function<void()> fired) override {
    return std::make_unique<ManualTimer>(*this, std::move(fired));
  }
  void post(std::function<void()> job) override {
    ++posted;
    jobs_.push_back(std::move(job));
  }
  TimePoint now() override { return now_; }

  // Runs what was posted, and whatever falls due until then, in order.
  void run_until(TimePoint end) {
    run_jobs();
    while (ManualTimer* const next = next_timer(end)) {
      now_ = std::max(now_, *next->due);
      next->due.reset();
      next->fired();
      run_jobs();
    }
    now_ = end;
  }

  int posted = 0;

 private:
  class ManualTimer final : public Timer {
   public:
    ManualTimer(ManualLoop& loop, std::function<void()> then)
        : fired(std::move(then)), loop_(loop) {
      loop_.timers_.push_back(this);
    }
    ~ManualTimer() override { std::erase(loop_.timers_, this); }
    void arm(Duration delay) override { due = loop_.now() + delay; }
    void disarm() override { due.reset(); }

    const std::function<void()> fired;
    std::optional<TimePoint> due;

   private:
    ManualLoop& loop_;
  };

  void run_jobs() {
    for (const auto& job : std::exchange(jobs_, {})) job();
  }
  // Null: none is due by then.
  ManualTimer* next_timer(TimePoint end) {
    ManualTimer* next = nullptr;
    for (ManualTimer* const timer : timers_) {
      if (!timer->due || *timer->due > end) continue;
      if (next == nullptr || *timer->due < *next->due) next = timer;
    }
    return next;
  }

  TimePoint now_{std::chrono::seconds{100}};
  std::vector<std::function<void()>> jobs_;
  std::vector<ManualTimer*> timers_;
};

}  // namespace interlock::test
