# Clients that crash and begin again.

set(restarts IndependentExplorer.AgreesWithTheSearchOnTrialsWithClientsThatBeginAgain)

mutant(new_life_draws_the_tokens_of_the_life_before
  IN simulator/src/process/live_process.hpp
  STATEMENT [[life_ = life;]]
  MUTATED [[]]
  TEST ClientRestart.EachLifeDrawsOtherTokens)
mutant(requests_of_a_life_that_has_gone_are_all_lost
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[(arrive >> at & 1U) != 0]]
  MUTATED [[false]]
  TEST ClientRestart.ARequestOnItsWayIsLostOrArrivesLater)
mutant(answers_on_their_way_are_requests
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[wait.kind == WaitKind::operation && !listens && !is_held]]
  MUTATED [[wait.kind == WaitKind::operation && !listens]]
  TEST ${restarts})
mutant(ghost_variables_outlive_a_life
  IN simulator/src/model/monitor.cpp
  EXPRESSION [[one.client == client]]
  MUTATED [[false]]
  TEST ClientRestartProperties.ANewLifeBelievesNothingOfTheLifeBefore)
mutant(client_ends_with_its_last_request
  IN simulator/src/model/expand_answers.hpp
  EXPRESSION [[told.ends_client && may_restart(state)]]
  MUTATED [[false]]
  TEST ClientRestart.HappensThereWithoutAPredicate)
mutant(what_a_late_request_belongs_to_was_never_called
  IN simulator/src/model/expand_faults.hpp
  STATEMENT [[if (has_sent) begin_calls(next, client);]]
  MUTATED [[]]
  TEST ClientRestartProperties.WhatALifeHasCalledMayTakeEffectWhenItHasGone)
mutant(token_of_a_life_that_has_gone_is_of_this_one
  IN simulator/src/base/names.cpp
  EXPRESSION [=[life_at(text, at) == lives[client]]=]
  MUTATED [[true]]
  TEST ClientRestartProperties.AKeyOfTheLifeBeforeGrantsNothingToTheNewOne)
mutant(lives_are_one_at_a_loop_head
  IN simulator/src/process/automaton.cpp
  STATEMENT [[state.life = locals_[parent].life;]]
  MUTATED [[]]
  TEST ${restarts})
mutant(restarts_are_not_counted
  IN simulator/src/model/process_table.cpp
  EXPRESSION [[static_cast<Life>(content.life + 1)]]
  MUTATED [[Life{0}]]
  TEST ClientRestart.BeginsAgain)
mutant(place_in_the_queue_outlives_a_life
  IN simulator/src/model/monitor.cpp
  STATEMENT [=[if (has_queues_) ++content.lives[client];]=]
  MUTATED [[]]
  TEST ClientRestartProperties.APlaceOfTheLifeBeforePassesNobodyOver)
mutant(lock_of_a_life_that_has_gone_is_of_this_one
  IN simulator/src/model/store_table.cpp
  EXPRESSION [[life_of_token(*is) == asked]]
  MUTATED [[true]]
  TEST ClientRestartProperties.APlaceOfTheLifeBeforePassesNobodyOver)
