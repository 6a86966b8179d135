// Findings about a cluster that matter for locks.
#pragma once

#include <memory>
#include <vector>

#include "cluster.hpp"
#include "interlock/store/backend.hpp"

namespace interlock::redis {

// About the cluster, and about each of its primaries; what is the same at all of them, once.
// `lock`: whose keys the user is to take; none: any.
Result<std::vector<Finding>> inspect_cluster(const std::shared_ptr<Cluster>& cluster,
                                             const std::optional<LockName>& lock);
// Each part has something of all primaries, of each at least one step of SCAN. The cluster outlives
// it.
std::unique_ptr<LockSearch> search_locks(const std::shared_ptr<Cluster>& cluster);
// Those of all primaries. `unavailable`, too, if not every slot has one.
Result<std::vector<Key>> find_held_locks(const std::shared_ptr<Cluster>& cluster);

}  // namespace interlock::redis
