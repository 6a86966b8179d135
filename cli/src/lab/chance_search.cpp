#include "lab/chance_search.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "console/lines.hpp"
#include "lab/client_command.hpp"
#include "lab/shrinker.hpp"

namespace interlock::cli {
ByChance take_chances(Chosen& chosen,
                      const sim::RandomSearch& random,
                      const sim::Limits& limits,
                      const SearchWatch& watch) {
  sim::RandomVerdict met = sim::search_at_random(chosen.scenario, random);
  while (met.verdict.outcome != sim::Outcome::violated && learn_new_names()) {
    if (make_again(chosen)) break;
    met = sim::search_at_random(chosen.scenario, random);
  }
  std::optional<Shrunk> smaller;
  if (met.verdict.outcome == sim::Outcome::violated) {
    smaller.emplace(shrunk(chosen, met.verdict.run, limits));
  }
  ByChance result(smaller ? smaller->chosen : chosen, std::move(met), random.seed);
  if (smaller) {
    result.verdict.run = std::move(smaller->run);
    result.shortest = smaller->shortest && watch.reason().empty();
  }
  if (result.verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    result.verdict.reason = fmt::format("{} after {}, which broke nothing", watch.reason(),
                                        counted(result.found.runs, "random run"));
  }
  return result;
}

namespace {

std::string as_json(const ByChance& chance, const FinishedSearch& search) {
  const sim::Verdict& verdict = chance.verdict;
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["again"] = search.again;
  object["runs"] = chance.found.runs;
  object["runs_cut_off"] = chance.found.cut_off;
  object["seed"] = chance.seed;
  object["seconds"] = search.seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["steps_before_shrinking"] = chance.found.verdict.run.steps.size();
    object["shortest"] = chance.shortest;
    object["shrunk_to"] = chance.chosen.scenario.bounds();
    object["replay"] =
        sim::print_short(verdict.run, chance.chosen.needed_options()) + chance.chosen.tail();
  }
  return object.dump() + "\n";
}

std::string figures(const ByChance& chance,
                    const FinishedSearch& search,
                    const DrawingFlags& drawing) {
  std::string text = fmt::format("  explored  {}, {}, seed {}, in {:.2f} s\n",
                                 counted(chance.found.runs, "random run"),
                                 counted(chance.found.steps, "step"), chance.seed, search.seconds);
  if (chance.found.cut_off > 0) {
    const bool one = chance.found.cut_off == 1;
    text += fmt::format("          {} of them {} cut off, because {} had too many steps\n",
                        chance.found.cut_off, one ? "was" : "were", one ? "it" : "they");
  }
  if (chance.verdict.outcome == sim::Outcome::violated) {
    text += fmt::format("          run {} broke it in {}; shrunk: {}\n", chance.found.runs,
                        counted(chance.found.verdict.run.steps.size(), "step"),
                        chance.shortest ? "no smaller world has such a run"
                                        : "a limit was reached first: a smaller run may exist");
    text += drawing.words("          in a world of " + chance.chosen.scenario.bounds(), 10);
  }
  return text + grounds(chance.verdict, search.again);
}

}  // namespace

void tell(FinishedSearch& search, const ByChance& chance, const DrawingFlags& drawing) {
  search.json = as_json(chance, search);
  search.figures = figures(chance, search, drawing);
}

}  // namespace interlock::cli
