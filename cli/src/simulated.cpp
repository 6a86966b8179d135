#include "simulated.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "interlock/detail/nearest_word.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/fault_text.hpp"
#include "interlock/sim/violation.hpp"
#include "talk.hpp"

namespace interlock::cli {
namespace {

constexpr std::array formats{"text", "ascii", "mermaid",  "svg",
                             "html", "json",  "schedule", "short"};

std::string format_list() {
  std::string list;
  for (const char* format : formats) list += (list.empty() ? "" : ", ") + std::string(format);
  return list;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// As the C library would see it.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = variable(name);
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

bool wants_colour(bool to_file) {
  const bool plain = !variable("NO_COLOR").empty() || variable("TERM") == "dumb";
  return !to_file && !plain && ::isatty(STDOUT_FILENO) == 1;
}

Outcome<Loaded> replayed(const std::string& scenario,
                         const sim::ScheduleOptions& options,
                         const std::string& from,
                         const auto& schedule) {
  auto chosen = choose_scenario(scenario, options);
  if (!chosen) {
    return Failure(chosen.error().code, fmt::format("{}: {}", from, chosen.error().message));
  }
  auto run = sim::replay(chosen->scenario, schedule);
  if (!run) return Failure(usage, fmt::format("{}: {}", from, run.error().detail()));
  return Loaded(std::move(*chosen), std::move(*run));
}

}  // namespace

sim::ScheduleOptions Chosen::all_options() const {
  sim::ScheduleOptions all;
  if (entry.has_clients) {
    all.emplace_back("clients", std::to_string(scenario.processes().size()));
  }
  if (entry.has_attempts) {
    std::string attempts = "1";
    for (const auto& [name, value] : options) {
      if (name == "attempts") attempts = value;
    }
    all.emplace_back("attempts", attempts);
  }
  all.emplace_back("instants",
                   scenario.endless() ? "endless" : std::to_string(scenario.instants()));
  all.emplace_back("faults", sim::to_text(scenario.faults(), entry.make({}).faults()));
  for (const auto& option : options) {
    if (option.first == "property" || option.first == "deadlock") all.push_back(option);
  }
  return all;
}

sim::ScheduleOptions Chosen::needed_options() const {
  sim::ScheduleOptions needed = all_options();
  const sim::ScheduleOptions usual = Chosen(entry, entry.make({}), {}).all_options();
  needed.erase(std::remove_if(needed.begin(), needed.end(),
                              [&usual](const auto& option) {
                                return std::find(usual.begin(), usual.end(), option) != usual.end();
                              }),
               needed.end());
  return needed;
}

std::string Chosen::words() const {
  std::string words(entry.name);
  for (const auto& [name, value] : all_options()) {
    words += name == "deadlock" ? " --allow-deadlock" : fmt::format(" --{} {}", name, value);
  }
  return words;
}

Outcome<Chosen> choose_scenario(const std::string& name, const sim::ScheduleOptions& options) {
  const sim::catalogue::Entry* entry = sim::catalogue::find(name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const auto& one : sim::catalogue::entries()) names.emplace_back(one.name);
    const std::string meant = detail::nearest_word(name, names);
    return Failure(usage, fmt::format("unknown scenario '{}'; {}", printable(name, 60),
                                      meant.empty() ? std::string("see interlock scenarios")
                                                    : fmt::format("did you mean '{}'?", meant)));
  }
  auto scenario = sim::catalogue::build(name, options);
  if (!scenario) return Failure(usage, scenario.error().detail());
  return Chosen(*entry, std::move(*scenario), options);
}

bool is_file(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

Outcome<std::string> read_file(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    std::error_code unknown;
    if (!file || std::filesystem::is_directory(path, unknown)) {
      return Failure(usage, fmt::format("'{}' cannot be read: give a schedule's file, or a run as "
                                        "NAME:STEPS",
                                        printable(path)));
    }
  }
  std::istream& from = path == "-" ? std::cin : file;
  return std::string(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>());
}

namespace {

// The shortest run that breaks a scenario, searched for here and now.
Outcome<Loaded> shortest_run(const std::string& name) {
  auto chosen = choose_scenario(name, {});
  if (!chosen) return chosen.error();
  sim::Verdict verdict = sim::explore(chosen->scenario);
  if (verdict.outcome == sim::Outcome::violated) {
    return Loaded(std::move(*chosen), std::move(verdict.run));
  }
  return Failure(usage, fmt::format("'{}' has no run that breaks it: give one as NAME:STEPS",
                                    printable(name, 60)));
}

}  // namespace

Outcome<Loaded> load_run(const std::string& word) {
  if (!is_file(word) && sim::catalogue::find(word) != nullptr) return shortest_run(word);
  if (word != "-" && !is_file(word) && word.find(':') != std::string::npos) {
    const auto brief = sim::parse_short(word);
    if (!brief) return Failure(usage, brief.error().detail());
    return replayed(brief->scenario, brief->options, printable(word, 60), *brief);
  }
  const auto text = read_file(word);
  if (!text) return text.error();
  const auto schedule = sim::parse_schedule(*text);
  if (!schedule) {
    return Failure(usage, fmt::format("{}: {}", printable(word), schedule.error().detail()));
  }
  return replayed(schedule->scenario, schedule->options, printable(word), *schedule);
}

sim::TextStyle standard_style() {
  sim::TextStyle style;
  style.ascii = !speaks_utf8();
  style.colour = wants_colour(false);
  return style;
}

void DrawingFlags::add_to(Flags& flags) {
  flags.value('f', "format", "FORMAT", &format, format_list() + " (default: text)");
  flags.value('o', "output", "FILE", &output, "write there instead of to standard output");
}

std::optional<Failure> DrawingFlags::check() const {
  if (!format || std::find(formats.begin(), formats.end(), format->text) != formats.end()) {
    return std::nullopt;
  }
  return Failure(usage,
                 fmt::format("{} is no format; write one of {}", format->said(), format_list()));
}

bool DrawingFlags::needs_run() const {
  constexpr std::array of_runs{"mermaid", "svg", "schedule", "short"};
  return format && std::find(of_runs.begin(), of_runs.end(), format->text) != of_runs.end();
}

std::string DrawingFlags::kind() const {
  if (format) return format->text;
  return speaks_utf8() ? "text" : "ascii";
}

sim::TextStyle DrawingFlags::style() const {
  sim::TextStyle style;
  style.ascii = kind() == "ascii";
  style.colour = wants_colour(output.has_value());
  return style;
}

std::string DrawingFlags::words(const std::string& text, std::size_t indent) const {
  return sim::draw_words(text, indent, style());
}

Outcome<std::string> DrawingFlags::draw(const Chosen& chosen,
                                        const sim::Run& run,
                                        const sim::Verdict* verdict) const {
  if (const auto wrong = check()) return *wrong;
  const std::string kind = this->kind();
  const std::string brief = sim::print_short(run, chosen.needed_options());
  sim::Remarks remarks;
  if (!run.empty()) remarks.replay = "interlock replay " + brief;
  if (violating_step(run)) {
    remarks.fix = chosen.entry.fix;
    if (!chosen.entry.repaired().empty()) {
      remarks.next = fmt::format("interlock explore {}", chosen.entry.repaired());
    }
  }
  if (kind == "text" || kind == "ascii") return sim::draw_text(run, verdict, remarks, style());
  if (kind == "mermaid") return sim::draw_mermaid(run, verdict);
  if (kind == "svg") return sim::draw_svg(run, verdict, remarks);
  if (kind == "html") return sim::draw_html(run, verdict, remarks);
  if (kind == "json") return sim::to_json(run, verdict);
  if (kind == "schedule") return sim::print(sim::make_schedule(run, chosen.all_options()));
  return brief + "\n";
}

int DrawingFlags::write(const std::string& text) const {
  if (!output) return answer(text);
  std::ofstream file(output->text, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return success;
  return fail(Failure(operating_system, fmt::format("'{}' cannot be written: choose another file",
                                                    printable(output->text))));
}

}  // namespace interlock::cli
