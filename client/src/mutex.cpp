#include "interlock/mutex.hpp"

#include <algorithm>

#include "client_core.hpp"
#include "interlock/detail/assert.hpp"

namespace interlock {

Mutex::Mutex(Client& client, LockName name, MutexOptions options)
    : client_(client),
      name_(std::move(name)),
      options_(std::move(options)),
      kept_(options_.keep && client.core_->may_keep(options_) ? std::make_shared<KeptLease>()
                                                              : nullptr) {}

// It uses the client only if its lease does: the client may be gone, in breach of the contract.
Mutex::~Mutex() {
  if (!kept_ || !guard_ || !guard_->held_ || guard_->held_->in_child()) return;
  if (kept_->begin_section(local_now()) != KeptGrant::Begins::no) {
    guard_->held_->begin_section(kept_->section());  // the guard's destructor releases it
  } else if (kept_->was_taken()) {
    guard_->held_.reset();
  }
}

void Mutex::lock() {
  acquire(std::nullopt);
}

bool Mutex::try_lock() {
  return acquire(Duration::zero());
}

Guard& Mutex::guard() {
  const bool is_held = !kept_ || holder_.load(std::memory_order_relaxed) != std::thread::id();
  if (!guard_ || !is_held) {
    detail::misused("Mutex::guard() of a mutex that nobody holds: call lock() first");
  }
  return *guard_;
}

bool Mutex::acquire(std::optional<Duration> wait) {
  return (kept_ && begin_kept_section()) || acquire_at_client(wait);
}

bool Mutex::begin_kept_section() {
  if (!kept_->is_kept() || client_.in_child() || options_.stop.stop_requested()) return false;
  const KeptGrant::Begins begins = kept_->begin_section(local_now());
  if (begins == KeptGrant::Begins::no) return false;
  // From here on the grant is this thread's, and so is guard_.
  ActiveLease& lease = *guard_->held_;
  if (begins == KeptGrant::Begins::too_late) {
    lease.begin_section(kept_->section());
    const std::lock_guard lock(handing_over_);
    guard_.reset();
    return false;
  }
  const Client::Core& core = *client_.core_;
  core.report([&] { return Event(EventKind::released, lease.lease_of_section()); });
  lease.begin_section(kept_->section());
  core.report([&] { return Event(EventKind::acquired, lease.lease_of_section()); });
  holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  return true;
}

bool Mutex::acquire_at_client(std::optional<Duration> wait) {
  LockOptions options = options_;
  options.wait = wait ? std::optional(std::max(*wait, Duration::zero())) : std::nullopt;
  AcquireResult result = client_.core_->acquire(name_, options, kept_);
  if (const Error* error = result.error()) throw LockFailure(*error);
  if (!result) return false;
  const std::lock_guard lock(handing_over_);
  guard_.emplace(*std::move(result));
  if (kept_) {
    kept_->set(guard_->held_);
    holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  return true;
}

void Mutex::unlock() noexcept {
  // Its parent holds it, and some thread of its may have held handing_over_ at the fork.
  if (client_.in_child()) return;
  // If the lease was lost, another thread may hold the mutex by now, and change guard_.
  if (kept_ && holder_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    holder_.store(std::thread::id(), std::memory_order_relaxed);
    // Unless the user has moved the guard away.
    if (guard_ && guard_->held_ && kept_->holds(guard_->held_) && kept_->keep()) return;
  }
  std::optional<Guard> ending;
  {
    const std::lock_guard lock(handing_over_);
    ending.swap(guard_);
  }
  // The guard's destructor releases and tells; by then the next holder may use guard_.
}

}  // namespace interlock
