# What programs promise, and how it is found out that they do not keep it.

# --- audit.cpp ----------------------------------------------------------------------------------

prover_mutant(pasts_are_not_compared
  IN audit/audit.cpp
  EXPRESSION [[!is_over() && automaton_.takes_pasts_as_one()]]
  BECOMES [[false]]
  CAUGHT_BY Promises/Refusals.ThatAreCountedButNotDeclaredAreNoticed/0)
prover_mutant(twins_are_not_run
  IN audit/audit.cpp
  EXPRESSION [[!is_over() && twins_.size() > 1]]
  BECOMES [[false]]
  CAUGHT_BY Promises/Tokens.TellIdenticalClientsApart/1)
prover_mutant(other_times_are_not_tried
  IN audit/audit.cpp
  EXPRESSION [[!is_over() && automaton_.ageing()]]
  BECOMES [[false]]
  CAUGHT_BY Promises.WithoutAnEndTheTimeItselfIsNeitherProofNorViolation)
prover_mutant(nobody_ends_an_audit
  IN audit/audit.cpp
  STATEMENT [[is_ended_ = is_ended_ || (proceed_ && !proceed_());]]
  BECOMES [[]]
  CAUGHT_BY HonestSearch.CanBeEndedWhileThePromisesOfProgramsAreChecked)
prover_mutant(nobody_ends_a_company
  IN audit/company.cpp
  STATEMENT [[is_ended_ = is_ended_ || (proceed_ && !proceed_());]]
  BECOMES [[]]
  CAUGHT_BY HonestSearch.CanBeEndedWhileThePromisesOfProgramsAreChecked)
prover_mutant(an_audit_that_was_ended_is_a_proof
  IN search/explore.cpp
  EXPRESSION [[!audited && found.end == SearchResult::End::complete]]
  BECOMES [[false]]
  CAUGHT_BY HonestSearch.CanBeEndedWhileThePromisesOfProgramsAreChecked)
prover_mutant(everything_is_run_twice_and_no_more
  IN audit/audit.cpp
  EXPRESSION [[times > 0 && steps_ >= repeated_steps_]]
  BECOMES [[times > 0]]
  CAUGHT_BY Promises.AProgramThatIsNotDeterministicIsNoticedHoweverRarelyItShows)
prover_mutant(three_rounds_are_compared
  IN audit/audit.cpp
  EXPRESSION [[round < depth.rounds]]
  BECOMES [[round < std::min<std::uint32_t>(depth.rounds, 3)]]
  CAUGHT_BY Promises/Refusals.ThatAreCountedButNotDeclaredAreNoticed/0)
prover_mutant(names_may_hold_tokens
  IN audit/audit.cpp
  STATEMENT [[if (names_hold_tokens(~std::uint32_t{0})) return;]]
  BECOMES [[]]
  CAUGHT_BY Promises.NamesOfSectionsAndGoalsHoldNoTokens)
prover_mutant(long_waits_are_not_tried
  IN audit/audit.cpp
  STATEMENT [[run_after_long_waits();]]
  BECOMES [[]]
  CAUGHT_BY Promises.WithoutAnEndDifferencesBeyondTheLongestAreAlike)
prover_mutant(ways_back_are_not_mixed
  IN audit/audit.cpp
  STATEMENT [[  go_round();]]
  BECOMES [[]]
  CAUGHT_BY Promises.RoundsThatMustAlternateAreTaken)

# --- engine.cpp, explore.cpp --------------------------------------------------------------------

prover_mutant(clients_run_alone_and_never_together
  IN audit/audit_programs.cpp
  EXPRESSION [[engine.clients() == 1 || !engine.why_no_verdict().empty() ||
         audit_together(engine, repeated_steps, proceed)]]
  BECOMES [[true]]
  CAUGHT_BY Clients/SharedMemory.ThatEachPutsBackIsFoundOut/0)
prover_mutant(the_first_clients_do_not_run
  IN search/explore.cpp
  STATEMENT [[verdict.reason = rehearsal.run();]]
  BECOMES [[]]
  CAUGHT_BY Clients/SharedMemory.ThatCountsWhoWasMadeIsFoundOut/0)

# --- predicates.cpp, and who calls it ----------------------------------------------------------

prover_mutant(predicates_are_asked_once
  IN model/predicates.cpp
  EXPRESSION [[ask_once(property, world) != held]]
  BECOMES [[false]]
  CAUGHT_BY Predicates.AreAskedTwiceAboutEachStateAndOnceMoreAtTheEnd)
prover_mutant(predicates_are_not_asked_again_at_the_end
  IN search/search.cpp
  STATEMENT [[engine_.predicates().ask_again();]]
  BECOMES [[]]
  CAUGHT_BY Predicates.ThatRememberAreFoundOutFromTheMiddleOfARun)
prover_mutant(predicates_may_remember_where_one_steps_by_hand
  IN play/simulation.cpp
  STATEMENT [[failure = wrong_predicate();]]
  BECOMES [[]]
  CAUGHT_BY Predicates.ThatRememberAreFoundOutByHand)
prover_mutant(run_that_is_told_may_break_something_else
  IN search/explore.cpp
  STATEMENT [[engine.predicates().compare(verdict.property, verdict.run);]]
  BECOMES [[]]
  CAUGHT_BY Predicates.ThatRememberAreFoundOut)
prover_mutant(predicates_are_asked_at_one_time
  IN model/predicates.cpp
  EXPRESSION [[!other_times_.empty()]]
  BECOMES [[false]]
  CAUGHT_BY Predicates.AskForTheTimeWhereItHasAnEnd)

# --- companion.cpp ------------------------------------------------------------------------------

prover_mutant(twins_are_told_the_others_words
  IN audit/companion.cpp
  EXPRESSION [[sim::renamed(answer, as_.permutation)]]
  BECOMES [[answer]]
  CAUGHT_BY IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
prover_mutant(choices_are_not_compared
  IN audit/companion.cpp
  STATEMENT [[return differs("expected the same choices, got others");]]
  BECOMES [[]]
  CAUGHT_BY Promises.WithoutAnEndDifferencesBeyondTheLongestAreAlike)

# --- automaton_again.cpp ------------------------------------------------------------------------

prover_mutant(what_has_passed_is_compared
  IN process/automaton_again.cpp
  EXPRESSION [[std::clamp(is_far ? far : time - now, Duration::zero(), far)]]
  BECOMES [[time - now]]
  CAUGHT_BY Deadlock.IsFoundBeforeTimePasses)
