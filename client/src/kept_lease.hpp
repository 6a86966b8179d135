// The lease that a Mutex keeps between two sections.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "active_lease.hpp"
#include "interlock/kept_grant.hpp"

namespace interlock {

class KeptLease final : public KeptGrant {
 public:
  // For the thread that has a section of the lease, before the first keep().
  void set(std::shared_ptr<ActiveLease> lease) { lease_ = std::move(lease); }
  // For the caller that has closed this while it was kept, once: it releases the lease.
  std::shared_ptr<ActiveLease> take() noexcept;
  // For the thread that has the section.
  bool holds(const std::shared_ptr<ActiveLease>& lease) const noexcept { return lease_ == lease; }
  void on_taken(Fate fate) override;
  // Any thread. True: the caller that closed this while it was kept has finished with it. Then this
  // object may serve another grant; call begin_use() first.
  bool is_done() const noexcept { return is_done_.load(std::memory_order_acquire); }
  void begin_use() noexcept { is_done_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_done_ = false;
  std::shared_ptr<ActiveLease> lease_;
};

}  // namespace interlock
