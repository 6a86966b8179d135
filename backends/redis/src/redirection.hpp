// The answers by which a server of a Redis Cluster sends a command to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hash_slot.hpp"
#include "interlock/store/key_value_store.hpp"
#include "resp.hpp"

namespace interlock::redis {

// MOVED: from now on the slot's commands go there. ASK: the slot is being moved there; this one
// command goes there, after ASKING. The server that answers so has not executed the command.
// Source: Redis cluster specification, "Redirection and resharding".
enum class RedirectionKind : std::uint8_t { moved, ask };
class Redirection {
 public:
  RedirectionKind kind;
  HashSlot slot;
  std::string host;
  std::uint16_t port;
};

// None: the answer is something else. `teller`: the host of the server that answered, which may
// tell its own without naming it.
std::optional<Redirection> redirection(const Answer& answer, const std::string& teller);

// The store of one server of a cluster tells the store of the whole cluster what it cannot do
// itself.
class ClusterLink {
 public:
  enum class Waits : bool { no, yes };
  // Takes the operation over, and completes it. Waits::no: a blocking store must not wait for the
  // answer. May destroy the caller.
  virtual void send_on(PendingOperation& pending, const Redirection& to, Waits waits) = 0;
  // The server is out of reach, or does not serve: perhaps another does now.
  virtual void doubt_map() = 0;

 protected:
  ~ClusterLink() = default;
};

}  // namespace interlock::redis
