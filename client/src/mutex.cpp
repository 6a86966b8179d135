#include "interlock/mutex.hpp"

#include <algorithm>
#include <thread>

#include "client_core.hpp"
#include "interlock/detail/assert.hpp"

namespace interlock {

// What one thread has between lock() and unlock(). While its grant is kept it is no thread's.
class Mutex::ThreadSection {
 public:
  explicit ThreadSection(bool keeps) : kept(keeps ? std::make_shared<KeptLease>() : nullptr) {}
  bool is_mine() const noexcept {
    return holder.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  bool keep() noexcept {
    // Unless the user has shared the guard, or moved it away.
    if (guard.held_ && guard.held_->is_shared()) return false;
    return kept && guard.held_ && kept->holds(guard.held_) && kept->keep();
  }
  // For the destructor of the mutex, and under handing_over_. The caller that took the grant
  // releases it.
  void forget_if_taken() noexcept {
    if (kept && kept->was_taken()) guard.held_.reset();
  }

  const std::shared_ptr<KeptLease> kept;  // null: the mutex does not keep its grants
  Guard guard{std::shared_ptr<ActiveLease>()};
  // A thread finds its own sections by it; it is none while the grant is kept.
  std::atomic<std::thread::id> holder;
  bool is_free = false;  // guarded by handing_over_
  ThreadSection* next = nullptr;
};

namespace {

MutexOptions alone(MutexOptions options) {
  options.shared = false;
  options.permits.reset();
  return options;
}

}  // namespace

Mutex::Mutex(Client& client, LockName name, MutexOptions options)
    : client_(client),
      name_(std::move(name)),
      options_(alone(std::move(options))),
      keeps_(options_.keep && client.core_->may_keep(options_)) {
  if (keeps_ && !client.in_child()) client.core_->listen_for_recalls();
}

Mutex::Mutex(Client& client, std::string_view name, MutexOptions options)
    : Mutex(client, value_or_throw(LockName::parse(name)), std::move(options)) {}

// Uses the client only through its leases: the client may be gone, in breach of the contract.
Mutex::~Mutex() {
  for (ThreadSection* section = sections_.load(std::memory_order_acquire); section != nullptr;) {
    const std::unique_ptr<ThreadSection> ending(section);
    section = section->next;
    const Guard& guard = ending->guard;  // its destructor releases what is held
    if (!ending->kept || !guard.held_ || guard.held_->in_child()) continue;
    // From here on nobody else releases a kept grant.
    if (ending->kept->begin_section(TimePoint::max()) == KeptGrant::Begins::no) {
      ending->forget_if_taken();
    }
  }
}

void Mutex::lock() {
  acquire(std::nullopt);
}

bool Mutex::try_lock() {
  return acquire(Duration::zero());
}

Guard& Mutex::guard() {
  ThreadSection* const mine = own_section();
  if (mine == nullptr) {
    detail::misused(
        "Mutex::guard() of a mutex that this thread does not hold: call lock() first, on the same "
        "thread");
  }
  return mine->guard;
}

bool Mutex::acquire(std::optional<Duration> wait) {
  return (keeps_ && begin_kept_section()) || acquire_at_client(wait);
}

// --- sections ------------------------------------------------------------------------------------

// Only this thread makes a section its own, and only this thread ends that.
Mutex::ThreadSection* Mutex::own_section() noexcept {
  ThreadSection* const latest = latest_.load(std::memory_order_acquire);
  if (latest == nullptr || latest->is_mine()) return latest;
  // Another thread has locked the mutex since: the lease was lost, or released through its guard.
  ThreadSection* section = sections_.load(std::memory_order_acquire);
  while (section != nullptr && !section->is_mine()) section = section->next;
  return section;
}

Mutex::ThreadSection& Mutex::free_section() {
  const std::lock_guard lock(handing_over_);
  ThreadSection* const first = sections_.load(std::memory_order_relaxed);
  for (ThreadSection* section = first; section != nullptr; section = section->next) {
    const bool was_taken = section->kept && section->kept->is_done();
    if (!section->is_free && !was_taken) continue;
    section->forget_if_taken();
    section->is_free = false;
    if (section->kept) section->kept->begin_use();
    return *section;
  }
  auto added = std::make_unique<ThreadSection>(keeps_);
  added->next = first;
  sections_.store(added.get(), std::memory_order_release);
  return *added.release();
}

void Mutex::begin(ThreadSection& section) noexcept {
  // The lease of the section before was lost or released, or this thread could not have locked the
  // mutex again.
  ThreadSection* const before = own_section();
  section.holder.store(std::this_thread::get_id(), std::memory_order_relaxed);
  if (before == nullptr) return;
  before->holder.store(std::thread::id(), std::memory_order_relaxed);
  end(*before);
}

void Mutex::end(ThreadSection& section) noexcept {
  // The destructor of this guard releases and reports; by then the next thread may use the section.
  std::optional<Guard> ending;
  const std::lock_guard lock(handing_over_);
  ending.emplace(std::move(section.guard));
  section.is_free = true;
}

// --- lock and unlock -----------------------------------------------------------------------------

bool Mutex::begin_kept_section() {
  ThreadSection* const latest = latest_.load(std::memory_order_acquire);
  if (latest == nullptr || !latest->kept->is_kept() || client_.in_child()) return false;
  Client::Core& core = *client_.core_;
  if (options_.stop.stop_requested() || core.loop().on_loop_thread()) return false;
  const KeptGrant::Begins begins = latest->kept->begin_section(local_now());
  if (begins == KeptGrant::Begins::no) return false;
  // From here on the grant is this thread's, and so is the section.
  if (begins == KeptGrant::Begins::too_late) {
    end(*latest);
    return false;
  }
  ActiveLease& lease = *latest->guard.held_;
  core.report_hold_ended(lease);
  core.report([&] { return Event(EventKind::released, lease.lease_of_section()); });
  lease.begin_section(latest->kept->section());
  core.report([&] { return Event(EventKind::acquired, lease.lease_of_section()); });
  begin(*latest);
  return true;
}

// It would wait for itself. If its lease was lost, or its guard was moved away or released, it may.
void Mutex::refuse_second_lock() {
  ThreadSection* const mine = own_section();
  if (mine == nullptr || mine->guard.state() == LeaseState::lost) return;
  throw LockFailure(
      Error(Errc::invalid_argument,
            "acquiring '" + name_.text() + "': this thread has locked it already: unlock() first"));
}

bool Mutex::acquire_at_client(std::optional<Duration> wait) {
  LockOptions options = options_;
  options.wait = wait ? std::optional(std::max(*wait, Duration::zero())) : std::nullopt;
  // Some thread of the parent may have held handing_over_ at the fork.
  if (client_.in_child()) throw LockFailure(*client_.core_->acquire(name_, options).error());
  refuse_second_lock();
  ThreadSection& section = free_section();
  try {
    AcquireResult result = client_.core_->acquire(name_, options, section.kept);
    if (const Error* error = result.error()) throw LockFailure(*error);
    if (!result) {
      end(section);
      return false;
    }
    const std::lock_guard lock(handing_over_);
    section.guard = *std::move(result);
  } catch (...) {
    end(section);
    throw;
  }
  if (keeps_) section.kept->set(section.guard.held_);
  begin(section);
  latest_.store(&section, std::memory_order_release);
  return true;
}

void Mutex::unlock() noexcept {
  // The mutex is the parent's, and a thread of the parent may have held handing_over_ at the fork.
  if (client_.in_child()) return;
  ThreadSection* const mine = own_section();
  if (mine == nullptr) return;
  mine->holder.store(std::thread::id(), std::memory_order_relaxed);
  if (!mine->keep()) end(*mine);
}

}  // namespace interlock
