#include "interlock/sim/catalogue/left_out.hpp"

#include <algorithm>
#include <utility>

namespace interlock::sim::catalogue {
namespace {

bool asks_by_name(const ScheduleOptions& options) {
  return std::any_of(options.begin(), options.end(),
                     [](const auto& option) { return option.first == "property"; });
}

void add(std::vector<LeftOut>& all, PropertyKind kind, std::string why) {
  const std::string property(to_string(kind));
  const bool known = std::any_of(all.begin(), all.end(),
                                 [&](const LeftOut& one) { return one.property == property; });
  if (!known) all.push_back(LeftOut{property, std::move(why)});
}

// The kinds of properties that are left when the vacuous ones are gone.
std::vector<PropertyKind> kinds_left(const Scenario& scenario,
                                     const std::vector<Vacuous>& vacuous) {
  std::vector<PropertyKind> left;
  for (const Property& property : scenario.properties()) {
    const bool gone = std::any_of(vacuous.begin(), vacuous.end(),
                                  [&](const Vacuous& one) { return one.kind == property.kind; });
    if (!gone) left.push_back(property.kind);
  }
  return left;
}

// Adds the properties that the scenario requires in its own size, and only offers in this one.
void add_what_is_only_offered(const CatalogueEntry& entry,
                              const Scenario& scenario,
                              std::vector<LeftOut>& all) {
  const Scenario in_its_own_size = entry.make({});
  for (const Property& property : in_its_own_size.properties()) {
    const bool asked_for = scenario.requires_kind(property.kind);
    if (asked_for || property.kind == PropertyKind::deadlock) continue;
    add(all, property.kind, "it is vacuous within these bounds");
  }
}

}  // namespace

Searched search_what_can_happen(const CatalogueEntry& entry,
                                const ScheduleOptions& options,
                                Scenario& scenario,
                                const std::function<Verdict(Scenario&)>& search) {
  Searched searched{search(scenario), {}};
  if (asks_by_name(options)) return searched;
  while (!searched.verdict.vacuous.empty()) {
    const std::vector<Vacuous>& vacuous = searched.verdict.vacuous;
    const std::vector<PropertyKind> left = kinds_left(scenario, vacuous);
    const bool only_deadlock = std::all_of(
        left.begin(), left.end(), [](PropertyKind kind) { return kind == PropertyKind::deadlock; });
    if (only_deadlock) return searched;
    for (const Vacuous& one : vacuous) {
      add(searched.left_out, one.kind, "no run reaches '" + one.goal + "'");
    }
    if (!scenario.require_only(left)) return searched;
    searched.verdict = search(scenario);
  }
  add_what_is_only_offered(entry, scenario, searched.left_out);
  return searched;
}

}  // namespace interlock::sim::catalogue
