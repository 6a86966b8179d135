// The flags of other lock programs, and what to write here.
#pragma once

#include <span>

#include "console/flags.hpp"

namespace interlock::cli {

// The flags of flock(1), lckdo(1), lockf(1), consul lock and etcdctl lock, for the commands that
// acquire.
std::span<const ForeignFlag> flags_of_other_locks();

}  // namespace interlock::cli
