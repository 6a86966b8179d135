// A local queue, callers whose store grants every claim at once, and a clock that tests move.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interlock/local_queue.hpp"

namespace interlock {

using std::chrono::seconds;
using Turn = LocalWaiter::Turn;

inline const LockName name = *LockName::parse("deploy");
inline const Ttl ttl(seconds{10});

// Time stands still until somebody moves it; sleeps end when the test says so.
class ManualTime final : public TimeSource {
 public:
  TimePoint now() override { return now_; }
  bool park(PendingSleep& sleep) override {
    asleep_.push_back(&sleep);
    return true;
  }
  void wake(PendingSleep&) override {}

  void pass(Duration time) { now_ += time; }
  void wake_all() {
    const std::vector<PendingSleep*> asleep = std::exchange(asleep_, {});
    for (PendingSleep* sleep : asleep) sleep->resume();
  }

 private:
  TimePoint now_{seconds{100}};
  std::vector<PendingSleep*> asleep_;
};

// A caller whose store grants every claim at once.
class Asker final : public LocalWaiter {
 public:
  Asker(ManualTime& time,
        const std::string& token,
        Ttl lasts = ttl,
        std::shared_ptr<KeptGrant> keeps = nullptr)
      : LocalWaiter(lasts, nullptr, std::move(keeps)), time_(time), owner_(token), lasts_(lasts) {}
  void notify() override { ++called; }
  Task<Result<AcquireOutcome>> acquire_at_store(LockName of, AcquireOptions) override {
    ++asked;
    if (asks) asks(*this);
    if (fails) co_return Error(Errc::unavailable, "the store is gone");
    const TimePoint now = time_.now();
    if (offered) {
      co_return AcquireOutcome(Lease(of, owner_, FencingToken(100), lasts_, now, now + *offered,
                                     SafetyMargin(), tokens, others_queue));
    }
    co_return AcquireOutcome(
        Lease(of, owner_, FencingToken(100), lasts_, now, SafetyMargin(), tokens, others_queue));
  }
  Task<Result<ReleaseOutcome>> release_at_store(Lease lease) override {
    given_back.push_back(lease.owner().text());
    co_return ReleaseOutcome::released;
  }
  std::int64_t tokens = 3;
  bool others_queue = false;
  bool fails = false;
  std::optional<Duration> offered;   // the lease begins with an offer, and is that long
  std::function<void(Asker&)> asks;  // what happens meanwhile
  int called = 0;
  int asked = 0;
  std::vector<std::string> given_back;

 private:
  ManualTime& time_;
  OwnerToken owner_;
  Ttl lasts_;
};

class LocalQueue : public ::testing::Test {
 protected:
  static constexpr Duration within = milliseconds{2100};
  Task<Result<AcquireOutcome>> acquire(const std::shared_ptr<Asker>& waiter) {
    return client.acquire(waiter, name, AcquireOptions(ttl));
  }
  std::vector<Task<Result<AcquireOutcome>>> three_who_wait() {
    std::vector<Task<Result<AcquireOutcome>>> waits;
    for (const auto& waiter : {second, third, fourth}) {
      waits.push_back(acquire(waiter));
      waits.back().start();
    }
    return waits;
  }
  static HandOverPolicy policy() {
    HandOverPolicy policy;
    policy.sections = 3;
    policy.within = within;
    return policy;
  }
  ManualTime time;
  LocalQueues lines{policy()};
  LocalQueueClient client{lines, time};
  std::shared_ptr<Asker> first = std::make_shared<Asker>(time, "first");
  std::shared_ptr<Asker> second = std::make_shared<Asker>(time, "second");
  std::shared_ptr<Asker> third = std::make_shared<Asker>(time, "third");
  std::shared_ptr<Asker> fourth = std::make_shared<Asker>(time, "fourth");
};

}  // namespace interlock
