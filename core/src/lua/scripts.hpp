// The Lua that Redis runs for the scripts of core: each constant is the file of its name in this
// folder (cmake/interlock_embed_lua.cmake).
#pragma once

#include <string_view>

namespace interlock::lua {

// interlock/store/owner_scripts.hpp
extern const std::string_view claim;
extern const std::string_view renew;
extern const std::string_view release;
extern const std::string_view quarantined_claim;

// interlock/store/queue_scripts.hpp
extern const std::string_view queue_claim;
extern const std::string_view queue_release;
extern const std::string_view quarantined_queue_claim;
extern const std::string_view quarantined_queue_release;

// interlock/store/group_scripts.hpp
extern const std::string_view group_claim;
extern const std::string_view group_downgrade;
extern const std::string_view group_renew;
extern const std::string_view group_release;
extern const std::string_view group_look;
extern const std::string_view quarantined_group_claim;
extern const std::string_view quarantined_group_downgrade;
extern const std::string_view quarantined_group_release;

// interlock/leader.hpp
extern const std::string_view proclaim;
extern const std::string_view withdraw;
extern const std::string_view look_for_leader;

}  // namespace interlock::lua
