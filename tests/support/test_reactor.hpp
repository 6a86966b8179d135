// An event loop over poll(2), as small as a Reactor can be, for tests of stores. Everything runs
// inside run_until().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "interlock/posix/eventfd.hpp"
#include "interlock/store/reactor.hpp"

namespace interlock::test {

class TestReactor final : public Reactor {
 public:
  TestReactor();
  ~TestReactor() override;

  Result<std::unique_ptr<Watch>> watch(
      int descriptor, std::function<void(bool readable, bool writable)> ready) override;
  std::unique_ptr<Timer> timer(std::function<void()> fired) override;
  void post(std::function<void()> job) override;
  TimePoint now() override;

  // Turns the loop until `done`; false: `limit` came first.
  bool run_until(const std::function<bool()>& done, Duration limit = std::chrono::seconds{30});
  // Turns the loop for that long, and then until nothing is left that could be done at once: a
  // machine that stands still meanwhile leaves nothing undone.
  void run_for(Duration duration);

 private:
  class PollWatch;
  class PollTimer;
  // Whether a descriptor was ready.
  bool turn(Duration longest);
  void run_jobs();
  void run_timers();
  Duration until_next_timer(Duration longest);

  posix::Eventfd wake_;
  std::map<std::uint64_t, PollWatch*> watches_;
  std::map<std::uint64_t, PollTimer*> timers_;
  std::uint64_t last_id_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;  // under mutex_
};

}  // namespace interlock::test
