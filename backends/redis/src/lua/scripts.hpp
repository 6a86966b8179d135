// The Lua that `check` runs on a Redis server: each constant is the file of its name in this folder
// (cmake/interlock_embed_lua.cmake).
#pragma once

#include <string_view>

namespace interlock::redis::lua {

extern const std::string_view rights;  // inspect.cpp

}  // namespace interlock::redis::lua
