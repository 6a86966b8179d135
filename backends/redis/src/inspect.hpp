// Findings about a server that matter for locks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "endpoint.hpp"
#include "interlock/store/backend.hpp"
#include "interlock/vocabulary.hpp"
#include "server_questions.hpp"

namespace interlock::redis {

// No lock can have this name.
inline constexpr const char* unused_name = "interlock:check";

// What is looked at: `quarantine` is the store's; `unused_key` one that the server keeps and nobody
// uses.
class InspectedStore {
 public:
  ServerScope scope = ServerScope::whole_store;
  std::optional<Quarantine> quarantine;
  std::string unused_key = unused_name;
  // Whose keys this user is to take; none: any.
  std::optional<LockName> lock;
  // No: another server of the cluster keeps the keys of that lock.
  bool looks_at_keys = true;
};
Result<std::vector<Finding>> inspect_server(std::shared_ptr<Endpoint> endpoint,
                                            InspectedStore store);

// As findings show it: "250 ms", "1.2 s", "60 s".
std::string in_seconds(milliseconds duration);

}  // namespace interlock::redis
