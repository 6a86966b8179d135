// The search against an explorer that shares nothing with it, on small worlds drawn by chance:
// verdict, faults and length of the counterexample, goals, and, without symmetry, the numbers of
// states and steps; with and without symmetry, with one thread and two, one step after another, by
// chance, and written down and replayed.
//
// Every run of the tests takes 100 trials, the label `slow` 2000 others. More, and others:
//
//   INTERLOCK_TRIALS=10000 INTERLOCK_FIRST_TRIAL=1 independent_explorer_test
//
// The first disagreement ends the test and is made as small as it gets; INTERLOCK_GO_ON=1 goes on,
// and INTERLOCK_AS_FOUND=1 leaves it as large as it is.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "independent/compare.hpp"
#include "independent/random_trial.hpp"

namespace interlock::sim::independent {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void compare_on(Trial (*drawn)(std::uint64_t seed)) {
  const std::uint64_t first = number_from("INTERLOCK_FIRST_TRIAL", 1);
  const std::uint64_t count = number_from("INTERLOCK_TRIALS", 100);
  const bool goes_on = number_from("INTERLOCK_GO_ON", 0) != 0;
  std::map<Outcome, int> outcomes;
  int too_large = 0;
  int counted = 0;
  int smaller = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Trial trial = drawn(seed);
    const Comparison found = compare(trial);
    if (found.counted) ++counted;
    if (found.merged_futures) ++smaller;
    if (found.too_large) {
      ++too_large;
    } else {
      ++outcomes[found.outcome];
    }
    if (found.agree()) continue;
    const Trial least = number_from("INTERLOCK_AS_FOUND", 0) != 0 ? trial : shrink(trial);
    ADD_FAILURE() << "they disagree on\n" << describe(least) << compare(least).difference;
    if (!goes_on) break;
  }
  std::printf(
      "%d proved, %d violated, %d invalid, %d too large; states counted in %d; "
      "equal futures made %d smaller\n",
      outcomes[Outcome::proved], outcomes[Outcome::violated], outcomes[Outcome::invalid], too_large,
      counted, smaller);
}

TEST(IndependentExplorer, AgreesWithTheSearchOnRandomTrials) {
  compare_on(random_trial);
}

TEST(IndependentExplorer, AgreesWithTheSearchOnTrialsWithIncarnations) {
  compare_on(random_trial_with_incarnations);
}

TEST(IndependentExplorer, AgreesWithTheSearchOnTrialsWithClientsThatBeginAgain) {
  compare_on(random_trial_with_restarts);
}

}  // namespace
}  // namespace interlock::sim::independent
