// Clients that hold core to its word: each does what a careful user would do, looks, and says
// (Client::reach) when a promise was not kept. None of them trusts a clock but its own.
#pragma once

#include <optional>

#include "interlock/lease.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/client.hpp"

namespace interlock::mutants {

inline constexpr const char* lock_name = "deploy";

// What they say. Each is the subject of a sim::never().
namespace broken {
// A store is asked for the key while the lease is certain, before and after, and has another
// value, or none.
inline constexpr const char* lease_truth = "a certain lease is not in the store";
// The fencing token of a grant and the counter in the store are one number while nobody else can
// have claimed.
inline constexpr const char* one_grant_one_number = "one grant has two fencing tokens";
inline constexpr const char* dead_on_arrival = sim::catalogue::broken_lease::dead_on_arrival;
inline constexpr const char* own_ghost = "a client alone is kept out by its own claim";
inline constexpr const char* one_answer = "one lost answer decides an acquire";
inline constexpr const char* known_failure = "a claim is applied and reported as not applied";
inline constexpr const char* left_behind =
    "a failed acquire leaves a claim that could be withdrawn";
inline constexpr const char* false_alarm = "its own release is reported as a loss";
inline constexpr const char* false_release = "a release is reported that has not happened";
inline constexpr const char* waits_on = sim::catalogue::broken_lease::waits_on;
inline constexpr const char* back_from_release = "a released lock comes back";
inline constexpr const char* told_after_stop = sim::catalogue::broken_lease::told_after_stop;
inline constexpr const char* dead_renewal = sim::catalogue::broken_lease::dead_renewal;
inline constexpr const char* empty_renewal = sim::catalogue::broken_lease::empty_renewal;
inline constexpr const char* revival = sim::catalogue::broken_lease::revival;
inline constexpr const char* not_told = "a lease ends and its holder is not notified";
inline constexpr const char* keeps_out = "a lost lease keeps others out";
inline constexpr const char* unfinished = "a release that went on leaves the lock held";
inline constexpr const char* releases_on = "a release goes on after its lease";
}  // namespace broken

class Terms {
 public:
  Terms() = default;
  Ttl ttl{std::chrono::seconds{2}};
  SafetyMargin margin;
  bool renews = true;
};

// LeaseLock: tries once, looks; renews, looks, releases. Says lease_truth, false_release.
sim::Program holder(Terms terms);
// LeaseLock: tries once and looks at the lease. Says dead_on_arrival.
sim::Program taker(Terms terms);
// LeaseLock, alone in the world: tries once. Says own_ghost, one_answer, one_grant_one_number.
sim::Program loner(Terms terms);
// LeaseLock, alone: tries once, and looks at the key if that fails. Says known_failure.
sim::Program doubter(Terms terms);
// LockClient, alone: tries once, and looks at the key if that fails. Says left_behind.
sim::Program withdrawer(Terms terms);
// LeaseLock, alone: acquires and releases. Says false_alarm, false_release.
sim::Program releaser(Terms terms);

class Patience {
 public:
  Patience() = default;
  std::optional<Duration> wait;          // as AcquireOptions::wait
  std::optional<Duration> cancelled_at;  // by its own clock, since it began
  Duration must_end_after{0};            // the same, at most
};
// LockClient: waits for a lock that is held in the beginning. Says waits_on.
sim::Program waiter(Patience patience);

class Keeping {
 public:
  Keeping() = default;
  Ttl ttl{std::chrono::seconds{2}};
  bool renews = true;
  bool watches = true;
};
// What all clients with a LeaseKeeper say: told_after_stop, revival, dead_renewal, empty_renewal.
//
// Stays a second, stops the keeper, releases, looks. Says back_from_release.
sim::Program keeper(Keeping keeping);
// Stays beyond the end of the lease. Says not_told.
sim::Program overstayer(Keeping keeping);
// Stays until the lease is lost, lets the key end, looks. Says keeps_out.
sim::Program loser(Keeping keeping);

// A LockClient releases, and finishes the release if the store was away. Reports unfinished,
// releases_on.
sim::Program finisher(Terms terms);

class Noticing {
 public:
  Noticing() = default;
  bool fair = false;           // QueueLock, else LeaseLock
  Duration recheck{0};         // as WaitPolicy::recheck_interval
  Duration must_end_after{0};  // the wait's longest duration, by the client's clock
};
// A LockClient waits for a lock that somebody removes. Reports waits_on.
sim::Program noticer(Noticing noticing);
// Deletes the lock's key as a person would; then its holder may release it. Reports nothing.
sim::Program remover(std::optional<OwnerToken> releases = std::nullopt);

// LockClient: waits as long as it takes, and releases. Says nothing.
sim::Program visitor();
// That, or a client of another library: SET NX PX, stays not, DEL. Announces nothing.
sim::Program visitor_or_foreigner();

}  // namespace interlock::mutants
