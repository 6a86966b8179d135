#include "unfinished_releases.hpp"

#include <utility>

#include "interlock/local_clock.hpp"

namespace interlock {

UnfinishedReleases::UnderWay::UnderWay(UnfinishedReleases& releases) : releases_(&releases) {
  const std::lock_guard lock(releases.mutex_);
  ++releases.count_;
  releases.last_added_ = local_now();
}

UnfinishedReleases::UnderWay::~UnderWay() {
  if (releases_ == nullptr) return;
  const std::lock_guard lock(releases_->mutex_);
  --releases_->count_;
  releases_->finished_.notify_all();
}

void UnfinishedReleases::add(LockKind kind, Lease lease) {
  tasks_.spawn(finish(kind, std::move(lease), UnderWay(*this)));
}

Task<void> UnfinishedReleases::finish(LockKind kind, Lease lease, UnderWay under_way) {
  const UnderWay counted = std::move(under_way);
  Cancellation cancellation;
  if (has_ended_) cancellation.request();
  const auto place = under_way_.insert(under_way_.end(), &cancellation);
  co_await kinds_.client(kind).finish_release(lease, &cancellation);
  under_way_.erase(place);
}

void UnfinishedReleases::wait(Duration limit) {
  std::unique_lock lock(mutex_);
  const Duration left = last_added_ + limit - local_now();
  if (!tasks_.loop().has_thread()) {
    lock.unlock();
    const auto none_left = [this] {
      const std::lock_guard looking(mutex_);
      return count_ == 0;
    };
    static_cast<void>(tasks_.loop().turn_until(none_left, left));
    return;
  }
  if (left > Duration::zero()) finished_.wait_for(lock, left, [&] { return count_ == 0; });
}

void UnfinishedReleases::end() {
  has_ended_ = true;
  for (Cancellation* const release : under_way_) release->request();
}

}  // namespace interlock
