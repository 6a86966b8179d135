#include "patience.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "address.hpp"

namespace interlock::redis {
namespace {

// With more steps, less of an absence counts, but a waiting thread wakes more often.
constexpr int steps = 8;

TimePoint clock_now() {
  return TimePoint(std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch()));
}

}  // namespace

// --- counting ------------------------------------------------------------------------------------

std::string in_ms(Duration duration) {
  return std::to_string(std::chrono::ceil<milliseconds>(duration).count()) + " ms";
}

CountedTime::CountedTime(Duration limit)
    : limit_(limit), longest_step_(std::max(limit / steps, Duration{1})) {}

void CountedTime::begin_step(TimePoint now, Duration left) {
  in_step_ = true;
  step_ = std::min(longest_step_, left);
  step_began_ = now;
}

Duration CountedTime::left_of_step(TimePoint now) const {
  return std::max(step_ - (now - step_began_), Duration::zero());
}

void CountedTime::end_step(TimePoint now) {
  // A timer always fires a little late; that time counts.
  const Duration took = now - step_began_;
  const bool absent = took > step_ + longest_step_ / 4;
  counted_ += absent ? (step_ + Duration{1}) / 2 : took;
  in_step_ = false;
}

// --- on a loop -----------------------------------------------------------------------------------

Patience::Patience(Reactor& reactor, Duration limit, Oldest oldest, std::function<void()> run_out)
    : reactor_(reactor),
      time_(limit),
      oldest_(std::move(oldest)),
      run_out_(std::move(run_out)),
      timer_(reactor.timer([this] { end_step(); })) {}

Duration Patience::deadline() {
  if (!time_.in_step()) begin_step(time_.limit());
  const Duration passed = time_.step() - time_.left_of_step(reactor_.now());
  return time_.counted() + passed + time_.limit();
}

void Patience::begin_step(Duration left) {
  time_.begin_step(reactor_.now(), left);
  timer_->arm(time_.step());
}

void Patience::end_step() {
  time_.end_step(reactor_.now());
  const std::optional<Duration> oldest = oldest_();
  if (!oldest) return;
  if (*oldest > time_.counted()) return begin_step(*oldest - time_.counted());
  const auto run_out = run_out_;
  run_out();
}

// --- of a thread ---------------------------------------------------------------------------------

PatientWait::PatientWait(Duration limit) : time_(limit) {
  time_.begin_step(clock_now(), limit);
}

bool PatientWait::ready(int descriptor, short events) {
  pollfd waiting{descriptor, events, 0};
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(step());
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the next call on the descriptor says why
    if (ready == 0) step_is_over();
    if (is_over()) return false;
  }
}

Duration PatientWait::step() {
  const TimePoint now = clock_now();
  if (!time_.in_step()) time_.begin_step(now, time_.limit() - time_.counted());
  return time_.left_of_step(now);
}

void PatientWait::step_is_over() {
  time_.end_step(clock_now());
}

}  // namespace interlock::redis
