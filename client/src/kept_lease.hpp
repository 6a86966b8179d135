// What a Mutex keeps between two sections.
#pragma once

#include <memory>
#include <utility>

#include "active_lease.hpp"
#include "interlock/kept_grant.hpp"

namespace interlock {

class KeptLease final : public KeptGrant {
 public:
  // By the thread that has a section of the lease, before the first keep().
  void set(std::shared_ptr<ActiveLease> lease) { lease_ = std::move(lease); }
  // For the thread that has the section, or has closed this while it was kept.
  std::shared_ptr<ActiveLease> lease() const noexcept { return lease_; }
  // For the thread that has the section.
  bool holds(const std::shared_ptr<ActiveLease>& lease) const noexcept { return lease_ == lease; }
  void on_taken(Fate fate) override;

 private:
  std::shared_ptr<ActiveLease> lease_;
};

}  // namespace interlock
