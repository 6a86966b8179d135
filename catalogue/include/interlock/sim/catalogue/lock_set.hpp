// Clients that want several locks at once, or none of them: core's take_all, unchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interlock/lock_set.hpp"
#include "interlock/sim/catalogue/lease_lock.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

class SetClientOptions {
 public:
  SetClientOptions();
  explicit SetClientOptions(std::vector<std::string> of);

  // In the order in which the client takes them.
  std::vector<std::string> names;
  MakeLock lock;  // makes a QueueLock with simulated_queue_policy(), unless another is set
  std::optional<Duration> wait;
  Ttl ttl{std::chrono::seconds{8}};
  LockSetPolicy policy;  // one instant, then two, and so on up to 4
  Duration stays{0};     // inside
};

// The events that such a client reports, each the subject of a never().
namespace broken_set {
inline constexpr const char* gives_up = "a client gives up";
inline constexpr const char* waits_with_locks =
    "a client waits without a limit, with locks in hand";
inline constexpr const char* part = "a client enters with a part of its locks";
inline constexpr const char* ended = "a client enters with a lease that has ended";
}  // namespace broken_set

// Takes all of its locks, stays, and releases them.
Program set_client(SetClientOptions options);

// One client for each of the options, by `instants` 1 s apart. Requires of every lock what a lease
// promises, that clients which are done leave nothing behind, and that no event of `broken_set`
// happens, except `gives_up`, which is only offered.
Scenario lock_set_scenario(std::vector<SetClientOptions> clients, std::size_t instants);

}  // namespace interlock::sim::catalogue
