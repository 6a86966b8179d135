// Findings about a server that matter for locks.
#pragma once

#include <memory>
#include <vector>

#include "endpoint.hpp"
#include "interlock/store/backend.hpp"

namespace interlock::redis {

Result<std::vector<Finding>> inspect_server(std::shared_ptr<Endpoint> endpoint);
Result<std::vector<Key>> find_held_locks(std::shared_ptr<Endpoint> endpoint);

}  // namespace interlock::redis
