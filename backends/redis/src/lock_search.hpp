// Which locks are held on a server.
#pragma once

#include <memory>
#include <vector>

#include "endpoint.hpp"
#include "interlock/store/backend.hpp"
#include "server_questions.hpp"

namespace interlock::redis {

// Walks over all keys by SCAN, because a held lock is a plain string among others: it is known by
// the fencing counter beside it.
std::unique_ptr<LockSearch> search_locks(std::shared_ptr<Endpoint> endpoint,
                                         ServerScope scope = ServerScope::whole_store);
// The same until all keys were seen.
Result<std::vector<Key>> find_held_locks(std::shared_ptr<Endpoint> endpoint,
                                         ServerScope scope = ServerScope::whole_store);

}  // namespace interlock::redis
