// The lines of a client's threads.
#pragma once

#include <memory>
#include <mutex>

#include "interlock/local_line.hpp"

namespace interlock {

// Any thread.
class SharedLines final : public LocalLines {
 public:
  using LocalLines::LocalLines;
  void join(const LockName& name, std::shared_ptr<LineWaiter> waiter) override;
  LineWaiter::Turn turn_of(const LineWaiter& waiter) override;
  bool leave(const LockName& name, const LineWaiter& waiter) override;
  void granted(const Lease& lease, LineWaiter& leader, TimePoint now) override;
  Called hand_over(const Lease& over, TimePoint now) override;
  Called pass_on_early(const LockName& name) override;
  Called pass_on(const LockName& name) override;
  bool was_alone(const LockName& name) const override;
  void lead(const LockName& name, LineWaiter& waiter) override;

 private:
  mutable std::mutex mutex_;
};

}  // namespace interlock
