// The clock of a calling thread.
#pragma once

#include "interlock/time_source.hpp"

namespace interlock {

// Sleeping blocks the thread.
class BlockingTime final : public TimeSource {
 public:
  TimePoint now() override;
  bool park(PendingSleep& sleep) override;
  void wake(PendingSleep&) override {}
};

}  // namespace interlock
