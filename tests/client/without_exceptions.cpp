// The client's headers, in a program without exceptions and RTTI (docs/versions.md). It is compiled
// and not run.
#include "interlock/client.hpp"
#include "interlock/election.hpp"
#include "interlock/lock_failure.hpp"
#include "interlock/metrics.hpp"
#include "interlock/mutex.hpp"
#include "interlock/shared_mutex.hpp"

namespace interlock {

bool holds(Client& client) {
  Mutex mutex(client, "deploy");
  mutex.lock();
  mutex.unlock();
  const AcquireResult held = client.acquire("deploy");
  return static_cast<bool>(held);
}

}  // namespace interlock
