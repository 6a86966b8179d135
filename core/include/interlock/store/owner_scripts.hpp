// claim, renew and release: the steps that look at a lock's owner and act, in one piece.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/store/keyspace.hpp"
#include "interlock/store/value.hpp"

namespace interlock {

// The same step twice: `run` for one lock, on stores without Lua, and `lua` for one lock or many at
// once, for Redis. Lives as long as the program. A differential test compares the two on a real
// server (tests/redis/scripts_test.cpp).
//
// In Lua, KEYS are all locks, then all fencing counters in the same order. ARGV are the ttl and all
// owners. A release has neither counters nor ttl: its ARGV are all owners and all channels. The Lua
// answers with a reply for each lock, in order (a list; for one lock the bare reply): what `run`
// answers for it, but that a grant is its bare fencing token, and a refusal an error in its place.
// Locks do not affect each other, and none may be named twice.
class OwnerScript {
 public:
  using Native = Reply (*)(Keyspace& keyspace,
                           const std::vector<Key>& keys,
                           const std::vector<std::string>& arguments);

  OwnerScript(std::string_view name, std::string_view lua, Native native)
      : name_(name), lua_(lua), native_(native) {}
  OwnerScript(const OwnerScript&) = delete;
  OwnerScript& operator=(const OwnerScript&) = delete;

  std::string_view name() const noexcept { return name_; }
  std::string_view lua() const noexcept { return lua_; }

  Reply run(Keyspace& keyspace,
            const std::vector<Key>& keys,
            const std::vector<std::string>& arguments) const {
    return native_(keyspace, keys, arguments);
  }

 private:
  std::string_view name_;
  std::string_view lua_;
  Native native_;
};

// KEYS lock, fencing counter. ARGV owner, ttl in ms.
// [1, fencing token] claimed, or claimed before by the same owner: the ttl starts anew, the fencing
//                    token stays. That makes it harmless to claim again after a lost reply.
// [0, holder, remaining ms or -1, held for ms or -1] somebody else's.
// The fencing token is max(previous + 1, the store's clock in microseconds). It grows even if the
// counter, or the last grants on a replica that was promoted, have been lost, unless the clock has
// also been set back behind the last grant. A counter that no grant can have written (not a number
// from 1 to 2^53 - 1) counts as lost.
const OwnerScript& claim_script();

// KEYS lock, fencing counter, whose end it puts off when that comes near. ARGV owner, ttl in ms. 1
// renewed; 0 no such key; -1 somebody else's. In the last two cases nothing has changed.
const OwnerScript& renew_script();

// How long the holder has had a lock, from what is left of its fencing counter's time (PTTL): the
// counter is made to end two days after a grant, 400 days with a ttl of more than a day or once a
// lock has been held for a day. None for a counter without expiry, and none for no counter.
std::optional<milliseconds> held_for(std::optional<milliseconds> counter_left);

// KEYS lock. ARGV owner, channel. 1: it is released, and a message published on the channel. 0:
// there is no such key, and a message published, because the key may have been deleted without one.
// -1: another owner has it, and nothing is published. In the last two cases nothing has changed.
const OwnerScript& release_script();

}  // namespace interlock
