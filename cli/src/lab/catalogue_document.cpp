#include "lab/catalogue_document.hpp"

#include <fmt/format.h>

#include "console/lines.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/explore.hpp"
#include "lab/scenario_list.hpp"
#include "lab/simulated.hpp"

namespace interlock::cli {
namespace {

using sim::catalogue::CatalogueEntry;
using sim::catalogue::Family;
using sim::catalogue::Repair;

constexpr const char* introduction =
    R"(# How to break a distributed lock

This document has every way to break a lock that this project knows, each with the shortest run that
breaks it. The runs are not written by hand: a search through all interleavings of real coroutines has
found each of them, and no other run has fewer faults, or as many faults and fewer steps. Each repair
was searched as well, within the bounds that stand beside it;
[what a proof means](what-a-proof-means.md) says what such a proof is worth.

`scripts/document` generates this file; a test fails when it differs from what the program says.

How to read a run: time goes down, and each client has a column. A thick bar means that the client
*believes that it holds* the lock. On the right is the content of the store.
)";

std::string how_broken(const sim::Verdict& verdict) {
  const std::size_t faults = verdict.run.faults();
  return fmt::format("*{}*: violated after {}{}", verdict.property,
                     counted(verdict.run.steps.size(), "step"),
                     faults > 0 ? " with " + counted(faults, "fault") : std::string());
}

Fallible<sim::Verdict> searched(std::string_view name) {
  const auto chosen = choose_scenario(std::string(name), {});
  if (!chosen) return chosen.error();
  sim::Verdict verdict = sim::explore(chosen->scenario);
  if (verdict.outcome == chosen->entry.expected.outcome) return verdict;
  return Failure(undecided,
                 fmt::format("'{}' is {}: the catalogue says {}", name, to_string(verdict.outcome),
                             to_string(chosen->entry.expected.outcome)));
}

std::string drawn(const sim::Run& run) {
  sim::TextStyle style;
  return "```text\n" + sim::draw_text(run, nullptr, sim::Remarks(), style) + "```\n";
}

Fallible<std::string> repair_line(const Repair& repair) {
  const auto verdict = searched(repair.scenario);
  if (!verdict) return verdict.error();
  const std::string found =
      repair.right
          ? fmt::format("Proved for {}: {}", verdict->bounds, counted(verdict->states, "state"))
          : fmt::format("Still broken after {}", counted(verdict->run.steps.size(), "step"));
  return fmt::format("- **{}** (`{}`): {}. {} {}.\n", repair.right ? "Repair" : "No repair",
                     repair.scenario, repair.what, repair.answer, found);
}

// In the form that the test of the documents' commands reads.
std::string commands(const CatalogueEntry& entry) {
  std::string exits = entry.expected.outcome == sim::Outcome::violated ? "1" : "0";
  std::string lines = fmt::format("interlock explore {}\n", entry.name);
  for (const Repair& repair : entry.repairs) {
    exits += repair.right ? " 0" : " 1";
    lines += fmt::format("interlock explore {}\n", repair.scenario);
  }
  return fmt::format("<!-- exits: {} -->\n```sh\n{}```\n", exits, lines);
}

Fallible<std::string> section(const CatalogueEntry& entry) {
  const auto verdict = searched(entry.name);
  if (!verdict) return verdict.error();
  std::string text = fmt::format("### {}\n\n{}\n\n", entry.name, entry.summary);
  const bool broken = verdict->outcome == sim::Outcome::violated;
  const std::string found =
      broken ? how_broken(*verdict) : "proved: " + counted(verdict->states, "state");
  text += fmt::format("Protocol `{}` · {} · {}\n\n", entry.protocol, found, verdict->bounds);
  if (broken) text += drawn(verdict->run) + "\n";
  text += fmt::format("{}\n\n", entry.explanation);
  text += commands(entry) + "\n";
  for (const Repair& repair : entry.repairs) {
    const auto line = repair_line(repair);
    if (!line) return line.error();
    text += *line;
  }
  if (!entry.sources.empty()) text += "\nSeen in: ";
  for (std::size_t at = 0; at < entry.sources.size(); ++at) {
    text += fmt::format("{}{}", at > 0 ? "; " : "", entry.sources[at]);
  }
  return text + (entry.sources.empty() ? "\n" : ".\n\n");
}

}  // namespace

Fallible<std::string> catalogue_document() {
  std::string text = introduction;
  std::optional<Family> family;
  for (const CatalogueEntry& entry : sim::catalogue::entries()) {
    if (!entry.repairs_what.empty()) continue;
    if (family != entry.family) text += fmt::format("\n## {}\n\n", title_of(entry.family));
    family = entry.family;
    const auto one = section(entry);
    if (!one) return one.error();
    text += *one;
  }
  return text;
}

}  // namespace interlock::cli
