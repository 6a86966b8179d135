// The Lua that Redis runs for the program: each constant is the file of its name in this folder
// (cmake/interlock_embed_lua.cmake).
#pragma once

#include <string_view>

namespace interlock::cli::lua {

extern const std::string_view look;
extern const std::string_view look_for_quarantine;
extern const std::string_view look_for_run;
extern const std::string_view note_run;

}  // namespace interlock::cli::lua
