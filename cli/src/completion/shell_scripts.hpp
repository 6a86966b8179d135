// The scripts by which shells ask `interlock complete`.
#pragma once

#include <string_view>

namespace interlock::cli::scripts {

extern const std::string_view bash;
extern const std::string_view zsh;
extern const std::string_view fish;

}  // namespace interlock::cli::scripts
