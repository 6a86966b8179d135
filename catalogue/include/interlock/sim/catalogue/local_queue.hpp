// Processes of several threads that share what the store grants: core's LocalQueues and
// LocalQueueClient over QueueLock and LockClient, unchanged. A task stands for a thread.
#pragma once

#include <optional>
#include <vector>

#include "interlock/local_queue.hpp"
#include "interlock/sim/client.hpp"
#include "interlock/sim/scenario.hpp"

namespace interlock::sim::catalogue {

class LocalQueueThread {
 public:
  LocalQueueThread() = default;
  Ttl ttl{std::chrono::seconds{1}};
  std::optional<Duration> wait;
  Duration stays{0};  // in its section, beyond what it does there
  int sections = 1;
  Duration comes_after{0};
  // It keeps its grant after a section, together with all other such threads of its process: they
  // use one mutex. It begins its next section after `rests`, or gives back what is still kept when
  // the time of the grant is over.
  bool keeps = false;
  Duration rests{0};
};

class LocalQueueOptions {
 public:
  LocalQueueOptions();
  HandOverPolicy policy;                  // two sections, within the lease's share
  std::vector<LocalQueueThread> threads;  // two, all the same
  // Each section asks the store whether its lease is true.
  bool looks = false;
  // A leader begins with what is left of an offer: AcquireOptions::takes_offers.
  bool takes_offers = true;
  // False: the store may lose keys, and then grant a lock that a thread of the process still holds.
  bool store_keeps_keys = true;
  // True: the world has no other process and no fault, and time passes only while no client can
  // move. Then no thread waits without reason and nothing is left behind, which is checked after
  // three seconds.
  bool alone = false;
  // True: a task watches how long each section lasts, as the loop of a client does.
  bool watched = true;
  // True: a thread that is handed the lock reports the event `handed_over` (Client::reach).
  bool tells = false;
  // True: a task of each process whose threads keep their grants listens for recalls.
  bool is_recalled = true;
};

// The events that they report (Client::reach), each the subject of a never().
namespace broken_queue {
inline constexpr const char* overlap = "two threads of a process have certain leases at once";
inline constexpr const char* same_token = "a section of a process has no greater token";
inline constexpr const char* lease_truth = "a certain lease of a section is not in the store";
inline constexpr const char* old_lease = "a lock is handed over with an old lease";
inline constexpr const char* other_ttl = "a section has a lease of another ttl than it asked for";
inline constexpr const char* left_waiting = "a thread waits for a lock that nobody holds";
inline constexpr const char* left_behind = "a lock stays held by nobody";
}  // namespace broken_queue
// The event that LocalQueueOptions::tells reports, for Scenario::sometimes().
inline constexpr const char* handed_over = "a lock is handed over";

// A section was begun with what its process had kept, and a message made a process give it back.
inline constexpr const char* begun_with_kept = "a section begins with a kept grant";
inline constexpr const char* recalled = "a kept grant is recalled";

// Its threads acquire, write with their fencing tokens, and release.
Program local_queue_process(LocalQueueOptions options);

// A scenario of `processes` processes; the resource checks fencing tokens. Requires all that
// QueueLock and LocalQueues promise.
Scenario local_queue_scenario(std::size_t processes,
                              LocalQueueOptions options,
                              std::size_t instants);

}  // namespace interlock::sim::catalogue
