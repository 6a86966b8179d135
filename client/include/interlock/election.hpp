// The election of a leader: of those who campaign one leads at a time, and everybody can see who.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "interlock/client.hpp"
#include "interlock/leader.hpp"

namespace interlock {

// The leader is the client that holds the lock of this name, and has said so by a value: an address,
// for example. So `interlock status`, `break` and all that is said of locks holds for leaders as
// well, and a leader excludes other holders of the lock. A guard is the leadership: its fencing
// token is the epoch, which grows from leader to leader, and its lost_token() stops before another
// can lead. docs/adr/0013.
//
// Any thread may call anything, but one at a time next_leader(), and one task at a time
// next_leader_async(). The client outlives it. Calls that block answer `invalid_argument` on the
// client's own loop. In a child of fork() all answer `forked`. An object has up to two connections
// of its own, which it opens when a call that blocks needs them.
class Election {
 public:
  // `options` are those of the lock, with LockOptions::whole_ttl in any case. The wait is for
  // campaign(). Sends nothing.
  Election(Client& client, LockName name, LockOptions options = {});
  // No call of it may be under way. Guards of campaigns stay valid.
  ~Election();
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;

  // Waits until this caller leads, first come, first served, and proclaims the value. Busy: another
  // leads until the wait is over. Errors: as of Client::acquire; as of proclaim(), and then the
  // lock is released again. `invalid_argument`: also a value of more than Leader::value_max bytes.
  AcquireResult campaign(std::string value);
  // The same for coroutines on the client's loop.
  Task<AcquireResult> campaign_async(std::string value);

  // Says another value. `absent`, `other`: it leads no longer. Errors: those of KeyValueStore;
  // `invalid_argument`: the guard was moved from, or the value is too long.
  Result<OwnerCheck> proclaim(const Guard& leading, std::string value);
  // Takes back what was said, and releases the lock: observers are notified. Result and errors: as
  // of Guard::release. A guard that is released or dropped without this is a resignation as well,
  // but leaves the value at the store, for 365 days or until another leads.
  Result<ReleaseOutcome> resign(Guard leading);

  // Who leads now; one request. None: nobody, or one that has not proclaimed itself. The answer may
  // be out of date when it comes: who acts on it gives the epoch to what it acts on.
  Result<std::optional<Leader>> leader();
  // The first call answers at once, and a later one when the leader or its value is another than
  // this function has told before. Costs one request for a change, and one in a ttl while a leader
  // goes on. `cancelled`: a stop was requested. Other errors: those of KeyValueStore; call it again
  // after a pause.
  Result<std::optional<Leader>> next_leader(std::stop_token stop = {});

  // The same for coroutines on the client's loop, on whose connection they send; `invalid_argument`
  // if called elsewhere. What next_leader_async() has told counts apart from what next_leader()
  // has.
  Task<Result<ReleaseOutcome>> resign_async(Guard leading);
  Task<Result<std::optional<Leader>>> leader_async();
  Task<Result<std::optional<Leader>>> next_leader_async(std::stop_token stop = {});

 private:
  class Connections;
  std::optional<Error> refuses_to_block(const char* what) const;
  std::optional<Error> refuses_task(const char* what) const;
  std::optional<Error> refuses_value(const std::string& value) const;
  Result<OwnerCheck> say(const Guard& leading, std::string value);

  Client& client_;
  const LockName name_;
  const LockOptions options_;
  std::unique_ptr<Connections> connections_;
};

}  // namespace interlock
