#include "lab.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "interlock/sim/alignment.hpp"
#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/game.hpp"
#include "interlock/sim/random_search.hpp"
#include "interlock/sim/schedule.hpp"

namespace interlock::lab {
namespace {

using Json = nlohmann::ordered_json;
using sim::Verdict;
using sim::catalogue::CatalogueEntry;

// A browser's page has 4 GiB at the most, and a search may need half as much again for a moment.
constexpr std::uint64_t memory = std::uint64_t{1} << 30;

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string failure(std::string_view why) {
  return text({{"error", why}});
}

std::string no_game() {
  return failure("no scenario is open");
}

std::string bounds_of(const CatalogueEntry& entry) {
  const auto scenario = sim::catalogue::build(entry, {});
  return scenario ? scenario->bounds() : std::string();
}

Json json_of(const CatalogueEntry& entry) {
  Json repairs = Json::array();
  for (const auto& repair : entry.repairs) {
    repairs.push_back({{"scenario", repair.scenario},
                       {"what", repair.what},
                       {"right", repair.right},
                       {"answer", repair.answer}});
  }
  Json json = {{"name", entry.name},
               {"family", to_string(entry.family)},
               {"summary", entry.summary},
               {"protocol", entry.protocol},
               {"outcome", to_string(entry.expected.outcome)},
               {"property", entry.expected.property},
               {"steps", entry.expected.steps},
               {"faults", entry.expected.faults},
               {"explanation", entry.explanation},
               {"fix", entry.fix},
               {"repairs_what", entry.repairs_what},
               {"slow", entry.slow},
               {"bounds", bounds_of(entry)},
               {"has_clients", entry.has_clients},
               {"has_attempts", entry.has_attempts},
               {"stale", nullptr},
               {"repairs", std::move(repairs)},
               {"sources", entry.sources}};
  if (entry.stale) {
    json["stale"] = {{"learned", entry.stale->learned}, {"acted", entry.stale->acted}};
  }
  return json;
}

// The path below the project's folder, which is where this file's own path begins to differ.
std::string below_project(std::string_view file) {
  constexpr std::string_view own = "lab/src/lab.cpp";
  constexpr std::string_view here = __FILE__;
  static_assert(here.ends_with(own));
  const std::string_view project = here.substr(0, here.size() - own.size());
  return std::string(file.starts_with(project) ? file.substr(project.size()) : file);
}

Json json_of(const std::vector<sim::TaskLine>& lines) {
  Json list = Json::array();
  for (const sim::TaskLine& line : lines) {
    list.push_back(
        {{"task", line.task}, {"file", below_project(line.file)}, {"line", line.number}});
  }
  return list;
}

// Each property once, by the word that options have for its kind.
Json json_of(const std::vector<sim::Property>& properties) {
  Json list = Json::array();
  for (const sim::Property& property : properties) {
    list.push_back({{"word", to_string(property.kind)}, {"name", property.name}});
  }
  return list;
}

// What can be asked of a scenario, whatever it is asked now.
std::vector<sim::Property> properties_of(std::string_view name) {
  const auto scenario = sim::catalogue::build(name, {});
  if (!scenario) return {};
  std::vector<sim::Property> all = scenario->properties();
  all.insert(all.end(), scenario->offered().begin(), scenario->offered().end());
  return all;
}

// The property that each goal breaks is beside it: a lesson is about one of them.
Json goals_of(const sim::Game& game) {
  Json list = Json::array();
  const std::vector<sim::Property>& all = game.scenario().properties();
  for (const sim::Property& property : all) {
    const std::string goal = goal_text(property);
    const std::vector<std::string> goals = game.goals();
    if (std::find(goals.begin(), goals.end(), goal) == goals.end()) continue;
    list.push_back({{"property", property.name}, {"text", goal}});
  }
  return list;
}

Json json_of(const sim::Move& move) {
  return {{"key", move.key}, {"mover", move.mover}, {"text", move.text}, {"fault", move.fault}};
}

// The lines of `--format json`: the run, then each step.
Json json_of(const sim::Run& run) {
  const std::string lines = to_json(run);
  Json list = Json::array();
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', from), lines.size());
    if (end > from) list.push_back(Json::parse(lines.substr(from, end - from), nullptr, false));
    from = end + 1;
  }
  return list;
}

// The word as a shell takes it. A value of an option that was accepted has no quote.
std::string shell_word(const std::string& value) {
  const bool plain = value.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,:.-") ==
                     std::string::npos;
  return plain ? value : "'" + value + "'";
}

std::string explore_command(std::string_view name, const sim::ScheduleOptions& options) {
  std::string command = "interlock explore " + std::string(name);
  for (const auto& [option, value] : options) {
    command +=
        option == "deadlock" ? " --allow-deadlock" : " --" + option + " " + shell_word(value);
  }
  return command;
}

std::string_view word_of(sim::Game::Standing standing) {
  switch (standing) {
    case sim::Game::Standing::open:
      return "open";
    case sim::Game::Standing::won:
      return "won";
    case sim::Game::Standing::over:
      return "over";
  }
  return "";
}

}  // namespace

std::string Lab::scenarios() {
  Json list = Json::array();
  for (const CatalogueEntry& entry : sim::catalogue::entries()) list.push_back(json_of(entry));
  return text(list);
}

// --- a game --------------------------------------------------------------------------------------

// A scenario in one size, and its game.
class Lab::Opened {
 public:
  Opened(const CatalogueEntry& of, sim::ScheduleOptions given, sim::Scenario scenario)
      : entry(of),
        options(std::move(given)),
        game(std::move(scenario), Verdict()),
        lines(1, game.lines()) {}

  std::string in_short() const { return print_short(game.run(), options); }
  // Why not; none: it is taken.
  std::optional<Error> play(std::string_view key) {
    const auto step = game.play(key);
    if (!step) return step.error();
    lines.push_back(game.lines());
    return std::nullopt;
  }

  // Why the run was refused, if there is no game. Else `steps` are those of the run, not yet taken.
  class Attempt;
  static Attempt begin(std::string_view run);
  static Attempt whole(std::string_view run);

  const CatalogueEntry& entry;
  sim::ScheduleOptions options;
  sim::Game game;
  // Where the clients waited before the first step, and after each.
  std::vector<std::vector<std::vector<sim::TaskLine>>> lines;
};

class Lab::Opened::Attempt {
 public:
  std::unique_ptr<Opened> opened;
  sim::ShortSchedule run;
  std::string refusal;

  Attempt refused(std::string_view wrong, std::string_view why) && {
    opened.reset();
    refusal = text({{"error", why}, {"wrong", wrong}});
    return std::move(*this);
  }
};

Lab::Opened::Attempt Lab::Opened::begin(std::string_view run) {
  Attempt attempt;
  auto parsed = sim::parse_short(run);
  if (!parsed) return std::move(attempt).refused("form", parsed.error().detail());
  attempt.run = *std::move(parsed);
  const CatalogueEntry* const entry = sim::catalogue::find(attempt.run.scenario);
  auto scenario = sim::catalogue::build(attempt.run.scenario, attempt.run.options);
  if (!scenario) {
    return std::move(attempt).refused(entry == nullptr ? "scenario" : "options",
                                      scenario.error().detail());
  }
  attempt.opened = std::make_unique<Opened>(*entry, attempt.run.options, *std::move(scenario));
  return attempt;
}

Lab::Opened::Attempt Lab::Opened::whole(std::string_view run) {
  Attempt attempt = begin(run);
  if (!attempt.opened) return attempt;
  const auto replayed = sim::replay(attempt.opened->game.scenario(), attempt.run);
  if (!replayed) return std::move(attempt).refused("steps", replayed.error().detail());
  for (const sim::RunStep& step : replayed->steps) {
    const auto wrong = attempt.opened->play(sim::print_short(step));
    if (wrong) return std::move(attempt).refused("steps", wrong->detail());
  }
  return attempt;
}

Lab::Lab(std::function<bool(const sim::Progress&)> proceed) : proceed_(std::move(proceed)) {}
Lab::~Lab() = default;

std::string Lab::open(std::string_view run) {
  Opened::Attempt attempt = Opened::whole(run);
  if (!attempt.opened) return attempt.refusal;
  opened_ = std::move(attempt.opened);
  found_ = Verdict();
  return state();
}

std::string Lab::fitting(std::string_view run) {
  const Opened::Attempt attempt = Opened::begin(run);
  if (!attempt.opened) return attempt.refusal;
  sim::Game& game = attempt.opened->game;
  // The game itself finds out what repeats for ever.
  std::string steps = attempt.run.steps;
  std::erase_if(steps, [](char letter) { return letter == '(' || letter == ')'; });
  std::string_view rest = steps;
  while (!rest.empty()) {
    const std::string key(game.first_key(rest));
    if (key.empty() || !game.play(key)) break;
    rest.remove_prefix(key.size());
  }
  return text({{"short", attempt.opened->in_short()},
               {"explore", explore_command(attempt.opened->entry.name, attempt.opened->options)}});
}

std::string Lab::compare(std::string_view one, std::string_view other) {
  Json answer = Json::object();
  std::vector<sim::Run> runs;
  for (const auto& [name, run] : {std::pair("one", one), std::pair("other", other)}) {
    const Opened::Attempt attempt = Opened::whole(run);
    if (!attempt.opened) return attempt.refusal;
    const Opened& opened = *attempt.opened;
    runs.push_back(opened.game.run());
    answer[name] = {{"name", opened.entry.name},
                    {"options", opened.options},
                    {"bounds", opened.game.scenario().bounds()},
                    {"short", opened.in_short()},
                    {"run", json_of(opened.game.run())}};
  }
  const std::vector<sim::AlignedRow> rows = sim::align(runs[0], runs[1]);
  answer["alike"] = sim::first_difference(rows);
  answer["rows"] = Json::array();
  for (const sim::AlignedRow& row : rows) {
    Json json = {{"same", row.same}};
    if (row.one) json["one"] = *row.one + 1;
    if (row.other) json["other"] = *row.other + 1;
    answer["rows"].push_back(std::move(json));
  }
  return text(answer);
}

std::string Lab::state() const {
  if (!opened_) return no_game();
  const sim::Game& game = opened_->game;
  Json moves = Json::array();
  for (const sim::Move& move : game.moves()) moves.push_back(json_of(move));
  const std::string run = opened_->in_short();
  return text({{"name", opened_->entry.name},
               {"options", opened_->options},
               {"standing", word_of(game.standing())},
               {"bounds", game.scenario().bounds()},
               {"short", run},
               {"replay", "interlock replay '" + run + "'"},
               {"explore", explore_command(opened_->entry.name, opened_->options)},
               {"goals", goals_of(game)},
               {"properties", json_of(properties_of(opened_->entry.name))},
               {"servers", game.scenario().servers()},
               {"moves", std::move(moves)},
               {"still", game.still()},
               {"store", game.store()},
               {"run", json_of(game.run())}});
}

std::string Lab::lines() const {
  if (!opened_) return no_game();
  Json steps = Json::array();
  for (const auto& clients : opened_->lines) {
    Json step = Json::array();
    for (const std::vector<sim::TaskLine>& client : clients) step.push_back(json_of(client));
    steps.push_back(std::move(step));
  }
  return text(steps);
}

std::string Lab::play(std::string_view key) {
  if (!opened_) return no_game();
  const auto wrong = opened_->play(key);
  return wrong ? failure(wrong->detail()) : state();
}

std::string Lab::undo() {
  if (!opened_) return no_game();
  if (opened_->game.undo()) opened_->lines.pop_back();
  return state();
}

std::string Lab::restart() {
  if (!opened_) return no_game();
  opened_->game.restart();
  opened_->lines.resize(1);
  return state();
}

// --- searches ------------------------------------------------------------------------------------

sim::Limits Lab::limits(std::uint64_t states) const {
  sim::Limits limits;
  if (states > 0) limits.states = states;
  limits.memory = memory;
  limits.proceed = proceed_;
  return limits;
}

std::string Lab::found(sim::catalogue::Searched searched, const sim::Scenario& scenario) {
  found_ = std::move(searched.verdict);
  Json left_out = Json::array();
  for (const sim::catalogue::LeftOut& one : searched.left_out) {
    Json names = Json::array();
    for (const sim::Property& property : properties_of(opened_->entry.name)) {
      if (to_string(property.kind) == one.property) names.push_back(property.name);
    }
    left_out.push_back({{"property", one.property}, {"names", std::move(names)}, {"why", one.why}});
  }
  return text({{"verdict", Json::parse(to_json(found_), nullptr, false)},
               {"properties", json_of(scenario.properties())},
               {"left_out", std::move(left_out)},
               {"short", print_short(found_.run, opened_->options)},
               {"run", json_of(found_.run)}});
}

std::string Lab::explore(std::uint64_t states) {
  if (!opened_) return no_game();
  sim::Scenario scenario = opened_->game.scenario();
  auto searched = sim::catalogue::search_what_can_happen(
      opened_->entry, opened_->options, scenario,
      [&](const sim::Scenario& within) { return sim::explore(within, limits(states)); });
  return found(std::move(searched), scenario);
}

std::string Lab::random(std::uint64_t runs, std::uint64_t seed) {
  if (!opened_) return no_game();
  sim::RandomSearch search;
  search.runs = runs;
  search.seed = seed;
  const sim::Scenario& scenario = opened_->game.scenario();
  return found({sim::search_at_random(scenario, search).verdict, {}}, scenario);
}

std::string Lab::advice(std::uint64_t states) {
  if (!opened_) return no_game();
  const sim::Advice advice = opened_->game.advice(limits(states));
  return text({{"outcome", to_string(advice.outcome)},
               {"reason", advice.reason},
               {"steps", advice.steps},
               {"next", advice.next ? json_of(*advice.next) : Json()}});
}

// --- pictures ------------------------------------------------------------------------------------

std::string Lab::draw(Of which, std::string_view format) const {
  if (!opened_) return no_game();
  const sim::Run& run = which == Of::game ? opened_->game.run() : found_.run;
  const Verdict* const verdict = which == Of::game ? nullptr : &found_;
  if (format == "svg") return draw_svg(run, verdict);
  if (format == "text") return draw_text(run, verdict);
  if (format == "mermaid") return draw_mermaid(run, verdict);
  if (format == "html") return draw_html(run, verdict);
  if (format == "json") return to_json(run, verdict, print_short(run, opened_->options));
  if (format == "schedule") return print(make_schedule(run, opened_->options));
  return failure("format: '" + std::string(format) +
                 "' is none of svg, text, mermaid, html, json, schedule");
}

}  // namespace interlock::lab
