// The Lua of the scripts in interlock/queue_scripts.hpp, as Redis runs it.
#pragma once

#include <string>

namespace interlock {

std::string queue_claim_lua();
std::string queue_release_lua();

}  // namespace interlock
