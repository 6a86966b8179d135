#include "lab/bits_search.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "console/lines.hpp"
#include "lab/client_command.hpp"
#include "lab/shrinker.hpp"

namespace interlock::cli {

ByBits search_bits(Chosen& chosen,
                   const sim::BitstateSearch& how,
                   const sim::Limits& limits,
                   const SearchWatch& watch) {
  sim::BitstateVerdict met = sim::search_bitstate(chosen.scenario, how);
  while (met.verdict.outcome != sim::Outcome::violated && learn_new_names()) {
    if (make_again(chosen)) break;
    met = sim::search_bitstate(chosen.scenario, how);
  }
  std::optional<Shrunk> smaller;
  if (met.verdict.outcome == sim::Outcome::violated) {
    smaller.emplace(shrunk(chosen, met.verdict.run, limits));
  }
  ByBits result(smaller ? smaller->chosen : chosen, std::move(met));
  if (smaller) {
    result.verdict.run = std::move(smaller->run);
    result.shortest = smaller->shortest && watch.reason().empty();
  }
  if (result.verdict.outcome == sim::Outcome::incomplete && !watch.reason().empty()) {
    result.verdict.reason = fmt::format("{} after {}, in which nothing was broken", watch.reason(),
                                        counted(result.found.verdict.states, "state"));
  }
  return result;
}

namespace {

std::string as_json(const ByBits& bits, const FinishedSearch& search) {
  const sim::Verdict& verdict = bits.verdict;
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["again"] = search.again;
  object["omission"] = bits.found.omission;
  object["at_end"] = bits.found.at_end;
  object["seconds"] = search.seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["steps_before_shrinking"] = bits.found.verdict.run.steps.size();
    object["shortest"] = bits.shortest;
    object["shrunk_to"] = bits.chosen.scenario.bounds();
    object["replay"] =
        sim::print_short(verdict.run, bits.chosen.needed_options()) + bits.chosen.tail();
  }
  return object.dump() + "\n";
}

std::string figures(const ByBits& bits, const FinishedSearch& search, const DrawingFlags& drawing) {
  const sim::Verdict& found = bits.found.verdict;
  std::string text = fmt::format("  explored  {}, {}, the longest run of {}, in {:.2f} s\n",
                                 counted(found.states, "state"), counted(found.transitions, "step"),
                                 counted(found.depth, "step"), search.seconds);
  if (bits.verdict.outcome == sim::Outcome::violated) {
    text += fmt::format("          a run of {} broke it; shrunk: {}\n",
                        counted(found.run.steps.size(), "step"),
                        bits.shortest ? "no smaller world has such a run"
                                      : "a limit was reached first: a smaller run may exist");
    text += drawing.words("          in a world of " + bits.chosen.scenario.bounds(), 10);
  }
  return text + grounds(bits.verdict, search.again);
}

}  // namespace

void tell(FinishedSearch& search, const ByBits& bits, const DrawingFlags& drawing) {
  search.json = as_json(bits, search);
  search.figures = figures(bits, search, drawing);
}

}  // namespace interlock::cli
