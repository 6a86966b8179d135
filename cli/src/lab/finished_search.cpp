#include "lab/finished_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "console/lines.hpp"
#include "console/safe_text.hpp"
#include "console/shell_words.hpp"
#include "lab/client_command.hpp"

namespace interlock::cli {
namespace {

using sim::catalogue::LeftOut;

std::string as_json(const FinishedSearch& search) {
  const sim::Verdict& verdict = search.verdict;
  auto object = nlohmann::ordered_json::parse(sim::to_json(verdict));
  object["left_out"] = nlohmann::ordered_json::array();
  for (const LeftOut& one : search.left_out) {
    object["left_out"].push_back({{"property", one.property}, {"why", one.why}});
  }
  object["again"] = search.again;
  object["seconds"] = search.seconds;
  if (verdict.outcome == sim::Outcome::violated) {
    object["replay"] =
        sim::print_short(verdict.run, search.chosen.needed_options()) + search.chosen.tail();
  }
  return object.dump() + "\n";
}

// A proof tells by itself what no run did, in a line or two.
std::string never(const sim::Verdict& verdict, const DrawingFlags& drawing) {
  constexpr std::size_t most = 3;
  if (verdict.outcome != sim::Outcome::proved) return {};
  std::string text = verdict.coverage.never_in_words(most);
  if (text.empty()) return {};
  if (verdict.coverage.never().size() > most) text += " (--coverage lists them)";
  return drawing.words("  never   " + printable(text), 10);
}

std::string figures(const FinishedSearch& search, const DrawingFlags& drawing) {
  const sim::Verdict& verdict = search.verdict;
  std::string text = fmt::format(
      "  explored  {}, {}, depth {}{}, in {:.2f} s\n", counted(verdict.states, "state"),
      counted(verdict.transitions, "step"), verdict.depth, client_figures(), search.seconds);
  if (verdict.merged_local_states > 0) {
    text += fmt::format("          {} of the clients were taken as {}\n",
                        counted(verdict.local_states, "local state"), verdict.merged_local_states);
  } else if (search.asked_to_merge) {
    text += "          no local states were merged\n";
  }
  if (verdict.outcome == sim::Outcome::violated) {
    text += verdict.run.loop
                ? "          the run is minimal: none that ends so has fewer faults, or as many\n"
                  "          faults and fewer steps\n"
                : "          the run is minimal: none that breaks it has fewer faults, or as many\n"
                  "          faults and fewer steps\n";
  }
  text += grounds(verdict, search.again);
  for (const LeftOut& one : search.left_out) {
    text += drawing.words(fmt::format("  left out  {}: {}", one.property, one.why), 12);
  }
  return text + never(verdict, drawing);
}

// The command behind `--`, as one word.
std::string command_line() {
  const std::string words = client_words();
  const std::size_t dashes = words.find(" -- ");
  return dashes == std::string::npos ? std::string() : words.substr(dashes + 4);
}

// The file that a command names, `worker.py`: the first of its words that is one here.
std::string file_of_command() {
  const auto words = unquoted_words(command_line());
  if (!words) return {};
  for (const std::string& word : *words) {
    if (!word.starts_with('/') && is_file(word)) return word;
  }
  return {};
}

void add(const sim::CoveredOutcome& outcome, std::vector<sim::CoveredOutcome>& outcomes) {
  const auto same = std::find_if(outcomes.begin(), outcomes.end(),
                                 [&](const auto& one) { return one.name == outcome.name; });
  if (same == outcomes.end()) {
    outcomes.push_back(outcome);
  } else {
    same->seen = same->seen || outcome.seen;
  }
}

// Operations that differ in their lines alone become one.
void drop_lines(sim::Coverage& coverage) {
  std::vector<sim::CoveredOperation> merged;
  for (sim::CoveredOperation& operation : coverage.operations) {
    operation.file.clear();
    operation.line = 0;
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const auto& one) {
      return one.clients == operation.clients && one.task == operation.task &&
             one.what == operation.what;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(operation));
    } else {
      for (const sim::CoveredOutcome& outcome : operation.outcomes) add(outcome, same->outcomes);
    }
  }
  coverage.operations = std::move(merged);
}

// None: there is no such plain file, or it is too large for the source of a program.
std::optional<std::string> text_of_source(const std::string& path) {
  constexpr std::uintmax_t most_bytes = 4'000'000;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  std::ifstream file(path, std::ios::binary);
  if (unknown || bytes > most_bytes || !file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The compiler was called in a folder below that of the sources, perhaps; interlock is called in
// that of the sources.
std::optional<sim::SourceText> read_source(const std::string& name) {
  for (const std::string& path : {name, sim::below_the_sources(name)}) {
    if (auto text = text_of_source(path)) return sim::SourceText{name, *std::move(text)};
  }
  return std::nullopt;
}

}  // namespace

int exit_code(const sim::Verdict& verdict) {
  switch (verdict.outcome) {
    case sim::Outcome::proved:
      return holds;
    case sim::Outcome::violated:
      return violated;
    case sim::Outcome::incomplete:
      return undecided;
    case sim::Outcome::invalid:
      break;
  }
  return usage;
}

std::string coverage_page(const sim::Verdict& verdict) {
  std::vector<sim::SourceText> sources;
  for (const std::string& name : verdict.coverage.files()) {
    if (auto source = read_source(name)) sources.push_back(*std::move(source));
  }
  return sim::draw_coverage_page(verdict, sources);
}

std::string grounds(const sim::Verdict& verdict, const std::string& again) {
  std::string text = fmt::format("  again   {}\n", again);
  for (const std::string& promise : verdict.trusts) text += fmt::format("  trusts  {}\n", promise);
  for (const std::string& note : client_notes()) text += fmt::format("  note    {}\n", note);
  for (const sim::Goal& goal : verdict.goals) {
    // A search that has not visited every run does not know which goals are missed.
    if (!goal.reached && verdict.outcome == sim::Outcome::incomplete) continue;
    // A command's goals name its keys.
    text += fmt::format("  {}  {}\n", goal.reached ? "reached" : "MISSED ", printable(goal.name));
  }
  return text;
}

void tell(FinishedSearch& search, const DrawingFlags& drawing, bool coverage) {
  // interlock does not see into a command: the lines would be those of interlock's own sources.
  if (search.chosen.entry.name == command_scenario) drop_lines(search.verdict.coverage);
  search.json = as_json(search);
  search.figures = figures(search, drawing);
  if (coverage && !search.verdict.coverage.empty()) {
    search.figures += drawing.coverage(search.verdict);
  }
}

sim::ReportedSearch reported(const FinishedSearch& search, std::uint64_t peak_memory) {
  const bool is_command = search.chosen.entry.name == command_scenario;
  sim::ReportedSearch report;
  report.name = is_command ? command_line() : std::string(search.chosen.entry.name);
  report.verdict = search.verdict;
  report.seconds = search.seconds;
  report.peak_memory = peak_memory;
  report.rule = sim::rule_of(search.chosen.scenario, search.verdict);
  report.again = search.again;
  if (!search.verdict.run.empty()) {
    report.replay = "interlock replay " +
                    sim::print_short(search.verdict.run, search.chosen.needed_options()) +
                    search.chosen.tail();
  }
  for (const LeftOut& one : search.left_out) {
    report.left_out.push_back(one.property + ": " + one.why);
  }
  if (is_command) {
    report.file = file_of_command();
  } else {
    report.lines = sim::lines_of(search.chosen.scenario, search.verdict.run);
  }
  return report;
}

}  // namespace interlock::cli
