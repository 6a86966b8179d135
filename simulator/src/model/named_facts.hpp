// Facts about locks, resources and objects, kept in the order of their names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace interlock::sim {

template <class Fact>
Fact& fact_named(std::vector<Fact>& facts, const std::string& name) {
  const auto at =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.name >= name; });
  if (at != facts.end() && at->name == name) return *at;
  Fact fact;
  fact.name = name;
  return *facts.insert(at, std::move(fact));
}

}  // namespace interlock::sim
