// Those of one process who want the same lock: one of them asks the store, the others wait here,
// first come first served, and are handed what the store has granted. docs/adr/0006 says why.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "interlock/cancellation.hpp"
#include "interlock/detail/assert.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/task.hpp"
#include "interlock/time_source.hpp"

namespace interlock {

class HandOverPolicy {
 public:
  // How many sections may follow each other under one grant; each has a fencing token of its own.
  // One: nothing is handed over. More delays those who wait at the store by as many at most: those
  // of a hundred threads in four processes wait for very different times with sixteen.
  std::int64_t sections = 14;
  // The same, if it is more, for a grant when nobody waited at the store: who comes later is
  // delayed by `within` at most, and by the section that was begun by then.
  std::int64_t sections_alone = 48;
  // When the last of them may begin, since the grant was answered: what other processes lose at
  // most, besides that section. Longer sections gain nothing by being handed over: three commands
  // are little beside them.
  Duration within = std::chrono::milliseconds{50};
  // The same as percent of the grant's certain lifetime since it was sent, if that is sooner. Who
  // is handed a lock has the rest of it, so never more than `lease_percent_max`: a third, when the
  // first renewal falls due.
  std::int64_t lease_percent = 25;
  static constexpr std::int64_t lease_percent_max = 33;
};

// One who wants a lock, and how it goes to the store if it has to.
class LineWaiter {
 public:
  enum class Turn : std::uint8_t {
    waits,
    leads,  // nobody here holds it, and nobody else asks: to ask the store
    holds,
  };

  LineWaiter(Ttl ttl, Cancellation* cancellation) : ttl_(ttl), cancellation_(cancellation) {}
  virtual ~LineWaiter() = default;
  LineWaiter(const LineWaiter&) = delete;
  LineWaiter& operator=(const LineWaiter&) = delete;

  // Ends its rest, soon. Called by whoever gave it a turn, on whichever thread that is.
  virtual void call() = 0;
  // It has joined a line that is not empty. For whoever is curious.
  virtual void waits() {}
  // Acquires at the store, as LockClient::acquire does.
  virtual Task<Result<AcquireOutcome>> ask(LockName name, AcquireOptions options) = 0;
  // Releases at the store.
  virtual Task<Result<ReleaseOutcome>> give_back(Lease lease) = 0;
  // By another of its line, not by the store. For the one who holds it.
  bool was_handed_over() const noexcept { return lease_.has_value(); }
  virtual bool cancelled() const { return cancellation_ != nullptr && cancellation_->requested(); }

 protected:
  // On the waiter's own thread.
  void wake(TimeSource& time) {
    if (rest_ != nullptr) time.wake(*rest_);
  }

 private:
  friend class LocalLines;
  friend class LineClient;
  const Ttl ttl_;
  Cancellation* const cancellation_;
  PendingSleep* rest_ = nullptr;
  // Guarded as the lines are.
  Turn turn_ = Turn::waits;
  std::optional<Lease> lease_;
};

// The lines of all locks of one process, as a plain state: no clock, no store. For one thread; who
// shares it among several overrides each function by one that locks.
class LocalLines {
 public:
  using Called = std::shared_ptr<LineWaiter>;

  explicit LocalLines(HandOverPolicy policy) : policy_(policy) {
    INTERLOCK_ASSERT(policy.lease_percent <= HandOverPolicy::lease_percent_max);
  }
  virtual ~LocalLines() = default;

  // To the end of the line; who finds none leads.
  virtual void join(const LockName& name, std::shared_ptr<LineWaiter> waiter);
  virtual LineWaiter::Turn turn_of(const LineWaiter& waiter);
  // False: its turn has come meanwhile, and is to be used or passed on.
  virtual bool leave(const LockName& name, const LineWaiter& waiter);

  // The store has granted it, just now, to the one who leads.
  virtual void granted(const Lease& lease, LineWaiter& leader, TimePoint now);
  // A section is over. The first in line, who holds it now and is to be called. Null: the lease is
  // to be released at the store, and then pass_on().
  [[nodiscard]] virtual Called hand_over(const Lease& over, TimePoint now);
  // The same for who has to ask the store next, while the lease is still being released: it takes
  // as long to wake as the release takes to arrive. Only if nobody waited at the store when it was
  // granted: to queue up behind others it would only get in the way of whoever is next. Null: not
  // yet, or nobody waits here.
  [[nodiscard]] virtual Called pass_on_early(const LockName& name);
  // Nobody here holds it any more, or the one who led got nothing. Who leads now and is to be
  // called; null: nobody waits.
  [[nodiscard]] virtual Called pass_on(const LockName& name);
  // Whether nobody waited at the store when it granted what is held here, or was.
  virtual bool was_alone(const LockName& name) const;
  // What it was handed is too old to begin with, and has been given back: it leads instead.
  virtual void lead(const LockName& name, LineWaiter& waiter);

 private:
  class Line {
   public:
    std::list<std::shared_ptr<LineWaiter>> waiting;  // mostly empty: a deque has memory even then
    std::optional<Lease> held;                       // none: somebody leads
    TimePoint hand_over_until;
    bool alone = false;  // nobody waited at the store
  };
  HandOverPolicy policy_;
  std::map<LockName, Line> lines_;
};

// Acquires by a line: the part that needs no thread.
class LineClient {
 public:
  LineClient(LocalLines& lines, TimeSource& time) : lines_(lines), time_(time) {}

  // As LockClient::acquire. A limit that ends in the line ends with one try at the store, which
  // knows who holds it. The lease belongs to the line, and is to be released by release(), if
  // in_line() says so afterwards.
  Task<Result<AcquireOutcome>> acquire(std::shared_ptr<LineWaiter> waiter,
                                       LockName name,
                                       AcquireOptions options);
  bool in_line(const LineWaiter& waiter) {
    return lines_.turn_of(waiter) == LineWaiter::Turn::holds;
  }
  // Hands over, or gives back by `waiter` and passes on.
  Task<Result<ReleaseOutcome>> release(std::shared_ptr<LineWaiter> waiter, Lease lease);

 private:
  Task<void> rest(std::shared_ptr<LineWaiter> waiter, TimePoint until);
  Task<Result<AcquireOutcome>> lead(std::shared_ptr<LineWaiter> waiter,
                                    LockName name,
                                    AcquireOptions options);
  void pass_on(const LockName& name);

  LocalLines& lines_;
  TimeSource& time_;
};

}  // namespace interlock
