// The properties that look at a state, and the user's own that look at a step.
#pragma once

#include <cstdint>
#include <string>

#include "interlock/sim/scenario.hpp"
#include "model/snapshot.hpp"
#include "model/transition.hpp"

namespace interlock::sim {

// The number of the property that the state breaks, counted from 1; 0: it breaks none.
std::uint16_t check_state(Engine& engine, const WideState& state);
// The same of the step that leads from one state to another: only the user's own properties.
std::uint16_t check_step(Engine& engine,
                         const WideState& before,
                         Action action,
                         const WideState& after);
// A state that a search has put in order stands for all states in which identical clients have
// other places. Says whether one of these breaks a property, and which.
class Breach {
 public:
  std::uint16_t property = 0;  // as of check_state()
  Permutation permutation;     // from the state's clients to those of the one that breaks it
};
Breach breach_in_some_arrangement(Engine& engine, const WideState& state);
// The same of the step that leads from one state to another.
Breach breach_of_step(Engine& engine,
                      const WideState& before,
                      Action action,
                      const WideState& after);
StepView step_view(Engine& engine, const WideState& before, Action action, const WideState& after);
// Whether a fault may keep a client's last request from the store, or carry it out after the client
// has ended: gone_leave_nothing() then is about releases alone.
bool may_take_last_requests(const FaultBudget& faults);
// Whether the scenario requires a property of states.
bool looks_at_states(const Scenario& scenario);
// The same of steps.
bool looks_at_steps(const Scenario& scenario);
// Whether no property is required that a single state or step could break.
bool requires_only_liveness(const Scenario& scenario);
// The number of no_deadlock(), counted from 1; 0: deadlocks are allowed.
std::uint16_t number_of_deadlock(const Scenario& scenario);
// The message if the initial state breaks a property: then no search of the scenario says anything.
std::string broken_before_first_step(const Property& property);
// As check_state(), but looks for a deadlock, too. (A search does not need that: it sees a deadlock
// when it asks what can follow.)
std::uint16_t broken_in(Engine& engine, const WideState& state);
// What a step breaks: first by itself, then by the state to which it leads.
std::uint16_t broken_by(Engine& engine,
                        const WideState& before,
                        const Transition& detail,
                        const WideState& after);

}  // namespace interlock::sim
