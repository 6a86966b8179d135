// Scripts as Redis runs them, by the library that Redis is built on.
#pragma once

#include <cstdint>

#include "interlock/store/value.hpp"
#include "server/database.hpp"

namespace interlock::harness {

// Whether a script may write (EVAL) or is refused to (EVAL_RO).
enum class ScriptKind : std::uint8_t { writes, only_reads };

// Runs a script with these keys and arguments. The texts of its reply are tagged (command.hpp).
// The reply is what Redis 7.0 answers in RESP2. A script that uses what is not modelled stops the
// search (Notes::stop).
Reply run_script(TypedKeys& database,
                 const std::string& body,
                 const Words& keys,
                 const Words& arguments,
                 ScriptKind kind);

}  // namespace interlock::harness
