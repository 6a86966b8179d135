// The words for one step in a drawing.
#pragma once

#include <string>
#include <string_view>

#include "interlock/sim/run.hpp"
#include "run/token_names.hpp"

namespace interlock::sim::draw {

// Whether a write arrives at a resource, or may: at once or late.
bool is_write(const RunStep& step);

// Whether the client goes on only now after something that ended in an earlier step and was no
// request: a section, or a subscription for which it waited.
bool goes_on(const RunStep& step);

// `SETNX`; of a script, its name.
std::string operation_word(const Operation& operation);

// `unsent`, `?`, `refused`.
std::string_view error_text(Errc code);

// `SETNX`, `leaves`, `✗ crashed`; empty for what the whole world does.
std::string word_of(const RunStep& step);

// What the operation stores, by the names of the drawing; empty if it stores nothing.
std::string argument_of(const RunStep& step, const TokenNames& names);

// The answer in a word or two: `0`, `50`, `nil`, `ok`, `held`, `?`. Empty: none.
std::string reply_of(const RunStep& step, const TokenNames& names);

// `ok`, `held`, `gone`, `not mine`: the answer to a claim, a renewal or a release, which is a
// number that a reader need not know. Empty: it is another answer.
std::string_view owner_answer(OperationKind kind, const Value& value);

// The key that an operation is about; for a script its first. Empty if it is about none.
std::string target_of(const RunStep& step);
std::string target_of(const Operation& operation);

// Since when a run owes what a leads_to() promises: Run::owed_since.
std::string owed_text(std::size_t since);

// At most 9 columns: `no reply`, `RESTART`.
std::string_view note_of(Fault fault);

}  // namespace interlock::sim::draw
