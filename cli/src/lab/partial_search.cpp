#include "lab/partial_search.hpp"

#include <fmt/format.h>

#include <optional>

#include "console/lines.hpp"
#include "console/safe_text.hpp"
#include "lab/client_command.hpp"
#include "lab/shrinker.hpp"

namespace interlock::cli {
namespace {

// `search(scenario)` has a verdict.
template <class Search>
auto search_with_all_names(Chosen& chosen, const Search& search) {
  auto met = search(chosen.scenario);
  while (met.verdict.outcome != sim::Outcome::violated && learn_new_names()) {
    if (make_again(chosen)) break;
    met = search(chosen.scenario);
  }
  return met;
}

// `seen`: what was searched without a violation, `10 random runs`.
PartialSearch shrunk_search(const Chosen& chosen,
                            const sim::Verdict& met,
                            const sim::Limits& limits,
                            const SearchWatch& watch,
                            const std::string& seen) {
  if (met.outcome == sim::Outcome::violated) {
    Shrunk smaller = shrunk(chosen, met.run, limits);
    PartialSearch result(std::move(smaller.chosen), met);
    result.verdict.run = std::move(smaller.run);
    result.steps_before_shrinking = met.run.steps.size();
    result.shortest = smaller.shortest && watch.reason().empty();
    return result;
  }
  PartialSearch result(chosen, met);
  if (met.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    result.verdict.reason = fmt::format("{} after {}, which broke nothing", watch.reason(), seen);
  }
  return result;
}

}  // namespace

PartialSearch search_by_chance(Chosen& chosen,
                               const sim::RandomSearch& how,
                               const sim::Limits& limits,
                               const SearchWatch& watch) {
  const sim::RandomVerdict met = search_with_all_names(
      chosen,
      [&how](const sim::Scenario& scenario) { return sim::search_at_random(scenario, how); });
  const std::string seen = counted(met.runs, "random run");
  PartialSearch result = shrunk_search(chosen, met.verdict, limits, watch, seen);
  result.more = {{"runs", met.runs}, {"runs_cut_off", met.cut_off}, {"seed", how.seed}};
  result.explored = fmt::format("{}, {}, seed {}", seen, counted(met.steps, "step"), how.seed);
  if (met.cut_off > 0) {
    const bool one = met.cut_off == 1;
    result.afterwards =
        fmt::format("          {} of them {} cut off, because {} had too many steps\n", met.cut_off,
                    one ? "was" : "were", one ? "it" : "they");
  }
  result.broke_it = fmt::format("run {} broke it in {}", met.runs,
                                counted(result.steps_before_shrinking, "step"));
  return result;
}

PartialSearch search_by_bits(Chosen& chosen,
                             const sim::BitstateSearch& how,
                             const sim::Limits& limits,
                             const SearchWatch& watch) {
  const sim::BitstateVerdict met = search_with_all_names(
      chosen,
      [&how](const sim::Scenario& scenario) { return sim::search_bitstate(scenario, how); });
  const std::string seen = counted(met.verdict.states, "state");
  PartialSearch result = shrunk_search(chosen, met.verdict, limits, watch, seen);
  result.more = {{"omission", met.omission}, {"at_end", met.at_end}, {"seed", how.seed}};
  result.explored = fmt::format("{}, {}, the longest run of {}{}, seed {}", seen,
                                counted(met.verdict.transitions, "step"),
                                counted(met.verdict.depth, "step"), client_figures(), how.seed);
  for (const sim::Goal& goal : met.verdict.goals) {
    if (goal.reached || !met.at_end) continue;
    result.afterwards += "          no run that was seen reaches: " + printable(goal.name) + "\n";
  }
  result.broke_it =
      fmt::format("a run of {} broke it", counted(result.steps_before_shrinking, "step"));
  return result;
}

namespace {

std::string as_json(const PartialSearch& partial, const FinishedSearch& search) {
  const sim::Verdict& verdict = partial.verdict;
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["again"] = search.again;
  object.update(partial.more);
  object["seconds"] = search.seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["steps_before_shrinking"] = partial.steps_before_shrinking;
    object["shortest"] = partial.shortest;
    object["shrunk_to"] = partial.chosen.scenario.bounds();
    object["replay"] =
        sim::print_short(verdict.run, partial.chosen.needed_options()) + partial.chosen.tail();
  }
  return object.dump() + "\n";
}

std::string figures(const PartialSearch& partial,
                    const FinishedSearch& search,
                    const DrawingFlags& drawing) {
  std::string text = fmt::format("  explored  {}, in {:.2f} s\n", partial.explored, search.seconds);
  text += partial.afterwards;
  if (partial.verdict.outcome == sim::Outcome::violated) {
    text += fmt::format("          {}; shrunk: {}\n", partial.broke_it,
                        partial.shortest ? "no smaller world has such a run"
                                         : "a limit was reached first: a smaller run may exist");
    text += drawing.words("          in a world of " + partial.chosen.scenario.bounds(), 10);
  }
  return text + grounds(partial.verdict, search.again);
}

}  // namespace

void tell(FinishedSearch& search, const PartialSearch& partial, const DrawingFlags& drawing) {
  search.json = as_json(partial, search);
  search.figures = figures(partial, search, drawing);
}

}  // namespace interlock::cli
