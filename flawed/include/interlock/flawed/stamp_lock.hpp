// The locks whose key holds the instant at which the lease ends, by the clock of its writer, and
// has no expiry in the store. Do not use: clients' clocks decide, and see each option.
//
// Sources: Redis manual, SETNX, "Design pattern: locking with SETNX" (2010), and articles that
// followed it in Java, PHP and Python.
#pragma once

#include <string>

#include "interlock/lock_protocol.hpp"
#include "interlock/store/key_value_store.hpp"
#include "interlock/store/script.hpp"
#include "interlock/time_source.hpp"

namespace interlock::flawed {

// How an ended lease is taken over.
enum class TakeOver : std::uint8_t {
  getset,            // GETSET; held if the stamp before is in the past, too. The loser has moved it
  getset_equal,      // GETSET; held if what was there is what GET has shown
  getset_unchecked,  // GETSET; held, whatever was there: a seeming repair of del_setnx
  del_setnx,    // DEL, then SETNX: two clients that both saw the old stamp may both get through
  recheck_del,  // GET once more, then DEL, then SETNX: a seeming repair of del_setnx
  script,       // one script compares and sets: the repair
};

// What the client concludes when GET finds no key, because the holder has released since SETNX
// failed.
enum class NilStamp : std::uint8_t {
  start_again,
  expired,  // take it over: what a language that turns nil into 0 does
};

// What a release does.
enum class StampRelease : std::uint8_t {
  unless_ended,  // GET, and DEL if the stamp, even another's, lies in the future
  own_stamp,     // GET, and DEL if the stamp is the one that this client has written
  blind,         // DEL
  compare,       // one step compares and deletes: the repair
};

class StampOptions {
 public:
  StampOptions() = default;

  std::string id = "stamp-lock";
  TakeOver take_over = TakeOver::getset;
  NilStamp nil = NilStamp::start_again;
  StampRelease release = StampRelease::unless_ended;
  Duration granularity = std::chrono::seconds{1};  // what a stamp counts in
  // Take over at the stamp's own instant already, not only after it.
  bool takes_at_the_edge = false;
  // Errors of the store are taken for nil or "no".
  bool hides_errors = false;
  // The owner token stands behind the stamp, so that no two clients ever write the same.
  bool unique = false;
};

class StampLock final : public LockProtocol {
 public:
  // `wall_clock` is compared with the stamps of other clients.
  StampLock(KeyValueStore& store, TimeSource& wall_clock, StampOptions options)
      : store_(store), clock_(wall_clock), options_(std::move(options)) {}

  std::string_view id() const noexcept override { return options_.id; }
  // Unlike LockProtocol's promise, trying again while one holds the lock is answered with Busy.
  Task<Result<AcquireOutcome>> try_acquire(LockName name, OwnerToken owner, Ttl ttl) override;
  // Stamp locks are not renewed: `invalid_argument`.
  Task<Result<RenewOutcome>> renew(Lease lease) override;
  Task<Result<ReleaseOutcome>> release(Lease lease) override;
  std::optional<Channel> release_channel(const LockName&) const override { return std::nullopt; }

  // The value that a lease of this lock has written into its key.
  std::string stamp_of(const Lease& lease) const;

 private:
  Task<Result<bool>> take_over(Key key, std::string seen, std::string stamp, std::int64_t now);
  Task<Result<bool>> delete_and_set(Key key, std::string stamp, std::int64_t now);
  bool has_ended(std::int64_t stamp, std::int64_t now) const;
  std::int64_t counted(TimePoint at) const { return at.time_since_epoch() / options_.granularity; }

  KeyValueStore& store_;
  TimeSource& clock_;
  StampOptions options_;
};

// KEYS lock. ARGV value, now. 0: taken, because there was none or its stamp had ended; 1: busy.
// Nobody but the winner writes.
const Script& stamp_take_over_script();

}  // namespace interlock::flawed
