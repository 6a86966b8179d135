// What a store's locks look like from one look to the next.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interlock/store/backend.hpp"
#include "lock/lock_json.hpp"

namespace interlock::cli {

class TopLock {
 public:
  NamedLock lock;
  // The grants that the looks of the last ten seconds have seen: a look sees at most one between
  // itself and the look before. None: it was seen once.
  std::optional<double> grants_per_second;
};

class LockLook {
 public:
  // Those that are held, or that were named. Those with most waiters first, then by name.
  std::vector<TopLock> locks;
  // Which share of the store's keys was seen since the watch began: 1 after the first round.
  double share_seen = 1;
  // More locks are held than the watch follows.
  bool is_full = false;
  // For how long the store grants no lock; none: it grants.
  std::optional<milliseconds> quarantine;

  std::size_t held() const;
  std::size_t queued() const;
  double grants_per_second() const;
};

// Each look costs the store a bounded time: it looks for locks among some thousand keys, going on
// where the last look ended, and reads the locks that it knows. One thread.
class LockWatch {
 public:
  // They cost a Redis server 15 ms in each second.
  static constexpr std::size_t keys_per_second = 10'000;
  static constexpr std::size_t locks_max = 2000;

  // `names`: these locks alone, and nothing is looked for; empty: all. The backend must outlive it.
  LockWatch(Backend& backend, std::vector<LockName> names);

  // `interval`: since the last look. Errors: as of Backend::held_locks(); the next look goes on.
  Result<LockLook> look(TimePoint now, Duration interval);

 private:
  class KnownLock {
   public:
    TimePoint since;      // when it was found
    TimePoint last_held;  // when a look last saw it held
    std::optional<OwnerToken> holder;
    std::optional<FencingToken> fencing;
    std::deque<TimePoint> grants;
  };
  std::optional<Error> find_more(TimePoint now, Duration interval);
  void note(KnownLock& known, const LockView& view, TimePoint now) const;

  const bool is_by_name_;
  const std::optional<Quarantine> quarantine_;
  const std::unique_ptr<KeyValueStore> store_;
  const std::unique_ptr<LockSearch> search_;
  std::map<Key, KnownLock> known_;
  double share_seen_ = 0;
  bool had_whole_round_ = false;
  bool is_full_ = false;
};

}  // namespace interlock::cli
