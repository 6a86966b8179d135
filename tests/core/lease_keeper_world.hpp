// A LeaseKeeper in a scripted world, and a listener that writes down what it is told and when.
#pragma once

#include <gtest/gtest.h>

#include "scripted_world.hpp"

namespace interlock::scripted {

class RecordingListener final : public LeaseListener {
 public:
  explicit RecordingListener(FakeTime& time) : time_(time) {}

  void on_renewed(const Lease&, Duration took) override {
    note("renewed");
    last_took = took;
  }
  void on_at_risk(const Lease&) override { note("at risk"); }
  void on_lost(const Lease&, LossReason why) override {
    note("lost");
    lost_at = time_.now();
    reason = why;
    if (when_lost) when_lost();
  }
  void on_renewal_error(const Lease&, const Error&) override { note("error"); }

  int count(std::string_view word) const {
    return static_cast<int>(std::count(told.begin(), told.end(), word));
  }

  std::vector<std::string> told;
  std::optional<TimePoint> lost_at;
  std::optional<LossReason> reason;
  Duration last_took{0};
  std::function<void()> when_lost;
  std::function<void(std::string_view)> when_told;

 private:
  void note(const char* word) {
    told.emplace_back(word);
    if (when_told) when_told(word);
  }

  FakeTime& time_;
};

// A lease of 1000 ms, of which 900 ms are certain: renewed at 300, at risk at 600, lost at 900.
class KeeperWorld {
 public:
  static SafetyMargin margin() { return SafetyMargin(50'000, milliseconds{50}); }

  KeeperWorld() {
    const auto outcome =
        run(lock.try_acquire(lock_name("deploy"), OwnerToken("il1:me"), ttl_of(1000)));
    began = time.now();
    keeper.emplace(lock, time, listener, std::get<Lease>(outcome.value()));
  }
  KeeperWorld(const KeeperWorld&) = delete;
  KeeperWorld& operator=(const KeeperWorld&) = delete;

  void start() {
    renewing.emplace(keeper->renew());
    watching.emplace(keeper->watch());
    renewing->start();
    watching->start();
  }
  bool done() const { return renewing->done() && watching->done(); }

  std::optional<std::string> holder() { return store.text_at("deploy"); }
  int renewals() const { return store.count(OperationKind::renew); }
  Duration since_began() { return time.now() - began; }

  void other_takes() {
    Operation operation(OperationKind::claim, Key("deploy"));
    operation.value = "il1:other";
    operation.ttl = milliseconds{1000};
    static_cast<void>(store.carry_out(operation));
  }

  FakeTime time;
  ScriptedStore store{time};
  LeaseLock lock{store, time, margin()};
  RecordingListener listener{time};
  TimePoint began;
  std::optional<LeaseKeeper> keeper;
  std::optional<Task<void>> renewing;
  std::optional<Task<void>> watching;
};

}  // namespace interlock::scripted
