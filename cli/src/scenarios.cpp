// interlock scenarios: what there is to explore.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "commands.hpp"
#include "flags.hpp"
#include "interlock/sim/catalogue.hpp"
#include "talk.hpp"

namespace interlock::cli {
namespace {

using sim::catalogue::Entry;

std::string as_json(const Entry& entry) {
  nlohmann::ordered_json object{{"v", 1}, {"scenario", entry.name}, {"summary", entry.summary}};
  if (!entry.fix.empty()) object["fix"] = entry.fix;
  if (!entry.repaired.empty()) object["repaired"] = entry.repaired;
  return object.dump() + "\n";
}

int scenarios(const Invocation& given) {
  bool json = false;
  Flags flags("scenarios [flags] [FILTER]",
              "Lists the scenarios that interlock explore knows; with FILTER, those that have it "
              "in their name or summary.");
  flags.toggle(0, "json", &json, "one JSON object a line");
  const auto arguments = flags.parse(given.words, 1);
  if (!arguments) return fail(arguments.error());
  if (arguments->help) return answer(flags.help());
  const std::string filter = arguments->operands.empty() ? "" : arguments->operands.front();

  std::string text;
  std::size_t widest = 0;
  for (const Entry& entry : sim::catalogue::entries()) {
    widest = std::max(widest, entry.name.size());
  }
  for (const Entry& entry : sim::catalogue::entries()) {
    const bool meant = entry.name.find(filter) != std::string_view::npos ||
                       entry.summary.find(filter) != std::string_view::npos;
    if (!meant) continue;
    text += json ? as_json(entry) : fmt::format("{:<{}}  {}\n", entry.name, widest, entry.summary);
  }
  if (text.empty() && !json) {
    return fail(Failure(usage, fmt::format("no scenario has '{}' in its name or summary: see "
                                           "interlock scenarios",
                                           printable(filter, 60))));
  }
  return answer(text);
}

}  // namespace

extern const Command scenarios_command;
const Command scenarios_command{"scenarios [FILTER]", "the locks and races that can be explored",
                                scenarios};

}  // namespace interlock::cli
