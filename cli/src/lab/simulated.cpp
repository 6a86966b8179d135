#include "lab/simulated.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "console/lines.hpp"
#include "console/talk.hpp"
#include "interlock/detail/nearest_word.hpp"
#include "interlock/detail/number.hpp"
#include "interlock/sim/explore.hpp"
#include "interlock/sim/fault_text.hpp"
#include "interlock/sim/regression.hpp"
#include "interlock/sim/violation.hpp"
#include "lab/client_command.hpp"
#include "system/output_file.hpp"

namespace interlock::cli {
namespace {

// What a drawing is made of.
class Drawn {
 public:
  const Chosen& chosen;
  const sim::Run& run;
  const sim::Verdict* verdict;
  sim::Remarks remarks;
  sim::TextStyle style;
};

std::string as_text(const Drawn& drawn) {
  return sim::draw_text(drawn.run, drawn.verdict, drawn.remarks, drawn.style);
}
std::string as_mermaid(const Drawn& drawn) {
  return sim::draw_mermaid(drawn.run, drawn.verdict);
}
std::string as_svg(const Drawn& drawn) {
  return sim::draw_svg(drawn.run, drawn.verdict, drawn.remarks);
}
std::string as_html(const Drawn& drawn) {
  return sim::draw_html(drawn.run, drawn.verdict, drawn.remarks);
}
// The run in one line, with its command.
std::string in_short(const Drawn& drawn) {
  return sim::print_short(drawn.run, drawn.chosen.needed_options()) + drawn.chosen.tail();
}
std::string as_json(const Drawn& drawn) {
  return sim::to_json(drawn.run, drawn.verdict, in_short(drawn));
}
std::string as_schedule(const Drawn& drawn) {
  return sim::print(sim::make_schedule(drawn.run, drawn.chosen.all_options()));
}
std::string in_one_line(const Drawn& drawn) {
  return in_short(drawn) + "\n";
}
// A test in C++ of the run.
std::string as_gtest(const Drawn& drawn) {
  const auto build_of = [&](std::string_view name) {
    std::string options;
    for (const auto& [option, value] : drawn.chosen.all_options()) {
      options += fmt::format("{}{{\"{}\", \"{}\"}}", options.empty() ? "" : ", ", option, value);
    }
    return fmt::format("*sim::catalogue::build(\"{}\", {{{}}})", name, options);
  };
  sim::RegressionSource source;
  source.includes = {"interlock/sim/catalogue.hpp", "interlock/sim/testing.hpp"};
  source.scenario = build_of(drawn.chosen.entry.name);
  const std::string_view repaired = drawn.chosen.entry.repaired();
  if (!repaired.empty()) source.repair = build_of(repaired);
  source.written_by = fmt::format("interlock replay --format gtest {}", in_short(drawn));
  return sim::regression_test(drawn.run, source);
}

class Format {
 public:
  std::string_view name;
  bool needs_run;  // without one, nothing is drawn
  std::string (*draw)(const Drawn& drawn);
};

constexpr std::array formats{
    Format{"text", false, as_text},        Format{"ascii", false, as_text},
    Format{"mermaid", true, as_mermaid},   Format{"svg", true, as_svg},
    Format{"html", false, as_html},        Format{"json", false, as_json},
    Format{"schedule", true, as_schedule}, Format{"short", true, in_one_line},
    Format{"gtest", true, as_gtest},
};

// Null: there is none of this name.
const Format* format_named(std::string_view name) {
  const auto* const at = std::find_if(formats.begin(), formats.end(),
                                      [name](const Format& format) { return format.name == name; });
  return at == formats.end() ? nullptr : at;
}

constexpr std::array report_formats{"junit", "sarif"};

bool is_report_format(std::string_view name) {
  return std::find(report_formats.begin(), report_formats.end(), name) != report_formats.end();
}

std::vector<std::string> format_names(DrawingFlags::Reports reports) {
  std::vector<std::string> names;
  names.reserve(formats.size());
  for (const Format& format : formats) names.emplace_back(format.name);
  if (reports == DrawingFlags::Reports::offered) {
    names.insert(names.end(), report_formats.begin(), report_formats.end());
  }
  return names;
}

std::string format_list(DrawingFlags::Reports reports) {
  std::string list;
  for (const std::string& name : format_names(reports)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// Decides by the variables in the order of the C library.
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
  const std::string terminal = variable("TERM");
  const bool plain = !variable("NO_COLOR").empty() || terminal.empty() || terminal == "dumb";
  return !to_file && !plain && ::isatty(STDOUT_FILENO) == 1;
}

// The first of these options that its scenario cannot have; none: there is no such scenario.
std::optional<std::string> first_wrong(const std::string& scenario,
                                       const sim::ScheduleOptions& options) {
  sim::ScheduleOptions some;
  for (const auto& option : options) {
    some.push_back(option);
    if (!choose_scenario(scenario, some)) return option.first;
  }
  return std::nullopt;
}

// `line 3: `, for the line of a schedule that begins with this word.
std::string line_of(std::string_view word, const std::string& text) {
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with(std::string(word) + ' ')) return fmt::format("line {}: ", number);
  }
  return {};
}

Fallible<Loaded> replayed(Fallible<Chosen> chosen, const std::string& from, const auto& schedule) {
  if (!chosen) return chosen.error();
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
    std::uint64_t attempts = 1;
    for (const auto& [name, value] : options) {
      if (name == "attempts") attempts = detail::parse_number<std::uint64_t>(value).value_or(1);
    }
    all.emplace_back("attempts", std::to_string(attempts));
  }
  all.emplace_back("instants",
                   scenario.endless() ? "endless" : std::to_string(scenario.instants()));
  all.emplace_back("faults", sim::to_text(scenario.faults(), entry.make({}).faults()));
  add_properties(all);
  return all;
}

// Writes them in the order of the bounds, so that equal bounds have one line.
void Chosen::add_properties(sim::ScheduleOptions& all) const {
  constexpr auto deadlock = sim::PropertyKind::deadlock;
  std::string list;
  for (const sim::PropertyKind kind : scenario.chosen_kinds()) {
    list += (list.empty() ? "" : ",") + std::string(to_string(kind));
  }
  if (!list.empty()) {
    all.emplace_back("property", list);
  } else if (!scenario.requires_kind(deadlock) && entry.make({}).requires_kind(deadlock)) {
    all.emplace_back("deadlock", "allowed");
  }
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
  const bool is_command = entry.name == command_scenario;
  std::string words = is_command ? std::string() : std::string(entry.name);
  for (const auto& [name, value] : all_options()) {
    words += name == "deadlock" ? " --allow-deadlock" : fmt::format(" --{} {}", name, value);
  }
  if (is_command && !words.empty()) words.erase(0, 1);
  return words;
}

std::string Chosen::tail() const {
  return entry.name == command_scenario ? client_words() : std::string();
}

Fallible<Chosen> choose_scenario(const std::string& name, const sim::ScheduleOptions& options) {
  const bool is_command = name == command_scenario;
  const sim::catalogue::CatalogueEntry* entry =
      is_command ? client_entry() : sim::catalogue::find(name);
  if (is_command && entry == nullptr) {
    return Failure(usage,
                   "the scenario 'command' is that of a command line: write the command "
                   "behind --");
  }
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const auto& one : sim::catalogue::entries()) names.emplace_back(one.name);
    const std::string meant = detail::nearest_word(name, names);
    return Failure(usage, fmt::format("unknown scenario '{}'; {}", printable(name, 60),
                                      meant.empty() ? std::string("see interlock scenarios")
                                                    : fmt::format("did you mean '{}'?", meant)));
  }
  auto scenario = sim::catalogue::build(*entry, options);
  if (!scenario) return Failure(usage, scenario.error().detail());
  return Chosen(*entry, std::move(*scenario), options);
}

std::optional<Failure> make_again(Chosen& chosen) {
  auto again = sim::catalogue::build(chosen.entry, chosen.options);
  if (!again) return Failure(usage, again.error().detail());
  if (!chosen.scenario.symmetry()) again->symmetry(false);
  chosen.scenario = std::move(*again);
  return std::nullopt;
}

Fallible<Chosen> choose_scenario_of(const sim::Schedule& schedule,
                                    const sim::ScheduleOptions& options,
                                    const std::string& from,
                                    const std::string& text) {
  auto chosen = choose_scenario(schedule.scenario, options);
  if (chosen) return chosen;
  const bool known = sim::catalogue::find(schedule.scenario) != nullptr;
  const auto wrong = first_wrong(schedule.scenario, schedule.options);
  // If the command line asks for something else, the file itself is not wrong.
  if (known && !wrong) return chosen;
  return Failure(chosen.error().code,
                 fmt::format("{}: {}{}", from, line_of(known ? *wrong : "scenario", text),
                             chosen.error().message));
}

sim::Schedule told_steps(const sim::Run& run) {
  sim::Schedule schedule = sim::make_schedule(run);
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    if (!run.steps[at].operation) continue;
    const std::string recorded = describe(*run.steps[at].operation);
    std::string& action = schedule.steps[at].action;
    const std::size_t begin = action.find(recorded);
    if (begin == std::string::npos) continue;
    action.replace(begin, recorded.size(), run.steps[at].what);
  }
  return schedule;
}

bool is_file(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

Fallible<std::string> read_file(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    std::error_code unknown;
    if (!file || std::filesystem::is_directory(path, unknown)) {
      return Failure(usage, fmt::format("'{}' cannot be read: name a schedule's file, or a run as "
                                        "NAME:STEPS",
                                        printable(path)));
    }
  }
  std::istream& from = path == "-" ? std::cin : file;
  return std::string(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>());
}

namespace {

// The shortest run that breaks a scenario, searched for here and now.
Fallible<Loaded> shortest_run(const std::string& name) {
  auto chosen = choose_scenario(name, {});
  if (!chosen) return chosen.error();
  sim::Verdict verdict = sim::explore(chosen->scenario);
  if (verdict.outcome == sim::Outcome::violated) {
    return Loaded(std::move(*chosen), std::move(verdict.run));
  }
  if (verdict.outcome == sim::Outcome::incomplete) {
    return Failure(operating_system,
                   fmt::format("the run that breaks '{}' was not found: {}: raise the limit "
                               "(ulimit -v), or write a run as NAME:STEPS",
                               printable(name, 60), verdict.reason));
  }
  return Failure(usage, fmt::format("'{}' has no run that breaks it: write one as NAME:STEPS",
                                    printable(name, 60)));
}

Fallible<Loaded> run_in_short(const std::string& word) {
  const auto brief = sim::parse_short(word);
  if (!brief) return Failure(usage, brief.error().detail());
  const std::string from = printable(word, 60);
  auto chosen = choose_scenario(brief->scenario, brief->options);
  if (!chosen) {
    return Failure(chosen.error().code, fmt::format("{}: {}", from, chosen.error().message));
  }
  return replayed(std::move(chosen), from, *brief);
}

// What --format json has written: its first line says how the run is repeated. The command of a run
// stands behind `--` of the command line.
Fallible<Loaded> run_in_json(const std::string& name, const std::string& text) {
  const auto head = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
  const auto replay = head.is_object() ? head.find("replay") : head.end();
  if (replay == head.end() || !replay->is_string()) {
    return Failure(usage, fmt::format("{}: its first line has no run to repeat: write the file by "
                                      "interlock explore -f json, or name a schedule",
                                      printable(name)));
  }
  const auto run = replay->get<std::string>();
  auto loaded = run_in_short(run.substr(0, run.find(" -- ")));
  if (loaded) return loaded;
  return Failure(loaded.error().code,
                 fmt::format("{}: {}", printable(name), loaded.error().message));
}

Fallible<Loaded> run_in_file(const std::string& name, const std::string& text) {
  if (text.starts_with('{')) return run_in_json(name, text);
  const auto schedule = sim::parse_schedule(text);
  if (!schedule) {
    return Failure(usage, fmt::format("{}: {}", printable(name), schedule.error().detail()));
  }
  auto chosen = choose_scenario_of(*schedule, schedule->options, printable(name), text);
  return replayed(std::move(chosen), printable(name), *schedule);
}

// Loads a run again if it has names of its own: what happens to them counts, too.
Fallible<Loaded> with_its_names(const auto& load) {
  for (;;) {
    auto loaded = load();
    if (!learn_new_names()) return loaded;
  }
}

}  // namespace

Fallible<Loaded> load_run(const std::string& word) {
  if (sim::catalogue::find(word) != nullptr || word == command_scenario) {
    return with_its_names([&] { return shortest_run(word); });
  }
  if (word != "-" && !is_file(word) && word.find(':') != std::string::npos) {
    return with_its_names([&] { return run_in_short(word); });
  }
  const auto text = read_file(word);
  if (!text) return text.error();
  return with_its_names([&] { return run_in_file(word, *text); });
}

sim::TextStyle standard_style() {
  sim::TextStyle style;
  style.ascii = !speaks_utf8();
  style.colour = wants_colour(false);
  style.width = drawing_columns();
  return style;
}

std::vector<ExplainedWord> drawing_variables() {
  return {{"NO_COLOR", "set to anything: drawings have no colours"},
          {"TERM", "a dumb terminal gets no colours"},
          {"LC_ALL, LC_CTYPE, LANG", "whether drawings may have characters beyond ASCII"}};
}

void DrawingFlags::add_to(Flags& flags, Reports reports) {
  reports_ = reports;
  flags.value('f', "format", "FORMAT", &format, format_list(reports) + " (default: text)")
      .suggested = Suggestions(format_names(reports));
  flags
      .value('o', "output", "FILE", &output,
             "write to FILE, all or nothing, instead of to standard output")
      .suggested = Suggestions::files();
}

std::optional<Failure> DrawingFlags::check() const {
  if (!format || format_named(format->text) != nullptr || is_report()) return std::nullopt;
  return Failure(usage, fmt::format("{} is no format; write one of {}", format->said(),
                                    format_list(reports_)));
}

bool DrawingFlags::is_report() const {
  return reports_ == Reports::offered && format && is_report_format(format->text);
}

std::optional<Failure> DrawingFlags::why_no_command() const {
  if (!format || format->text != "gtest") return std::nullopt;
  return Failure(usage, fmt::format("{} is for scenarios in C++: of a command's clients keep the "
                                    "run by --format short, and repeat it by interlock replay",
                                    format->said()));
}

bool DrawingFlags::needs_run() const {
  const Format* const chosen = format ? format_named(format->text) : nullptr;
  return chosen != nullptr && chosen->needs_run;
}

std::string DrawingFlags::kind() const {
  if (format) return format->text;
  return speaks_utf8() ? "text" : "ascii";
}

sim::TextStyle DrawingFlags::style() const {
  const bool to_file = output && output->text != "-";
  sim::TextStyle style;
  style.ascii = kind() == "ascii";
  style.colour = wants_colour(to_file);
  if (!to_file) style.width = drawing_columns();
  return style;
}

std::string DrawingFlags::words(const std::string& text, std::size_t indent) const {
  return sim::draw_words(text, indent, style());
}

Fallible<std::string> DrawingFlags::draw(const Chosen& chosen,
                                         const sim::Run& run,
                                         const sim::Verdict* verdict) const {
  if (const auto wrong = check()) return *wrong;
  if (chosen.entry.name == command_scenario) {
    if (const auto wrong = why_no_command()) return *wrong;
  }
  sim::Remarks remarks;
  if (!run.empty()) {
    remarks.replay =
        "interlock replay " + sim::print_short(run, chosen.needed_options()) + chosen.tail();
  }
  if (violating_step(run)) {
    remarks.fix = chosen.entry.fix;
    if (!chosen.entry.repaired().empty()) {
      remarks.next = fmt::format("interlock explore {}", chosen.entry.repaired());
    }
  }
  return format_named(kind())->draw(Drawn{chosen, run, verdict, std::move(remarks), style()});
}

std::string DrawingFlags::coverage(const sim::Verdict& verdict) const {
  return sim::draw_coverage(verdict, style());
}

bool DrawingFlags::is_words() const {
  return !format || format->text == "text" || format->text == "ascii";
}

int DrawingFlags::write(const std::string& text) const {
  return write_output(output ? output->text : "-", text);
}

}  // namespace interlock::cli
