# Random runs, and the states that they keep.

# --- walked_states.cpp ---------------------------------------------------------------------------

mutant(runs_forget_no_steps
  IN simulator/src/sampling/walked_states.cpp
  STATEMENT [[after_.clear();]]
  MUTATED [[]]
  TEST WalkedStates.ForgetWhatIsTooMuchBetweenTwoRuns)
mutant(steps_of_runs_break_nothing_by_themselves
  IN simulator/src/sampling/walked_states.cpp
  STATEMENT [[detail.violation = steps_[step].violation;]]
  MUTATED [[]]
  TEST WalkedStates.HaveTheStepsOfTheEngine)
mutant(runs_keep_all_states
  IN simulator/src/sampling/walked_states.cpp
  EXPRESSION [[!are_worth_keeping()]]
  MUTATED [[false]]
  TEST WalkedStates.ForgetWhatIsTooMuchBetweenTwoRuns)
mutant(runs_learn_steps_beside_threads
  IN simulator/src/sampling/walked_states.cpp
  EXPRESSION [[all[state].is_known() || !learns_]]
  MUTATED [[all[state].is_known()]]
  TEST WalkedStates.LearnNothingWhileTheyMustNot)
mutant(runs_judge_steps_beside_threads
  IN simulator/src/sampling/walked_states.cpp
  EXPRESSION [[steps_[step].broken != not_judged || !learns_]]
  MUTATED [[steps_[step].broken != not_judged]]
  TEST WalkedStates.LearnNothingWhileTheyMustNot)

# --- series.cpp, drawn_steps.hpp, runs.cpp, random_search.cpp ------------------------------------

mutant(run_that_was_taken_back_is_counted
  IN simulator/src/sampling/series.cpp
  STATEMENT [[if (!repeats_) --runs;]]
  MUTATED [[]]
  TEST RandomThreads.TakeTheSameRunsOfASmallWorld)
mutant(run_that_was_taken_back_is_drawn_anew
  IN simulator/src/sampling/drawn_steps.hpp
  EXPRESSION [[chance_ = chance_before_]]
  MUTATED [[chance_before_ = chance_]]
  TEST RandomThreads.TakeTheSameRunsOfASmallWorld)
mutant(runs_behind_the_one_that_is_shown_count
  IN simulator/src/sampling/runs.cpp
  STATEMENT [[if (broken != all.end()) all.erase(broken + 1, all.end());]]
  MUTATED [[]]
  TEST RandomThreads.ShowTheFirstRunThatBreaksSomething)
mutant(all_series_of_runs_are_the_same
  IN simulator/src/sampling/random_search.cpp
  EXPRESSION [[series == 0]]
  MUTATED [[true]]
  TEST RandomThreads.ShowTheFirstRunThatBreaksSomething)
