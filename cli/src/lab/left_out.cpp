#include "lab/left_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/client_command.hpp"

namespace interlock::cli {
namespace {

using Kind = sim::PropertyKind;

bool asks_by_name(const Chosen& chosen) {
  return std::any_of(chosen.options.begin(), chosen.options.end(),
                     [](const auto& option) { return option.first == "property"; });
}

void add(std::vector<LeftOut>& all, Kind kind, std::string why) {
  const std::string property(to_string(kind));
  const bool known = std::any_of(all.begin(), all.end(),
                                 [&](const LeftOut& one) { return one.property == property; });
  if (!known) all.push_back(LeftOut{property, std::move(why)});
}

// The kinds of properties that are left when the vacuous ones are gone.
std::vector<Kind> kinds_left(const sim::Scenario& scenario,
                             const std::vector<sim::Vacuous>& vacuous) {
  std::vector<Kind> left;
  for (const sim::Property& property : scenario.properties()) {
    const bool gone = std::any_of(vacuous.begin(), vacuous.end(), [&](const sim::Vacuous& one) {
      return one.kind == property.kind;
    });
    if (!gone) left.push_back(property.kind);
  }
  return left;
}

// Adds the properties that the scenario requires in its own size, and only offers in this one.
void add_what_is_only_offered(const Chosen& chosen, std::vector<LeftOut>& all) {
  const sim::Scenario in_its_own_size = chosen.entry.make({});
  for (const sim::Property& property : in_its_own_size.properties()) {
    const bool asked_for = chosen.scenario.requires_kind(property.kind);
    if (asked_for || property.kind == Kind::deadlock) continue;
    add(all, property.kind, "it is vacuous within these bounds");
  }
}

Fallible<Searched> search_once(Chosen& chosen,
                               const std::function<sim::Verdict(const sim::Scenario&)>& search) {
  Searched searched;
  auto verdict = search_clients(chosen.scenario, search);
  if (!verdict) return verdict.error();
  searched.verdict = std::move(*verdict);
  if (asks_by_name(chosen)) return searched;
  while (!searched.verdict.vacuous.empty()) {
    const std::vector<sim::Vacuous>& vacuous = searched.verdict.vacuous;
    const std::vector<Kind> left = kinds_left(chosen.scenario, vacuous);
    const bool only_deadlock =
        std::all_of(left.begin(), left.end(), [](Kind kind) { return kind == Kind::deadlock; });
    if (only_deadlock) return searched;
    for (const sim::Vacuous& one : vacuous) {
      add(searched.left_out, one.kind, fmt::format("no run reaches '{}'", one.goal));
    }
    if (!chosen.scenario.require_only(left)) return searched;
    verdict = search_clients(chosen.scenario, search);
    if (!verdict) return verdict.error();
    searched.verdict = std::move(*verdict);
  }
  add_what_is_only_offered(chosen, searched.left_out);
  return searched;
}

}  // namespace

Fallible<Searched> search_what_can_happen(
    Chosen& chosen, const std::function<sim::Verdict(const sim::Scenario&)>& search) {
  for (;;) {
    auto searched = search_once(chosen, search);
    if (!searched) return searched;
    const sim::Outcome outcome = searched->verdict.outcome;
    const bool whole = outcome == sim::Outcome::proved || outcome == sim::Outcome::invalid;
    if (!whole || !learn_new_names()) return searched;
    if (const auto failed = make_again(chosen)) return *failed;
  }
}

}  // namespace interlock::cli
