// Findings about what the quarantine of a store rests on: docs/adr/0010.
#pragma once

#include <optional>
#include <vector>

#include "interlock/quarantine.hpp"
#include "interlock/redis/redis_backend.hpp"
#include "interlock/store/backend.hpp"
#include "server_questions.hpp"

namespace interlock::redis {

// At a primary, whose answer to INFO is `info`; `options` lead to it.
std::vector<Finding> inspect_quarantine(ServerQuestions& server,
                                        const ServerInfo& info,
                                        const Options& options,
                                        const Quarantine& quarantine);
// For a URL without a quarantine: a warning, if the server has seen clients with one.
std::optional<Finding> quarantine_of_others(ServerQuestions& server);

}  // namespace interlock::redis
