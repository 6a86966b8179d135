// What `run` and `elect` have in common: a command that runs while its lock is held.
#pragma once

#include "commands/commands.hpp"
#include "commands/run_plan.hpp"
#include "console/flags.hpp"

namespace interlock::cli {

// Gives the exit code, which is the command's if the lock was held throughout.
int run_guarded(const Invocation& given, const Arguments& arguments, const RunSettings& settings);

}  // namespace interlock::cli
