// usage: PROGRAM catch SEARCH PROPERTY STATES   the property is violated within so many states
//        PROGRAM prove SEARCH...                each search is proved
//        PROGRAM explore SCENARIO...            all are proved, in the size of `interlock explore`
// Exit code 0: that is so. 1: it is not. 64: no such search or scenario.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/explore.hpp"
#include "searches.hpp"

namespace {

using interlock::mutants::find_search;
using interlock::mutants::Search;
using interlock::sim::explore;
using interlock::sim::Limits;
using interlock::sim::Outcome;
using interlock::sim::Verdict;

const Search* search_named(const char* name) {
  const Search* search = find_search(name);
  if (search == nullptr) std::fprintf(stderr, "no search is called %s: see searches.cpp\n", name);
  return search;
}

int catch_mutant(const char* name, const std::string& property, const char* states) {
  const Search* search = search_named(name);
  if (search == nullptr) return 64;
  Limits limits;
  limits.states = std::strtoull(states, nullptr, 10);
  const Verdict verdict = explore(search->make(), limits);
  const bool caught = verdict.outcome == Outcome::violated && verdict.property == property;
  std::printf("%s: %s by '%s', states %llu of %s\n%s%s", caught ? "caught" : "NOT CAUGHT",
              std::string(to_string(verdict.outcome)).c_str(), verdict.property.c_str(),
              static_cast<unsigned long long>(verdict.states), states, describe(verdict).c_str(),
              describe(verdict.run).c_str());
  return caught ? 0 : 1;
}

int prove(const char* name) {
  const Search* search = search_named(name);
  if (search == nullptr) return 64;
  const Verdict verdict = explore(search->make());
  const bool proved = verdict.outcome == Outcome::proved;
  std::printf("%s %s: %llu states\n", proved ? "proved" : "NOT PROVED", name,
              static_cast<unsigned long long>(verdict.states));
  if (!proved) std::printf("%s%s", describe(verdict).c_str(), describe(verdict.run).c_str());
  return proved ? 0 : 1;
}

// A scenario of the catalogue within its own bounds.
int explore_scenario(const char* name) {
  const auto scenario = interlock::sim::catalogue::build(name, {});
  if (!scenario) {
    std::fprintf(stderr, "%s\n", scenario.error().detail().c_str());
    return 64;
  }
  const Verdict verdict = explore(*scenario);
  std::printf("%s: %s, %llu states %s\n", name, std::string(to_string(verdict.outcome)).c_str(),
              static_cast<unsigned long long>(verdict.states), verdict.property.c_str());
  return verdict.outcome == Outcome::proved ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view verb = count > 2 ? arguments[1] : "";
  if (verb == "catch" && count == 5) return catch_mutant(arguments[2], arguments[3], arguments[4]);
  if (verb != "prove" && verb != "explore") return 64;
  int worst = 0;
  for (int i = 2; i < count; ++i) {
    worst = std::max(worst, verb == "prove" ? prove(arguments[i]) : explore_scenario(arguments[i]));
  }
  return worst;
}
