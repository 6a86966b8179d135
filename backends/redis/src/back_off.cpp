#include "back_off.hpp"

#include <algorithm>

namespace interlock::redis {

BackOff::BackOff() : random_(std::random_device{}()) {}

std::optional<Error> BackOff::pause(Clock::time_point now) const {
  if (now >= until_) return std::nullopt;
  return why_;
}

void BackOff::failed(Error why, Clock::time_point now) {
  if (why.code() == Errc::rejected) next_ = longest;
  // Drawn from the upper half, so that clients of one server do not connect again at the same
  // moment.
  std::uniform_int_distribution<Duration::rep> pauses(next_.count() / 2, next_.count());
  length_ = Duration(pauses(random_));
  until_ = now + length_;
  next_ = std::min(next_ * 2, longest);
  why_ = std::move(why);
}

void BackOff::succeeded() {
  next_ = first;
  length_ = Duration{};
  until_ = Clock::time_point{};
  why_.reset();
}

}  // namespace interlock::redis
