// The words for one step in a drawing.
#pragma once

#include <string>
#include <string_view>

#include "interlock/sim/run.hpp"
#include "run/token_names.hpp"

namespace interlock::sim::draw {

// Whether the client goes on only now after something that ended in an earlier step and was no
// request: a section, or a subscription for which it waited.
bool goes_on(const RunStep& step);

// `SETNX`, `leaves`, `✗ crashed`; empty for what the whole world does.
std::string word_of(const RunStep& step);

// What the operation stores, by the names of the drawing; empty if it stores nothing.
std::string argument_of(const RunStep& step, const TokenNames& names);

// The answer in a word or two: `0`, `50`, `nil`, `ok`, `held`, `?`. Empty: none.
std::string reply_of(const RunStep& step, const TokenNames& names);

// The key that an operation is about; for a script its first. Empty if it is about none.
std::string target_of(const RunStep& step);

// At most 9 columns: `no reply`, `RESTART`.
std::string_view note_of(Fault fault);

}  // namespace interlock::sim::draw
