# Identical clients that are taken as one another.

# --- engine.cpp ---------------------------------------------------------------------------------

mutant(clients_told_apart_share_a_program
  IN simulator/src/model/engine.cpp
  EXPRESSION [[scenario.symmetry() ? process.same_as : client]]
  MUTATED [[process.same_as]]
  TEST Promises/Tokens.AreEachClientsOwnWithoutSymmetry/0)

# --- symmetry.hpp -------------------------------------------------------------------------------

mutant(different_clients_change_places
  IN simulator/src/model/symmetry.hpp
  EXPRESSION [[engine_.class_of(left) != engine_.class_of(right)]]
  MUTATED [[false]]
  TEST IdenticalClients.MissTheMessagesThatAreTheirsInTheRunThatIsTold)
mutant(budget_keeps_its_names
  IN simulator/src/model/symmetry.hpp
  EXPRESSION [[state[budget] != BudgetTable::initial]]
  MUTATED [[false]]
  TEST IdenticalClients.KeepTheirClocks)
mutant(monitor_keeps_its_names
  IN simulator/src/model/symmetry.hpp
  EXPRESSION [[engine_.monitor().names_clients(state[monitor])]]
  MUTATED [[false]]
  TEST Deadlock.IsFoundWithTheFaultThatItNeeds)
mutant(processes_keep_their_names
  IN simulator/src/model/symmetry.hpp
  EXPRESSION [[!table.info(config).renamable]]
  MUTATED [[true]]
  TEST IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
mutant(processes_are_renamed_as_the_first
  IN simulator/src/model/symmetry.hpp
  EXPRESSION [[Permutation::swap(first, client).then(permutation).then(back)]]
  MUTATED [[permutation]]
  TEST IdenticalClients.KeepTheAnswersThatAreOnTheirWay)

# --- engine.cpp ---------------------------------------------------------------------------------

mutant(answers_in_anothers_words
  IN simulator/src/model/engine.cpp
  EXPRESSION [[renamed(shared_.vocabulary.replies[reply], permutation)]]
  MUTATED [[shared_.vocabulary.replies[reply] ]]
  TEST IdenticalClients.KeepTheAnswersThatAreOnTheirWay)
mutant(channels_in_anothers_words
  IN simulator/src/model/engine.cpp
  EXPRESSION [[renamed(shared_.channels[published.channel], Permutation::swap(class_of_[client], client))]]
  MUTATED [[shared_.channels[published.channel] ]]
  TEST NamedAfterAToken.ListenersOnAChannelAreCounted)

# --- world.cpp ----------------------------------------------------------------------------------

mutant(run_with_names_exchanged_the_wrong_way
  IN simulator/src/run/world.cpp
  EXPRESSION [[went.inverse().then(real)]]
  MUTATED [[went.then(real)]]
  TEST IdenticalClients.AreWhoTheyAreInTheRunThatIsTold)
mutant(evicted_key_of_another_name
  IN simulator/src/run/world.cpp
  EXPRESSION [[renamed(key.text(), real)]]
  MUTATED [[key.text()]]
  TEST IdenticalClients.LoseTheKeysThatAreTheirsInTheRunThatIsTold)
mutant(subscriber_of_another_name
  IN simulator/src/run/world.cpp
  STATEMENT [[action = action.with_subscriber(real[action.subscriber() - 1] + 1);]]
  MUTATED [[]]
  TEST IdenticalClients.MissTheMessagesThatAreTheirsInTheRunThatIsTold)
mutant(servers_faults_are_a_clients
  IN simulator/src/run/world.cpp
  EXPRESSION [[action.is_about_server() || about_world]]
  MUTATED [[about_world]]
  TEST LeaseExclusion.ServerThatForgetsBreaksIt)

# --- arrangements.cpp ---------------------------------------------------------------------------

mutant(predicate_is_asked_of_one_arrangement
  IN simulator/src/model/arrangements.cpp
  EXPRESSION [[merges && end < clients_]]
  MUTATED [[false]]
  TEST IdenticalClients.ShowEveryArrangementOfAState)
mutant(texts_of_an_arrangement_keep_their_names
  IN simulator/src/model/arrangements.cpp
  STATEMENT [[rename_texts(view_, one, other);]]
  MUTATED [[]]
  TEST IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)
mutant(last_writer_of_an_arrangement_stays
  IN simulator/src/model/arrangements.cpp
  STATEMENT [[resource.last_writer = second;]]
  MUTATED [[]]
  TEST IdenticalClients.AreMergedWhereEachArrangementIsLookedAt)
mutant(places_of_an_arrangement_are_renamed
  IN simulator/src/model/arrangements.cpp
  STATEMENT [[std::swap(world.clients[one].name, world.clients[other].name);]]
  MUTATED [[]]
  TEST IdenticalClients.AreMergedWhereEachArrangementIsLookedAt)
mutant(named_clients_look_alike
  IN simulator/src/model/arrangements.cpp
  EXPRESSION [[(named_ >> one & 1) == 0 && (named_ >> other & 1) == 0]]
  MUTATED [[true]]
  TEST IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)
mutant(who_is_named_stays_in_its_place
  IN simulator/src/model/arrangements.cpp
  STATEMENT [[if ((named_ & both) != both) named_ ^= both;]]
  MUTATED [[]]
  TEST IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)

mutant(clients_with_other_ghosts_look_alike
  IN simulator/src/model/arrangements.cpp
  EXPRESSION [[left.ghosts == right.ghosts]]
  MUTATED [[true]]
  TEST Ghosts.AreThoseOfEachOfIdenticalClients)

# --- what searches with predicates, and with clients beside identical ones, rest on ----------------

mutant(run_of_another_arrangement_is_told
  IN simulator/src/run/world.cpp
  EXPRESSION [[follow_path(engine, first, path, breach.permutation)]]
  MUTATED [[follow_path(engine, first, path)]]
  TEST IdenticalClients.AreEachLookedAtByAPredicateThatNamesOne)
mutant(initial_keys_name_nobody
  IN simulator/src/model/engine.cpp
  EXPRESSION [[(named >> client & 1) != 0 && clients_of(class_of_[client]).size() > 1]]
  MUTATED [[false]]
  TEST IdenticalClients.AreToldApartForAPredicateIfAnInitialKeyNamesOne)
mutant(others_may_name_identical_clients
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[!is_over() && !others_.empty()]]
  MUTATED [[false]]
  TEST IdenticalClients.AreNotMergedBesideAClientThatNamesOneByHeart)
mutant(others_may_report_identical_clients
  IN simulator/src/audit/audit.cpp
  EXPRESSION [[names_hold_tokens(of_group)]]
  MUTATED [[false]]
  TEST IdenticalClients.AreNotMergedBesideAClientThatReportsOneByName)
