// Scripts as Redis runs them, by the library that Redis is built on.
#pragma once

#include "interlock/store/value.hpp"
#include "server/database.hpp"

namespace interlock::harness {

// Runs a script with these keys and arguments. The texts of its reply are tagged (command.hpp).
// The reply is what Redis 7.0 answers in RESP2. A script that uses what is not modelled stops the
// search (Notes::stop).
Reply run_script(TypedKeys& database,
                 const std::string& body,
                 const Words& keys,
                 const Words& arguments);

}  // namespace interlock::harness
