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

// The first words of actions: `SETNX`, `starts`, `fault`, ...
bool is_action_word(std::string_view word);

}  // namespace interlock::sim
