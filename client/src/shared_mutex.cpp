#include "interlock/shared_mutex.hpp"

#include <utility>

#include "interlock/detail/assert.hpp"
#include "interlock/lock_failure.hpp"

namespace interlock {

SharedMutex::SharedMutex(Client& client, LockName name, MutexOptions options)
    : client_(client), name_(name), options_(options), alone_(client, name, std::move(options)) {
  options_.shared = true;
  options_.permits.reset();
}

SharedMutex::SharedMutex(Client& client, std::string_view name, MutexOptions options)
    : SharedMutex(client, value_or_throw(LockName::parse(name)), std::move(options)) {}

SharedMutex::~SharedMutex() = default;

void SharedMutex::order_memory() noexcept {
  // A thread of the parent may have held it at the fork.
  if (client_.in_child()) return;
  const std::lock_guard lock(mutex_);
}

void SharedMutex::refuse_upgrade() {
  if (client_.in_child()) return;
  const std::lock_guard lock(mutex_);
  const auto mine = readers_.find(std::this_thread::get_id());
  if (mine == readers_.end() || mine->second.state() == LeaseState::lost) return;
  throw LockFailure(Error(
      Errc::invalid_argument,
      "acquiring '" + name_.text() + "': this thread reads it already: unlock_shared() first"));
}

bool SharedMutex::acquire_shared(std::optional<Duration> wait) {
  refuse_upgrade();
  if (!client_.in_child()) alone_.refuse_second_lock();
  LockOptions options = options_;
  options.wait = wait;
  AcquireResult result = client_.acquire(name_, std::move(options));
  if (const Error* const error = result.error()) throw LockFailure(*error);
  if (!result) return false;
  const std::lock_guard lock(mutex_);
  // A section before of this thread was lost, or the thread has broken the contract.
  readers_.insert_or_assign(std::this_thread::get_id(), *std::move(result));
  return true;
}

void SharedMutex::unlock_shared() noexcept {
  // The mutex is the parent's, and a thread of the parent may have held mutex_ at the fork.
  if (client_.in_child()) return;
  // The destructor of this guard releases and reports; by then the next thread may read.
  std::map<std::thread::id, Guard>::node_type ending;
  const std::lock_guard lock(mutex_);
  ending = readers_.extract(std::this_thread::get_id());
}

Guard& SharedMutex::shared_guard() {
  // A thread of the parent may have held mutex_ at the fork.
  if (client_.in_child()) {
    detail::misused("SharedMutex::shared_guard() in a child of fork(): the mutex is its parent's");
  }
  const std::lock_guard lock(mutex_);
  const auto mine = readers_.find(std::this_thread::get_id());
  if (mine == readers_.end()) {
    detail::misused(
        "SharedMutex::shared_guard() of a mutex that this thread does not read: call lock_shared() "
        "first, on the same thread");
  }
  return mine->second;
}

}  // namespace interlock
