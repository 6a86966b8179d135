// How steps are written in schedules.
#pragma once

#include <string>
#include <string_view>

#include "interlock/error.hpp"
#include "interlock/sim/run.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::sim {

// `before` is the world before the step: some faults are told apart by what they change.
ScheduleStep schedule_step(const Run& run, const Snapshot& before, const RunStep& step);

// `A SETNX lock.foo 112 -> 0`
std::string line_of(const ScheduleStep& step);
// The same without the reply.
std::string question_of(const ScheduleStep& step);

// For messages: escaped are control characters alone, which a line must not have.
std::string shown(std::string_view text);

// What would break a line, escaped with a backslash; the way back fails on a stray one.
std::string escaped(std::string_view text);
// The same for what must stay one word.
std::string escaped_word(std::string_view text);
bool is_escaped_well(std::string_view text);
std::string unescaped(std::string_view text);

// The first words of actions: `SETNX`, `starts`, `fault`, ...
bool is_action_word(std::string_view word);

}  // namespace interlock::sim
