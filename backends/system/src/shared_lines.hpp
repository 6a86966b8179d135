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
  Called granted(const Lease& lease, LineWaiter& leader, TimePoint now) override;
  Called got_nothing(const LockName& name) override;
  HandedOver hand_over(const Lease& over, TimePoint now) override;
  Called pass_on(const Lease& held, Section section) override;
  std::int64_t sections_left(const LockName& name) const override;
  void ask_anew(const Lease& given_back, const std::shared_ptr<LineWaiter>& waiter) override;

 private:
  mutable std::mutex mutex_;
};

}  // namespace interlock
