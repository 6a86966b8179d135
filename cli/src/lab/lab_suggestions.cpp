#include "lab/lab_suggestions.hpp"

#include <set>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/faults.hpp"
#include "interlock/sim/property.hpp"

namespace interlock::cli {

Suggestions scenario_names() {
  return Suggestions([](const TypedWords&) {
    std::vector<SuggestedWord> found;
    for (const sim::catalogue::CatalogueEntry& entry : sim::catalogue::entries()) {
      found.push_back({std::string(entry.name), std::string(entry.summary)});
    }
    return found;
  });
}

Suggestions fault_names() {
  return Suggestions([](const TypedWords& typed) {
    std::vector<SuggestedWord> all;
    if (typed.begun.find_first_of(",/") == std::string::npos) all.push_back({"none", {}});
    for (std::size_t kind = 0; kind < sim::fault_kinds; ++kind) {
      all.push_back({std::string(to_string(static_cast<sim::Fault>(kind))), {}});
    }
    all.push_back({"requests:survive", {}});
    return next_of_list(typed.begun, ",/", all);
  });
}

Suggestions property_names() {
  return Suggestions([](const TypedWords& typed) {
    std::set<std::string> words;
    const auto* const entry =
        typed.operands.empty() ? nullptr : sim::catalogue::find(typed.operands.front());
    if (entry != nullptr) {
      const sim::Scenario scenario = entry->make({});
      for (const sim::Property& each : scenario.properties()) words.emplace(to_string(each.kind));
    } else {
      for (std::size_t kind = 0; kind < sim::property_kinds; ++kind) {
        words.emplace(to_string(static_cast<sim::PropertyKind>(kind)));
      }
    }
    std::vector<SuggestedWord> all;
    all.reserve(words.size());
    for (const std::string& word : words) all.push_back({word, {}});
    return next_of_list(typed.begun, ",", all);
  });
}

}  // namespace interlock::cli
