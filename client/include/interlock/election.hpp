// The election of a leader: one of the candidates leads at a time, and everybody can see which one.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "interlock/client.hpp"
#include "interlock/leader.hpp"

#pragma GCC visibility push(default)

namespace interlock {

// Campaigns for a leadership, and tells who leads. The leader is the client that holds the lock of
// this name, and has said so by a value: an address, for example. So `interlock status`, `break`
// and all that is said of locks holds for leaders as well, and a leader excludes other holders of
// the lock. A guard is the leadership: its fencing token is the epoch, which grows from leader to
// leader, and its lost_token() stops before another can lead. docs/adr/0013.
//
// Any thread may call anything. Of calls of next_leader() one at a time waits, and of
// next_leader_async() as well; another one answers `invalid_argument`, so each observer makes an
// Election of its own. Calls that block answer `invalid_argument` on the client's own loop. The end
// of the client ends campaign() and next_leader() with `cancelled`, and waits for them; it also
// waits for tasks in next_leader_async(), which end only by their stop token. After that,
// leader() still asks the store, and all other calls are of no use. In a child of fork() no call is
// of use. In both cases an Election may be destroyed. It has up to two connections of its own,
// which it opens when a call that blocks needs them.
class Election {
 public:
  // `options` are those of the lock, with LockOptions::whole_ttl in any case, and without `shared`
  // and `permits`. The wait is for campaign(). Sends nothing. If the name was moved from, all calls
  // answer `invalid_argument`.
  Election(Client& client, LockName name, LockOptions options = {});
  // Throws LockFailure with `invalid_argument` for a name that LockName::parse refuses.
  Election(Client& client, std::string_view name, LockOptions options = {});
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
  // `invalid_argument`: the guard is of another lock or was moved from, or the value is too long.
  Result<OwnerCheck> proclaim(const Guard& leading, std::string value);
  // Takes back what was said, and releases the lock; observers are notified. If other guards share
  // the grant, it only ends this one, and they go on leading. Result and errors: as of
  // Guard::release; `invalid_argument`: also a guard of another lock, which ends as well. A guard
  // that is released or dropped otherwise ends the leadership, too, but leaves the value at the
  // store, for 365 days or until another leads. With LockOptions::at_least the lock stays held, so
  // without resign() the observers are told of the leader until its time is over.
  Result<ReleaseOutcome> resign(Guard leading);

  // Who leads now; one request. None: nobody, or one that has not proclaimed itself. The answer may
  // be out of date when it comes: pass the epoch to what you change because of it.
  Result<std::optional<Leader>> leader();
  // The first call answers at once, and a later one when the leader or its value is another than
  // this function has told before. While nothing changes, it looks once in a ttl of the leader, and
  // at least once a minute. `cancelled`: a stop was requested. Other errors: those of
  // KeyValueStore; call it again after a pause.
  Result<std::optional<Leader>> next_leader(std::stop_token stop = {});

  // The same for coroutines on the client's loop, on whose connection they send; `invalid_argument`
  // if called elsewhere. What next_leader_async() has told counts apart from what next_leader()
  // has.
  Task<Result<OwnerCheck>> proclaim_async(const Guard& leading, std::string value);
  Task<Result<ReleaseOutcome>> resign_async(Guard leading);
  Task<Result<std::optional<Leader>>> leader_async();
  Task<Result<std::optional<Leader>>> next_leader_async(std::stop_token stop = {});

 private:
  class ElectionStores;
  std::optional<Error> refuses_to_block(const char* what) const;
  std::optional<Error> refuses_task(const char* what) const;
  std::optional<Error> refuses_value(const std::string& value) const;
  std::optional<Error> refuses_guard(const Guard& leading) const;
  Result<OwnerCheck> say(const Guard& leading, std::string value);
  Task<Result<OwnerCheck>> say_on_loop(Leader leader);
  static bool is_last(const Guard& leading);

  const std::shared_ptr<Client::Core> core_;
  const LockName name_;
  const LockOptions options_;
  std::unique_ptr<ElectionStores> stores_;
  std::atomic<bool> observes_ = false;
  std::atomic<bool> observes_on_loop_ = false;
};

}  // namespace interlock

#pragma GCC visibility pop
