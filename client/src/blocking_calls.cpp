#include "blocking_calls.hpp"

#include "interlock/local_clock.hpp"

namespace interlock {

BlockingCalls::Call::Call(BlockingCalls& calls) noexcept : calls_(calls) {
  ++calls_.under_way_;
}

BlockingCalls::Call::~Call() {
  if (!calls_.is_closing_) {
    --calls_.under_way_;  // the last that is touched: from here on the client may be gone
    return;
  }
  const std::lock_guard lock(calls_.mutex_);
  --calls_.under_way_;
  calls_.ended_.notify_all();
}

void BlockingCalls::begin_to_close() {
  is_closing_ = true;
  closing_.request_stop();
}

// Looks from time to time: a call that ended while this began notifies nobody.
void BlockingCalls::wait(std::optional<Duration> limit) {
  constexpr milliseconds looks_after{10};
  const TimePoint began = local_now();
  std::unique_lock lock(mutex_);
  while (under_way_ != 0 && (!limit || local_now() - began < *limit)) {
    ended_.wait_for(lock, looks_after);
  }
}

}  // namespace interlock
