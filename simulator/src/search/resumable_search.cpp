#include "interlock/sim/checkpoint.hpp"

#include <string>
#include <utility>
#include <vector>

#include "audit/rehearsal.hpp"
#include "base/flat_map.hpp"
#include "base/longest.hpp"
#include "model/engine.hpp"
#include "search/by_width.hpp"
#include "search/checkpointer.hpp"
#include "search/whole_search.hpp"

namespace interlock::sim {
namespace {

// All that a scenario shows of itself, and that must be as it was: what its programs and predicates
// do cannot be seen.
std::string told_by(const Scenario& scenario, const Limits& limits) {
  Encoder all;
  all.text(scenario.name()).text(scenario.bounds());
  for (const Scenario::ClientProgram& client : scenario.processes()) {
    all.text(client.name).number(static_cast<std::int64_t>(client.same_as));
  }
  for (const Property& property : scenario.properties()) {
    all.number(static_cast<std::int64_t>(property.kind)).text(property.name).text(property.subject);
    all.number(property.within.count());
  }
  for (const Scenario::InitialKey& key : scenario.initial_keys()) {
    all.text(key.key.text()).text(key.entry.value).number(static_cast<std::int64_t>(key.server));
    all.number(static_cast<std::int64_t>(key.entry.type));
    all.number(key.entry.expiry ? key.entry.expiry->count() : -1);
  }
  for (const std::string& resource : scenario.checking_resources()) all.text(resource);
  for (const std::string& goal : scenario.goals()) all.text(goal);
  for (const std::string& fairness : scenario.fairness_in_words()) all.text(fairness);
  all.number(static_cast<std::int64_t>(scenario.servers())).number(scenario.symmetry() ? 1 : 0);
  all.number(limits.count_violations ? 1 : 0);
  return all.take();
}

// As explore() searches once. Only with numbers of 32 bits it learns the programs anew: of what was
// learned with 16, a checkpoint of the second search knows nothing.
class KeptSearch {
 public:
  KeptSearch(const Limits& limits, Checkpointer& keeper) : limits_(limits), keeper_(keeper) {}

  // Where time has no end, `longer` becomes the `longest` with which the search must begin anew.
  Verdict search(const Scenario& scenario,
                 std::optional<Duration> guessed_longest,
                 Duration& longer) {
    Engine engine(scenario, limits_);
    Rehearsal rehearsal(engine);
    if (!keeper_.resumes_wide()) {
      keeper_.begin(engine.happenings(), guessed_longest);
      SearchResult found =
          search_with<std::uint16_t>(engine, limits_, engine.initial<WideState>(), {}, keeper_);
      if (found.end != SearchResult::End::too_narrow || keeper_.refusal()) {
        longer = engine.longer_than_longest();
        return verdict_of(engine, limits_, std::move(found), rehearsal);
      }
    }
    Engine wide(scenario, limits_);
    keeper_.begin(wide.happenings(), guessed_longest);
    SearchResult found =
        search_with<std::uint32_t>(wide, limits_, wide.initial<WideState>(), {}, keeper_);
    longer = wide.longer_than_longest();
    return verdict_of(wide, limits_, std::move(found), rehearsal);
  }

 private:
  const Limits& limits_;
  Checkpointer& keeper_;
};

}  // namespace

Result<Verdict> explore_resumable(const Scenario& scenario,
                                  const Limits& limits,
                                  const Checkpoints& checkpoints) {
  if (!mistake_in(scenario).empty()) return explore(scenario, limits);
  Checkpointer keeper(checkpoints, told_by(scenario, limits));
  if (std::optional<Error> wrong = keeper.prepare()) return *wrong;
  LongestGuess guess(scenario);
  if (keeper.resumed_longest()) guess.begin_with(*keeper.resumed_longest());
  KeptSearch search(limits, keeper);
  Verdict verdict = explore_by(scenario, guess, [&](const Scenario& settled, Duration& longer) {
    const bool open = !scenario.longest();
    Verdict found = search.search(settled, open ? settled.longest() : std::nullopt, longer);
    if (keeper.refusal()) longer = Duration::zero();  // nothing is searched anew
    return found;
  });
  if (keeper.refusal()) return *keeper.refusal();
  return verdict;
}

}  // namespace interlock::sim
