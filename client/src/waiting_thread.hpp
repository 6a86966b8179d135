// The clock of a thread that waits for others of its process.
#pragma once

#include <condition_variable>
#include <mutex>

#include "interlock/local_clock.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

// Sleeping blocks the thread until notify(), which any thread may send; one that comes before the
// sleep ends it at once.
class WaitingThread final : public TimeSource {
 public:
  TimePoint now() override { return local_now(); }
  bool park(PendingSleep& sleep) override;
  void wake(PendingSleep&) override { notify(); }
  void notify();

 private:
  std::mutex mutex_;
  std::condition_variable called_;
  bool was_called_ = false;
};

}  // namespace interlock
