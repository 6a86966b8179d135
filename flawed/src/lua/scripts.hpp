// The Lua that Redis runs for the flawed locks: each constant is the file of its name in this
// folder (cmake/interlock_embed_lua.cmake).
#pragma once

#include <string_view>

namespace interlock::flawed::lua {

// compare_script_lock.cpp
extern const std::string_view compare_script_lock;
extern const std::string_view compare_script_unlock;
extern const std::string_view compare_script_repaired_lock;
extern const std::string_view compare_script_repaired_unlock;

// script_lock.cpp
extern const std::string_view script_lock_acquire;
extern const std::string_view script_lock_release;
extern const std::string_view script_lock_repaired_acquire;

// stamp_lock.cpp
extern const std::string_view stamp_take_over;

}  // namespace interlock::flawed::lua
