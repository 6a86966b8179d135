# Properties that users write: ghost variables, and predicates over steps.

# --- monitor.cpp --------------------------------------------------------------------------------

mutant(ghosts_of_any_value_are_the_same
  IN simulator/src/model/monitor.cpp
  STATEMENT [[identity.number(ghost.value);]]
  MUTATED [[]]
  TEST Ghosts.DistinguishStatesOnlyByTheirValues)
mutant(ghosts_stay_with_the_name
  IN simulator/src/model/monitor.cpp
  STATEMENT [[for (Ghost& ghost : content.ghosts) ghost.client = permutation[ghost.client];]]
  MUTATED [[]]
  TEST Ghosts.AreMergedWithTheClientsThatHaveThem)

# --- state_properties.cpp -----------------------------------------------------------------------

mutant(steps_have_no_mover
  IN simulator/src/model/state_properties.cpp
  STATEMENT [[step.client = mover(action);]]
  MUTATED [[]]
  TEST StepProperties.AreToldTheMoverThatTheRunShows)
mutant(properties_of_steps_are_never_vacuous
  IN simulator/src/model/state_properties.cpp
  EXPRESSION [[answer != Predicates::PredicateAnswer::is_not_about_it]]
  MUTATED [[true]]
  TEST StepProperties.AboutNoStepAtAllAreVacuous)
mutant(steps_by_hand_break_nothing
  IN simulator/src/model/state_properties.cpp
  STATEMENT [[if (broken == 0) broken = check_step(engine, before, detail.action, after);]]
  MUTATED [[]]
  TEST StepProperties.AreCheckedInRandomRunsAndByHand)

# --- world.cpp, breadth_first.hpp ---------------------------------------------------------------

mutant(step_of_another_arrangement_is_told
  IN simulator/src/run/world.cpp
  EXPRESSION [[breach_of_step(engine, before, steps.back().detail.action, steps.back().next)]]
  MUTATED [[Breach()]]
  TEST StepProperties.MayNameOneOfIdenticalClients)
mutant(steps_are_not_looked_at
  IN simulator/src/search/breadth_first.hpp
  EXPRESSION [[looks_at_steps_ && level_ > 0]]
  MUTATED [[false]]
  TEST StepProperties.AreBrokenByTheFirstStepThatBreaksThem)
mutant(steps_to_known_states_break_nothing
  IN simulator/src/search/breadth_first.hpp
  STATEMENT [[if (broken != 0) violate(broken, place_of(found));]]
  MUTATED [[if (broken != 0 && found.is_new) violate(broken, place_of(found));]]
  TEST StepProperties.AreAskedAboutStepsToStatesThatAreKnown)
