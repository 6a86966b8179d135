// Asks servers of a cluster who keeps which slots, and waits for the answer.
#pragma once

#include <optional>

#include "cluster.hpp"

namespace interlock::redis {

// None: the cluster knows its map. Within the connect_timeout.
std::optional<Error> read_slot_map(Cluster& cluster);

}  // namespace interlock::redis
