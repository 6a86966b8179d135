#include "unfinished_releases.hpp"

#include <utility>

#include "interlock/local_clock.hpp"

namespace interlock {

void UnfinishedReleases::add(LockKind kind, Lease lease) {
  {
    const std::lock_guard lock(mutex_);
    ++count_;
    last_added_ = local_now();
  }
  tasks_.spawn(finish(kind, std::move(lease)));
}

Task<void> UnfinishedReleases::finish(LockKind kind, Lease lease) {
  Cancellation cancellation;
  if (has_ended_) cancellation.request();
  const auto place = under_way_.insert(under_way_.end(), &cancellation);
  co_await kinds_.client(kind).finish_release(lease, &cancellation);
  under_way_.erase(place);
  const std::lock_guard lock(mutex_);
  --count_;
  finished_.notify_all();
}

void UnfinishedReleases::wait(Duration limit) {
  std::unique_lock lock(mutex_);
  const Duration left = last_added_ + limit - local_now();
  if (left > Duration::zero()) finished_.wait_for(lock, left, [&] { return count_ == 0; });
}

void UnfinishedReleases::end() {
  has_ended_ = true;
  for (Cancellation* const release : under_way_) release->request();
}

}  // namespace interlock
