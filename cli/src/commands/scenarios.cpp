// interlock scenarios: lists the scenarios.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "console/flags.hpp"
#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interactive/pager.hpp"
#include "interlock/sim/catalogue.hpp"
#include "lab/catalogue_document.hpp"
#include "lab/scenario_list.hpp"

namespace interlock::cli {
namespace {

using sim::catalogue::CatalogueEntry;

Explanation explanation() {
  Explanation all;
  all.text = R"(Most scenarios show how a lock fails; a few are locks that are proved. --repairs
also lists the repairs of each, right and wrong, below it. FAMILY is locks,
setnx, ttl, waiting or replication; VERDICT is proved or violated. --verdict
includes repairs.

At a terminal the list is by family, and longer lists are shown by $PAGER, or by
less if it is not set. Anywhere else, each scenario has a line of its own.
)";
  all.exits = and_usual({{"0", "they are listed"}}, {usage, operating_system});
  all.examples = {{"The stamp locks", "interlock scenarios --family setnx"},
                  {"Locks that may stay held for ever",
                   "interlock scenarios --verdict violated --property orphan"}};
  all.environment = {{"PAGER", "what shows longer lists; empty, or cat: nothing"}};
  all.see_also = "interlock-explore(1), interlock-play(1)";
  return all;
}

class Filter {
 public:
  void add_to(Flags& flags) {
    flags
        .value(0, "family", "FAMILY", &family_,
               "only this family: locks, setnx, ttl, waiting or replication")
        .suggested = {"locks", "setnx", "ttl", "waiting", "replication"};
    flags
        .value(0, "verdict", "VERDICT", &verdict_,
               "only those with this verdict: proved or violated")
        .suggested = {"proved", "violated"};
    flags.value(0, "property", "TEXT", &property_,
                "only those whose property has TEXT in its name");
    flags.toggle(0, "repairs", &repairs_, "list the repaired locks, too");
  }

  bool given() const { return family_ || verdict_ || property_ || repairs_; }

  // `usage` if a word is not one of the possible ones.
  std::optional<Failure> check() const {
    const std::vector<std::string> families{"locks", "setnx", "ttl", "waiting", "replication"};
    if (auto wrong = unknown("family", family_, families)) return wrong;
    return unknown("verdict", verdict_, {"proved", "violated"});
  }

  bool wants(const CatalogueEntry& entry, const std::string& text) const {
    if (!entry.repairs_what.empty() && entry.family != sim::catalogue::Family::locks && !repairs_ &&
        !verdict_) {
      return false;
    }
    if (family_ && family_->text != to_string(entry.family)) return false;
    if (verdict_ && verdict_->text != to_string(entry.expected.outcome)) return false;
    if (property_ && entry.expected.property.find(property_->text) == std::string_view::npos) {
      return false;
    }
    return entry.name.find(text) != std::string_view::npos ||
           entry.summary.find(text) != std::string_view::npos;
  }

 private:
  static std::optional<Failure> unknown(const char* what,
                                        const std::optional<Given>& given,
                                        const std::vector<std::string>& words) {
    if (!given || std::find(words.begin(), words.end(), given->text) != words.end()) return {};
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return Failure(usage,
                   fmt::format("there is no {} {}: write one of {}", what, given->said(), list));
  }

  std::optional<Given> family_;
  std::optional<Given> verdict_;
  std::optional<Given> property_;
  bool repairs_ = false;
};

std::string as_json(const CatalogueEntry& entry) {
  nlohmann::ordered_json object{{"v", 1},
                                {"scenario", entry.name},
                                {"family", to_string(entry.family)},
                                {"summary", entry.summary},
                                {"protocol", entry.protocol},
                                {"verdict", to_string(entry.expected.outcome)}};
  if (!entry.expected.property.empty()) object["property"] = entry.expected.property;
  if (entry.expected.steps > 0) {
    object["steps"] = entry.expected.steps;
    object["faults"] = entry.expected.faults;
  }
  if (!entry.fix.empty()) object["fix"] = entry.fix;
  if (!entry.repaired().empty()) object["repaired"] = entry.repaired();
  if (!entry.repairs_what.empty()) object["repairs"] = entry.repairs_what;
  if (!entry.sources.empty()) object["sources"] = entry.sources;
  return object.dump() + "\n";
}

using Entries = std::vector<const CatalogueEntry*>;

Entries entries_for(const Filter& filter, const std::string& text) {
  Entries chosen;
  for (const CatalogueEntry& entry : sim::catalogue::entries()) {
    if (filter.wants(entry, text)) chosen.push_back(&entry);
  }
  return chosen;
}

int show_as_json(const Entries& entries) {
  std::string text;
  for (const CatalogueEntry* entry : entries) text += as_json(*entry);
  return answer(text);
}

int show(const Entries& entries, bool paged) {
  const auto columns = terminal_columns();
  if (!columns) return answer(scenario_lines(entries));
  const std::string list = scenario_list(entries, *columns);
  return paged ? answer_by_pages(list) : answer(list);
}

int scenarios(const Invocation& given) {
  bool json = false;
  bool document = false;
  bool no_pager = false;
  Filter filter;
  Flags flags("scenarios [flags] [FILTER]",
              "Lists the scenarios that interlock explore knows; with FILTER, only those with "
              "FILTER in their name or summary.");
  filter.add_to(flags);
  flags.json(&json, STDOUT_FILENO, "one JSON object a line");
  flags.toggle(0, "document", &document,
               "print all of them as one document in Markdown, with their runs");
  flags.toggle(0, "no-pager", &no_pager, "show all at once");
  flags.explain(explanation());
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return given.show(flags);
  if (const auto wrong = filter.check()) return fail(*wrong);
  if (document && (json || filter.given() || !arguments->operands.empty())) {
    return fail(Failure(usage,
                        "--document prints all scenarios, in Markdown: leave out --json "
                        "and all filters"));
  }
  if (document) {
    const auto whole = catalogue_document();
    return whole ? answer(*whole) : fail(whole.error());
  }
  const std::string wanted = arguments->operands.empty() ? "" : arguments->operands.front();

  const Entries chosen = entries_for(filter, wanted);
  if (chosen.empty()) {
    return fail(Failure(usage, fmt::format("no scenario {}matches: see interlock scenarios",
                                           wanted.empty() ? ""
                                                          : "with '" + printable(wanted, 60) +
                                                                "' in its name or summary ")));
  }
  return json ? show_as_json(chosen) : show(chosen, !no_pager);
}

}  // namespace

extern const Command scenarios_command;
const Command scenarios_command{"scenarios [FILTER]", "the locks and races that can be explored",
                                scenarios};

}  // namespace interlock::cli
