# Identical clients that are taken as one another.

# --- engine.cpp ---------------------------------------------------------------------------------

prover_mutant(clients_told_apart_share_a_program
  IN model/engine.cpp
  EXPRESSION [[scenario.symmetry() ? process.same_as : client]]
  BECOMES [[process.same_as]]
  CAUGHT_BY Promises/Tokens.AreEachClientsOwnWithoutSymmetry/0)

# --- symmetry.hpp -------------------------------------------------------------------------------

prover_mutant(different_clients_change_places
  IN model/symmetry.hpp
  EXPRESSION [[engine_.class_of(left) != engine_.class_of(right)]]
  BECOMES [[false]]
  CAUGHT_BY IdenticalClients.MissTheMessagesThatAreTheirsInTheRunThatIsTold)
prover_mutant(budget_keeps_its_names
  IN model/symmetry.hpp
  EXPRESSION [[state[budget] != BudgetTable::initial]]
  BECOMES [[false]]
  CAUGHT_BY IdenticalClients.KeepTheirClocks)
prover_mutant(monitor_keeps_its_names
  IN model/symmetry.hpp
  EXPRESSION [[engine_.monitor().names_clients(state[monitor])]]
  BECOMES [[false]]
  CAUGHT_BY Deadlock.IsFoundWithTheFaultThatItNeeds)
prover_mutant(processes_keep_their_names
  IN model/symmetry.hpp
  EXPRESSION [[!table.info(config).renamable]]
  BECOMES [[true]]
  CAUGHT_BY IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
prover_mutant(processes_are_renamed_as_the_first
  IN model/symmetry.hpp
  EXPRESSION [[Permutation::swap(first, client).then(permutation).then(back)]]
  BECOMES [[permutation]]
  CAUGHT_BY IdenticalClients.KeepTheAnswersThatAreOnTheirWay)

# --- engine.cpp ---------------------------------------------------------------------------------

prover_mutant(answers_in_anothers_words
  IN model/engine.cpp
  EXPRESSION [[renamed(shared_.vocabulary.replies[reply], permutation)]]
  BECOMES [[shared_.vocabulary.replies[reply] ]]
  CAUGHT_BY IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
prover_mutant(channels_in_anothers_words
  IN model/engine.cpp
  EXPRESSION [[renamed(shared_.channels[channel], Permutation::swap(class_of_[client], client))]]
  BECOMES [[shared_.channels[channel] ]]
  CAUGHT_BY NamedAfterAToken.ListenersOnAChannelAreCounted)

# --- world.cpp ----------------------------------------------------------------------------------

prover_mutant(run_with_names_exchanged_the_wrong_way
  IN run/world.cpp
  EXPRESSION [[went.inverse().then(real)]]
  BECOMES [[went.then(real)]]
  CAUGHT_BY IdenticalClients.AreWhoTheyAreInTheRunThatIsTold)
prover_mutant(evicted_key_of_another_name
  IN run/world.cpp
  EXPRESSION [[renamed(key.text(), real)]]
  BECOMES [[key.text()]]
  CAUGHT_BY IdenticalClients.LoseTheKeysThatAreTheirsInTheRunThatIsTold)
prover_mutant(subscriber_of_another_name
  IN run/world.cpp
  STATEMENT [[action = action.with_subscriber(real[action.subscriber() - 1] + 1);]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.MissTheMessagesThatAreTheirsInTheRunThatIsTold)
prover_mutant(servers_faults_are_a_clients
  IN run/world.cpp
  EXPRESSION [[action.is_about_server() || about_world]]
  BECOMES [[about_world]]
  CAUGHT_BY LeaseExclusion.ServerThatForgetsBreaksIt)

# --- arrangements.cpp ---------------------------------------------------------------------------

prover_mutant(predicate_is_asked_of_one_arrangement
  IN model/arrangements.cpp
  EXPRESSION [[merges && end < view_.clients.size()]]
  BECOMES [[false]]
  CAUGHT_BY IdenticalClients.ShowEveryArrangementOfAState)
prover_mutant(texts_of_an_arrangement_keep_their_names
  IN model/arrangements.cpp
  STATEMENT [[rename_texts(one, other);]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)
prover_mutant(last_writer_of_an_arrangement_stays
  IN model/arrangements.cpp
  STATEMENT [[resource.last_writer = second;]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.AreMergedWhereEachArrangementIsLookedAt)
prover_mutant(places_of_an_arrangement_are_renamed
  IN model/arrangements.cpp
  STATEMENT [[std::swap(view_.clients[one].name, view_.clients[other].name);]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.AreMergedWhereEachArrangementIsLookedAt)
prover_mutant(named_clients_look_alike
  IN model/arrangements.cpp
  EXPRESSION [[(named_ >> one & 1) == 0 && (named_ >> other & 1) == 0]]
  BECOMES [[true]]
  CAUGHT_BY IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)
prover_mutant(who_is_named_stays_in_its_place
  IN model/arrangements.cpp
  STATEMENT [[if ((named_ & both) != both) named_ ^= both;]]
  BECOMES [[]]
  CAUGHT_BY IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)

# --- what searches with predicates, and with clients beside identical ones, rest on ----------------

prover_mutant(run_of_another_arrangement_is_told
  IN run/world.cpp
  EXPRESSION [[follow_path(engine, first, path, breach.permutation)]]
  BECOMES [[follow_path(engine, first, path)]]
  CAUGHT_BY IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)
prover_mutant(initial_keys_name_nobody
  IN model/engine.cpp
  EXPRESSION [[(named >> client & 1) != 0 && clients_of(class_of_[client]).size() > 1]]
  BECOMES [[false]]
  CAUGHT_BY IdenticalClients.AreToldApartForAPredicateIfAnInitialKeyNamesOne)
prover_mutant(others_may_name_identical_clients
  IN audit/audit.cpp
  EXPRESSION [[!is_over() && !others_.empty()]]
  BECOMES [[false]]
  CAUGHT_BY IdenticalClients.AreNotMergedBesideAClientThatNamesOneByHeart)
prover_mutant(others_may_report_identical_clients
  IN audit/audit.cpp
  EXPRESSION [[names_hold_tokens(of_group)]]
  BECOMES [[false]]
  CAUGHT_BY IdenticalClients.AreNotMergedBesideAClientThatReportsOneByName)
