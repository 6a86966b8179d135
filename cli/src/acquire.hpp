// Taking a lock while signals keep their meaning and somebody may be watching.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "interlock/client.hpp"
#include "signals.hpp"
#include "wake.hpp"

namespace interlock::cli {

// What the client tells; made before it and outlives it.
class News final : public EventSink {
 public:
  explicit News(bool aloud) : aloud_(aloud) {}
  void on_event(const Event& event) noexcept override;

  // The holder for which we wait, as last heard, and for how long it has held the lock. Any thread.
  std::optional<Busy> waiting_for() const;
  // Why the store is out of reach; none: it is not. Any thread.
  std::optional<Error> store_outage() const;
  // Becomes readable when the holder for which we wait is one under whose lock we run ourselves.
  int descriptor() const noexcept { return waits_for_us_.descriptor(); }
  // When the last renewal that was confirmed had been sent. Any thread.
  std::optional<TimePoint> renewed() const;
  // Why the store has refused the last renewal; none: it has not. Any thread.
  std::optional<std::string> renewal_refused() const;

 private:
  bool aloud_;
  Wake waits_for_us_;
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

// Whether this loss is the store's word, and not only the clock's.
bool store_says_lost(const Guard& guard);

// A wait for a lock under which we run ourselves, as its command, ends at once as Busy. INT, TERM,
// HUP and QUIT withdraw; TSTP stops us, as at any other program. On a terminal, unless `quiet`, a
// line after a second says whom we wait for, kept up to date and wiped out at the end.
Acquired acquire(Client& client,
                 const News& news,
                 const LockName& name,
                 LockOptions options,
                 Signals& signals,
                 bool quiet);

}  // namespace interlock::cli
