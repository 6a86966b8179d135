// Acquires a lock while signals keep their meaning, and shows the wait on a terminal.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "interlock/client.hpp"
#include "system/event_descriptor.hpp"
#include "system/signals.hpp"

namespace interlock::cli {

// Receives the client's events. Make it before the client; it must outlive the client.
class News final : public EventSink {
 public:
  explicit News(bool aloud) : aloud_(aloud) {}
  void on_event(const Event& event) noexcept override;

  // The holder for which we wait, as of the last event, and how long it has held the lock. Any
  // thread.
  std::optional<Busy> waiting_for() const;
  // Why the store is out of reach; none: it can be reached. Any thread.
  std::optional<Error> store_outage() const;
  // Becomes readable when the holder for which we wait is one under whose lock we run ourselves.
  int descriptor() const noexcept { return waits_for_us_.descriptor(); }
  // When the last confirmed renewal was sent. Any thread.
  std::optional<TimePoint> renewed() const;
  // Why the store has refused the last renewal; none: it has not. Any thread.
  std::optional<std::string> renewal_refused() const;

 private:
  bool aloud_;
  EventDescriptor waits_for_us_;
  mutable std::mutex mutex_;
  std::optional<Busy> busy_;
  TimePoint heard_{};
  std::optional<Error> outage_;
  std::optional<TimePoint> renewed_;
  std::optional<std::string> renewal_refused_;
};

// A signal ended the wait; nothing is held.
class Interrupted {
 public:
  explicit Interrupted(int by) : signal(by) {}
  int signal;
};

using Acquired = std::variant<Guard, Busy, Error, Interrupted>;

// Whether the store reported this loss, and not only the clock.
bool store_says_lost(const Guard& guard);

// If this program runs as the command of the lock that it asks for, the wait ends at once as Busy.
// INT, TERM, HUP and QUIT end the wait; TSTP stops this program as any other. On a terminal, unless
// `quiet`, a line after a second shows the holder; it is kept up to date and erased at the end.
Acquired acquire(Client& client,
                 const News& news,
                 const LockName& name,
                 LockOptions options,
                 Signals& signals,
                 bool quiet);

}  // namespace interlock::cli
