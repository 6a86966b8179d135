#include "lock_kinds.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "interlock/protocols/group_lock.hpp"
#include "interlock/protocols/lease_lock.hpp"
#include "interlock/protocols/queue_lock.hpp"

namespace interlock {
namespace {

class LockKindRow {
 public:
  LockKind kind;
  std::unique_ptr<LockProtocol> (*make)(KeyValueStore& store,
                                        TimeSource& time,
                                        const ClientOptions& options,
                                        const Backend& backend);
  bool shares_grants;
};

std::unique_ptr<LockProtocol> lease_lock(KeyValueStore& store,
                                         TimeSource& time,
                                         const ClientOptions& options,
                                         const Backend& backend) {
  return std::make_unique<LeaseLock>(store, time, options.margin, backend.quarantine(),
                                     backend.retention());
}

template <class Lock>
std::unique_ptr<LockProtocol> lock_with_queue(KeyValueStore& store,
                                              TimeSource& time,
                                              const ClientOptions& options,
                                              const Backend& backend) {
  QueuePolicy policy = options.queue_policy;
  // The store reserves as many fencing tokens as sections may follow each other. All kinds reserve
  // as many, because each may offer the lock to any other.
  policy.fencing_block = std::max(policy.fencing_block, options.hand_over.sections);
  return std::make_unique<Lock>(store, time, options.margin, policy, backend.quarantine(),
                                backend.retention());
}

constexpr std::array<LockKindRow, static_cast<std::size_t>(LockKind::count)> table = {{
    {LockKind::plain, lease_lock, false},
    {LockKind::fair, lock_with_queue<QueueLock>, true},
    {LockKind::shared, lock_with_queue<SharedLock>, false},
    {LockKind::permits, lock_with_queue<PermitLock>, false},
}};

// Each kind has its row, in the order of LockKind.
constexpr bool is_complete() {
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (table[at].kind != static_cast<LockKind>(at)) return false;
  }
  return true;
}
static_assert(is_complete());

}  // namespace

LockKind kind_of(const LockOptions& options) noexcept {
  if (options.permits) return LockKind::permits;
  if (options.shared) return LockKind::shared;
  return options.fair ? LockKind::fair : LockKind::plain;
}

bool shares_grants(LockKind kind) noexcept {
  return table[static_cast<std::size_t>(kind)].shares_grants;
}

LockKinds::LockKinds(KeyValueStore& store,
                     TimeSource& time,
                     TokenSource& tokens,
                     const ClientOptions& options,
                     const Backend& backend,
                     const LeftBehind& left_behind) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    Served served;
    served.protocol = table[i].make(store, time, options, backend);
    served.client = std::make_unique<LockClient>(store, *served.protocol, time, tokens,
                                                 options.events, options.wait_policy);
    served.client->on_left_behind(
        [kind = static_cast<LockKind>(i), left_behind](Lease lease) { left_behind(kind, lease); });
    served_.push_back(std::move(served));
  }
}

}  // namespace interlock
