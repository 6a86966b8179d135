# What programs promise, and how it is found out that they do not keep it.

# --- audit.cpp ----------------------------------------------------------------------------------

mutant(pasts_are_not_compared
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[!is_over() && automaton_.takes_pasts_as_one()]]
  MUTATED [[false]]
  TEST Promises/Refusals.ThatAreCountedButNotDeclaredAreNoticed/0)
mutant(twins_are_not_run
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[!is_over() && twins_.size() > 1]]
  MUTATED [[false]]
  TEST Promises/Tokens.TellIdenticalClientsApart/1)
mutant(other_times_are_not_tried
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[!is_over() && automaton_.ageing()]]
  MUTATED [[false]]
  TEST Promises.WithoutAnEndTheTimeItselfIsNeitherProofNorViolation)
mutant(nobody_ends_an_audit
  IN simulator/src/audit/audit.cpp
  STATEMENT [[is_ended_ = is_ended_ || (proceed_ && !proceed_());]]
  MUTATED [[]]
  TEST HonestSearch.CanBeEndedWhileThePromisesOfProgramsAreChecked)
mutant(nobody_ends_a_company
  IN simulator/src/audit/company.cpp
  STATEMENT [[is_ended_ = is_ended_ || (proceed_ && !proceed_());]]
  MUTATED [[]]
  TEST HonestSearch.CanBeEndedWhileThePromisesOfProgramsAreChecked)
mutant(an_audit_that_was_ended_is_a_proof
  IN simulator/src/search/explore.cpp
  EXPRESSION [[!audited && found.end == SearchResult::End::complete]]
  MUTATED [[false]]
  TEST HonestSearch.CanBeEndedWhileThePromisesOfProgramsAreChecked)
mutant(everything_is_run_twice_and_no_more
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[times > 0 && steps_ >= repeated_steps_]]
  MUTATED [[times > 0]]
  TEST Promises.AProgramThatIsNotDeterministicIsNoticedHoweverRarelyItShows)
mutant(three_rounds_are_compared
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[round < depth.rounds]]
  MUTATED [[round < std::min<std::uint32_t>(depth.rounds, 3)]]
  TEST Promises/Refusals.ThatAreCountedButNotDeclaredAreNoticed/0)
mutant(names_may_hold_tokens
  IN simulator/src/audit/audit.cpp
  STATEMENT [[if (names_hold_tokens(~std::uint32_t{0})) return;]]
  MUTATED [[]]
  TEST Promises.NamesOfSectionsAndGoalsHoldNoTokens)
mutant(long_waits_are_not_tried
  IN simulator/src/audit/audit.cpp
  STATEMENT [[run_after_long_waits();]]
  MUTATED [[]]
  TEST Promises.WithoutAnEndDifferencesBeyondTheLongestAreAlike)
mutant(ways_back_are_not_mixed
  IN simulator/src/audit/audit.cpp
  STATEMENT [[  go_round();]]
  MUTATED [[]]
  TEST Promises.RoundsThatMustAlternateAreTaken)

# --- engine.cpp, explore.cpp --------------------------------------------------------------------

mutant(clients_run_alone_and_never_together
  IN simulator/src/audit/audit_programs.cpp
  EXPRESSION [[engine.clients() == 1 || !engine.why_no_verdict().empty() ||
         audit_together(engine, repeated_steps, proceed)]]
  MUTATED [[true]]
  TEST Clients/SharedMemory.ThatEachPutsBackIsFoundOut/0)
mutant(the_first_clients_do_not_run
  IN simulator/src/search/explore.cpp
  STATEMENT [[verdict.reason = rehearsal.run();]]
  MUTATED [[]]
  TEST Clients/SharedMemory.ThatCountsWhoWasMadeIsFoundOut/0)

# --- predicates.cpp, and who calls it ----------------------------------------------------------

mutant(predicates_are_asked_once
  IN simulator/src/model/predicates.cpp
  EXPRESSION [[ask_once(property, seen) != answer]]
  MUTATED [[false]]
  TEST Predicates.AreAskedTwiceAboutEachStateAndOnceMoreAtTheEnd)
mutant(predicates_are_not_asked_again_at_the_end
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[engine_.ask_again();]]
  MUTATED [[]]
  TEST Predicates.ThatRememberAreFoundOutFromTheMiddleOfARun)
mutant(predicates_may_remember_where_one_steps_by_hand
  IN simulator/src/play/simulation.cpp
  STATEMENT [[failure = wrong_predicate();]]
  MUTATED [[]]
  TEST Predicates.ThatRememberAreFoundOutByHand)
mutant(run_that_is_told_may_break_something_else
  IN simulator/src/search/explore.cpp
  STATEMENT [[engine.predicates().compare(verdict.property, verdict.run);]]
  MUTATED [[]]
  TEST Predicates.ThatRememberAreFoundOut)
mutant(predicates_are_asked_at_one_time
  IN simulator/src/model/predicates.cpp
  EXPRESSION [[!other_times_.empty()]]
  MUTATED [[false]]
  TEST Predicates.AskForTheTimeWhereItHasAnEnd)

# --- companion.cpp ------------------------------------------------------------------------------

mutant(twins_are_told_the_others_words
  IN simulator/src/audit/companion.cpp
  EXPRESSION [[sim::renamed(answer, as_.permutation)]]
  MUTATED [[answer]]
  TEST IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
mutant(choices_are_not_compared
  IN simulator/src/audit/companion.cpp
  STATEMENT [[return differs("expected the same choices, got others");]]
  MUTATED [[]]
  TEST Promises.WithoutAnEndDifferencesBeyondTheLongestAreAlike)

# --- automaton_again.cpp ------------------------------------------------------------------------

mutant(what_has_passed_is_compared
  IN simulator/src/process/automaton_again.cpp
  EXPRESSION [[std::clamp(is_far ? far : time - now, Duration::zero(), far)]]
  MUTATED [[time - now]]
  TEST Deadlock.IsFoundBeforeTimePasses)
