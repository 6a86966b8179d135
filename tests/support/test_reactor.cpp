#include "support/test_reactor.hpp"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "interlock/posix/clock.hpp"

namespace interlock::test {

// Callbacks are copied before they are called, so that they may destroy what they belong to.
class TestReactor::PollWatch final : public Reactor::Watch {
 public:
  PollWatch(TestReactor& reactor, int descriptor, std::function<void(bool, bool)> on_ready)
      : ready(std::make_shared<std::function<void(bool, bool)>>(std::move(on_ready))),
        polled{descriptor, 0, 0},
        reactor_(reactor),
        id_(++reactor.last_id_) {
    reactor_.watches_.emplace(id_, this);
  }
  ~PollWatch() override { reactor_.watches_.erase(id_); }
  void interest(bool readable, bool writable) override {
    polled.events = static_cast<short>((readable ? POLLIN : 0) | (writable ? POLLOUT : 0));
  }

  std::shared_ptr<std::function<void(bool, bool)>> ready;
  pollfd polled;

 private:
  TestReactor& reactor_;
  std::uint64_t id_;
};

class TestReactor::PollTimer final : public Reactor::Timer {
 public:
  PollTimer(TestReactor& reactor, std::function<void()> on_fired)
      : fired(std::make_shared<std::function<void()>>(std::move(on_fired))),
        reactor_(reactor),
        id_(++reactor.last_id_) {
    reactor_.timers_.emplace(id_, this);
  }
  ~PollTimer() override { reactor_.timers_.erase(id_); }
  void arm(Duration delay) override { when = reactor_.now() + delay; }
  void disarm() override { when.reset(); }

  std::shared_ptr<std::function<void()>> fired;
  std::optional<TimePoint> when;

 private:
  TestReactor& reactor_;
  std::uint64_t id_;
};

TestReactor::TestReactor() : wake_(posix::Eventfd::open()) {}

TestReactor::~TestReactor() = default;

Result<std::unique_ptr<Reactor::Watch>> TestReactor::watch(int descriptor,
                                                           std::function<void(bool, bool)> ready) {
  return std::unique_ptr<Watch>(std::make_unique<PollWatch>(*this, descriptor, std::move(ready)));
}

std::unique_ptr<Reactor::Timer> TestReactor::timer(std::function<void()> fired) {
  return std::make_unique<PollTimer>(*this, std::move(fired));
}

void TestReactor::post(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  wake_.notify();
}

TimePoint TestReactor::now() {
  return posix::local_now();
}

void TestReactor::run_jobs() {
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
    static_cast<void>(wake_.take());
  }
  for (const auto& job : jobs) job();
}

void TestReactor::run_timers() {
  const TimePoint present = now();
  std::vector<std::uint64_t> due;
  for (const auto& [id, timer] : timers_) {
    if (timer->when && *timer->when <= present) due.push_back(id);
  }
  for (const std::uint64_t id : due) {
    const auto found = timers_.find(id);
    if (found == timers_.end() || !found->second->when || *found->second->when > present) continue;
    found->second->when.reset();
    const auto fired = found->second->fired;
    (*fired)();
  }
}

Duration TestReactor::until_next_timer(Duration longest) {
  const TimePoint present = now();
  for (const auto& [id, timer] : timers_) {
    if (timer->when) longest = std::min(longest, *timer->when - present);
  }
  return std::max(longest, Duration::zero());
}

bool TestReactor::turn(Duration longest) {
  std::vector<pollfd> polled{{wake_.descriptor(), POLLIN, 0}};
  std::vector<std::uint64_t> ids{0};
  for (const auto& [id, watch] : watches_) {
    if (watch->polled.events == 0) continue;
    polled.push_back(watch->polled);
    ids.push_back(id);
  }
  const auto limit = std::chrono::ceil<milliseconds>(until_next_timer(longest));
  const int ready_now = poll(polled.data(), polled.size(), static_cast<int>(limit.count()));
  for (std::size_t index = 1; index < polled.size(); ++index) {
    const auto found = watches_.find(ids[index]);
    const short happened = polled[index].revents;
    if (happened == 0 || found == watches_.end()) continue;
    const bool broken = (happened & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    const auto ready = found->second->ready;
    (*ready)(broken || (happened & POLLIN) != 0, broken || (happened & POLLOUT) != 0);
  }
  run_timers();
  run_jobs();
  return ready_now > 0;
}

bool TestReactor::run_until(const std::function<bool()>& done, Duration limit) {
  const TimePoint end = now() + limit;
  while (!done()) {
    if (now() >= end) return false;
    turn(end - now());
  }
  return true;
}

void TestReactor::run_for(Duration duration) {
  static_cast<void>(run_until([] { return false; }, duration));
  for (int turns = 0; turns < 100 && turn(Duration::zero());) ++turns;
}

}  // namespace interlock::test
