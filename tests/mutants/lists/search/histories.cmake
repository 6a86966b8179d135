# Histories of objects, for linearizable(): when an operation begins, and which orders it may have.

# --- object_history.cpp -------------------------------------------------------------------------

mutant(operations_begin_when_they_are_called
  IN simulator/src/model/object_history.cpp
  STATEMENT [[called.call = std::move(call);]]
  MUTATED [[called.call = std::move(call), called.has_begun = true;]]
  TEST Linearizable.IsNoRegisterThatIsOnlySequentiallyConsistent)
mutant(operations_have_a_place_before_they_begin
  IN simulator/src/model/object_history.cpp
  EXPRESSION [[other.has_begun]]
  MUTATED [[true]]
  TEST Linearizable.IsNoRegisterThatIsOnlySequentiallyConsistent)
mutant(operations_return_anything
  IN simulator/src/model/object_history.cpp
  EXPRESSION [[one.result == result]]
  MUTATED [[true]]
  TEST Linearizable.IsNoCounterByReadingAndWriting)
mutant(operations_with_a_place_return_anything
  IN simulator/src/model/object_history.cpp
  EXPRESSION [[placed->result == result]]
  MUTATED [[true]]
  TEST ObjectHistory.AgreesWithTryingOnRegisters)
mutant(open_operations_never_take_effect
  IN simulator/src/model/object_history.cpp
  STATEMENT [[place_open(at, open);]]
  MUTATED [[]]
  TEST Linearizable.MayHaveWhatIsLeftOpenOrNot)
mutant(open_operations_take_effect_again
  IN simulator/src/model/object_history.cpp
  STATEMENT [[next.open.erase(next.open.begin() + static_cast<std::ptrdiff_t>(open));]]
  MUTATED [[]]
  TEST ObjectHistory.AgreesWithTryingOnCounters)

# --- monitor.cpp --------------------------------------------------------------------------------

mutant(operations_stay_with_the_name
  IN simulator/src/model/monitor.cpp
  STATEMENT [[for (ObjectHistory& history : content.histories) history.rename(permutation);]]
  MUTATED [[]]
  TEST Linearizable.IsTheSameWithoutSymmetry)
mutant(operations_of_one_client_overlap
  IN simulator/src/model/monitor_histories.cpp
  EXPRESSION [[history.has_others(client)]]
  MUTATED [[true]]
  TEST Linearizable.SaysNothingOfOneClient)

# --- expander.hpp, expand_faults.hpp ------------------------------------------------------------

mutant(operations_do_not_begin_with_a_step
  IN simulator/src/model/expander.hpp
  STATEMENT [[begin_calls(begun, client);]]
  MUTATED [[]]
  TEST Linearizable.IsARegisterThatIsWrittenInTwoSteps)
mutant(operations_do_not_begin_with_a_fault
  IN simulator/src/model/expand_faults.hpp
  STATEMENT [[begin_calls(state, client);]]
  MUTATED [[]]
  TEST Linearizable.MayHaveWhatIsLeftOpenOrNot)
mutant(operations_do_not_begin_when_time_passes
  IN simulator/src/model/expand_time.hpp
  STATEMENT [[next.set(component, engine_.monitor().begin_all_calls(next[component]));]]
  MUTATED [[]]
  TEST Linearizable.CountsTheTimeForWhichAnOperationWaits)
mutant(operations_of_one_step_never_overlap
  IN simulator/src/model/engine.cpp
  EXPRESSION [[scenario.requires_kind(PropertyKind::linearizability)]]
  MUTATED [[false]]
  TEST Linearizable.IsNoRegisterThatIsWrittenBehindAtTheStart)
mutant(operations_never_lie_between_a_request_and_its_answer
  IN simulator/src/model/engine.cpp
  EXPRESSION [[scenario.requires_kind(PropertyKind::linearizability)]]
  MUTATED [[false]]
  TEST Linearizable.SeesAWriteBeforeItIsCalled)

# --- specifications.cpp, live_calls.cpp ---------------------------------------------------------

mutant(specifications_are_asked_once
  IN simulator/src/model/specifications.cpp
  EXPRESSION [[ask_user(question) == answer]]
  MUTATED [[true]]
  TEST Linearizable.RefusesASpecificationThatRemembers)
mutant(specifications_are_not_asked_again
  IN simulator/src/model/specifications.cpp
  STATEMENT [[compare(asked->first, asked->second);]]
  MUTATED [[]]
  TEST Linearizable.RefusesASpecificationThatRemembersUntilTheSearchIsOver)
mutant(specifications_know_all_operations
  IN simulator/src/model/specifications.cpp
  EXPRESSION [[all.empty()]]
  MUTATED [[true]]
  TEST Linearizable.RefusesAnOperationThatTheSpecificationDoesNotKnow)
mutant(returns_need_no_operation
  IN simulator/src/process/live_calls.cpp
  EXPRESSION [[called_.erase(object) > 0]]
  MUTATED [[true]]
  TEST Linearizable.RefusesAReturnWithoutAnOperation)

# --- histories.cpp ------------------------------------------------------------------------------

mutant(operations_of_one_step_are_told_without_a_beginning
  IN simulator/src/run/histories.cpp
  STATEMENT [[if (!at->has_begun) begin(*at);]]
  MUTATED [[]]
  TEST Linearizable.IsNoRegisterThatIsOnlySequentiallyConsistent)
