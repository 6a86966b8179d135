// Acquires a lock while signals keep their meaning, and shows the wait on a terminal.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "interlock/client.hpp"
#include "lock/holder.hpp"
#include "system/event_descriptor.hpp"
#include "system/signals.hpp"
#include "system/standard_input.hpp"

namespace interlock::cli {

using BusyLock = AcquireAllResult::BusyLock;

// Receives the client's events. Make it before the client; it must outlive the client.
class News final : public EventSink {
 public:
  explicit News(bool aloud) : aloud_(aloud) {}
  void on_event(const Event& event) noexcept override;
  // Before the first event.
  void is_told(HeldAroundUs around_us) { around_us_ = std::move(around_us); }
  const HeldAroundUs& around_us() const noexcept { return around_us_; }

  // The releases that follow leave the locks held for the rest of their time.
  void locks_stay() noexcept { locks_stay_ = true; }

  // The lock for which we wait, who holds it, as of the last event, and for how long by now. Any
  // thread.
  std::optional<BusyLock> waiting_for() const;
  // Why the store is out of reach; none: it can be reached. Any thread.
  std::optional<Error> store_outage() const;
  // Becomes readable when the holder for which we wait is one under whose lock we run ourselves.
  int descriptor() const noexcept { return waits_for_us_.descriptor(); }
  // When the last confirmed renewal of this lock was sent. Any thread.
  std::optional<TimePoint> renewed(const LockName& name) const;
  // Why the store has refused the last renewal of this lock; none: it has not. Any thread.
  std::optional<std::string> renewal_refused(const LockName& name) const;

 private:
  bool aloud_;
  std::atomic<bool> locks_stay_ = false;
  HeldAroundUs around_us_;
  EventDescriptor waits_for_us_;
  mutable std::mutex mutex_;
  std::optional<BusyLock> busy_;
  TimePoint heard_{};
  std::optional<Error> outage_;
  std::map<LockName, TimePoint> renewed_;
  std::map<LockName, std::string> renewal_refused_;
};

// A signal ended the wait; nothing is held.
class Interrupted {
 public:
  explicit Interrupted(int by) : signal(by) {}
  int signal;
};

// The input has ended before the lock was granted; nothing is held.
class InputEnded {};

using Acquired = std::variant<GuardSet, BusyLock, Error, Interrupted, InputEnded>;

// Whether the store reported the loss of one of them, and not only the clock.
bool store_says_lost(const GuardSet& guards);
// The lock to name in the report of a loss: one that is lost, or whose lease ends first.
const Guard& lost_or_first_to_end(const GuardSet& guards);

// All of these locks, or none. If this program runs as the command of a lock that it asks for, the
// wait ends at once as BusyLock.
// INT, TERM, HUP and QUIT end the wait; TSTP stops this program as any other. On a terminal, unless
// `quiet`, a line after a second shows the holder; it is kept up to date and erased at the end. If
// there is an `input`, its end ends a wait of more than a second.
Acquired acquire(Client& client,
                 const News& news,
                 const std::vector<LockName>& names,
                 LockOptions options,
                 Signals& signals,
                 bool quiet,
                 StandardInput* input = nullptr);

}  // namespace interlock::cli
