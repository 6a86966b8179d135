// The kinds of lock that a client serves, and the protocol of each. A further kind is a value here,
// a row of the table in lock_kinds.cpp, and an option of LockOptions that chooses it: nothing else
// of the client asks which kinds there are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "interlock/client.hpp"
#include "interlock/lock_client.hpp"
#include "interlock/lock_protocol.hpp"
#include "interlock/store/backend.hpp"

namespace interlock {

// The options of an acquire choose it; the lease keeps it until the release.
enum class LockKind : std::uint8_t {
  plain,    // LeaseLock
  fair,     // QueueLock
  shared,   // SharedLock
  permits,  // PermitLock
  count,
};

LockKind kind_of(const LockOptions& options) noexcept;

// One grant may serve several callers of a client, one after the other: the protocol reserves a
// fencing token for each of them.
bool shares_grants(LockKind kind) noexcept;

// The protocols of all kinds over one connection to the store, each with what waits and tries again
// for it. They belong to the connection's thread.
class LockKinds {
 public:
  // Called with a lease that could not be released; see LockClient::on_left_behind.
  using LeftBehind = std::function<void(LockKind kind, Lease lease)>;
  // The store, the clock and the tokens outlive it. The backend says what its store needs.
  LockKinds(KeyValueStore& store,
            TimeSource& time,
            TokenSource& tokens,
            const ClientOptions& options,
            const Backend& backend,
            const LeftBehind& left_behind);

  // The const members of a protocol may be called by any thread.
  LockProtocol& protocol(LockKind kind) const { return *at(kind).protocol; }
  LockClient& client(LockKind kind) const { return *at(kind).client; }

 private:
  class Served {
   public:
    std::unique_ptr<LockProtocol> protocol;
    std::unique_ptr<LockClient> client;
  };
  const Served& at(LockKind kind) const { return served_[static_cast<std::size_t>(kind)]; }

  std::vector<Served> served_;
};

}  // namespace interlock
