# What a search has executed: what its tables note, and what is read from them.

# --- budget_table.hpp ---------------------------------------------------------------------------

mutant(faults_are_not_noted
  IN simulator/src/model/budget_table.hpp
  STATEMENT [[is_taken_[static_cast<std::size_t>(fault)] = true;]]
  MUTATED [[]]
  TEST Coverage.AFaultThatIsAllowedAndCannotHappen)

# --- process_table.cpp --------------------------------------------------------------------------

mutant(steps_are_not_noted
  IN simulator/src/model/process_table.cpp
  STATEMENT [[is_taken_.push_back(true);]]
  MUTATED [[is_taken_.push_back(false);]]
  TEST Coverage.NamesWhatNoRunHas)

# --- coverage.cpp -------------------------------------------------------------------------------

mutant(held_answers_are_nil
  IN simulator/src/search/coverage.cpp
  EXPRESSION [[table.held_reply(step.before, step.slot)]]
  MUTATED [[step.reply]]
  TEST Coverage.OperationsAtTwoLinesAreTwo)
mutant(to_want_is_to_enter
  IN simulator/src/search/coverage.cpp
  EXPRESSION [[section.seen || mark.kind == MarkKind::enter]]
  MUTATED [[true]]
  TEST Coverage.AClientThatNeverEntersWhatItWants)
mutant(lines_do_not_count
  IN simulator/src/search/coverage.cpp
  STATEMENT [[row.line = line.number;]]
  MUTATED [[]]
  TEST Coverage.OperationsAtTwoLinesAreTwo)
mutant(lost_requests_are_answered
  IN simulator/src/search/coverage.cpp
  EXPRESSION [[may_happen(budget, Fault::lost_request)]]
  MUTATED [[false]]
  TEST Coverage.WhatFollowsAFaultIsDisturbedOnlyByASecondOne)
mutant(waits_have_no_end
  IN simulator/src/search/coverage.cpp
  EXPRESSION [[table.instants().is_for_ever(wait.operation.until)]]
  MUTATED [[true]]
  TEST Coverage.AWaitForAMessageEndsInSeveralWays)
mutant(resources_refuse_nothing
  IN simulator/src/search/coverage.cpp
  EXPRESSION [[checks ? Names{"ok", refused} : Names{"ok"}]]
  MUTATED [[Names{"ok"}]]
  TEST Coverage.AResourceThatChecksTokensMayRefuseThem)
mutant(distinguished_clients_are_different
  IN simulator/src/search/coverage.cpp
  STATEMENT [[who_ = scenario_.processes()[client].same_as;]]
  MUTATED [[who_ = client;]]
  TEST Coverage.IsTheSameIfIdenticalClientsAreDistinguished)
