#include "lab/search_chosen.hpp"

#include <optional>
#include <utility>

#include "lab/client_command.hpp"

namespace interlock::cli {
namespace {

using sim::catalogue::Searched;

Fallible<Searched> search_once(Chosen& chosen,
                               const std::function<sim::Verdict(const sim::Scenario&)>& search) {
  std::optional<Failure> failed;
  Searched searched = sim::catalogue::search_what_can_happen(
      chosen.entry, chosen.options, chosen.scenario, [&](sim::Scenario& scenario) {
        auto verdict = search_clients(scenario, search);
        if (verdict) return std::move(*verdict);
        failed = verdict.error();
        // Has no vacuous property, so that nothing else is searched.
        return sim::Verdict();
      });
  if (failed) return *failed;
  return searched;
}

}  // namespace

Fallible<Searched> search_chosen(Chosen& chosen,
                                 const std::function<sim::Verdict(const sim::Scenario&)>& search) {
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
