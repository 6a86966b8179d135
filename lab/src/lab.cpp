#include "lab.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "interlock/sim/catalogue.hpp"
#include "interlock/sim/draw.hpp"
#include "interlock/sim/random_search.hpp"

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

std::string Lab::open(std::string_view run) {
  const auto parsed = sim::parse_short(run);
  if (!parsed) return failure(parsed.error().detail());
  auto scenario = sim::catalogue::build(parsed->scenario, parsed->options);
  if (!scenario) return failure(scenario.error().detail());
  const auto replayed = sim::replay(*scenario, *parsed);
  if (!replayed) return failure(replayed.error().detail());
  name_ = parsed->scenario;
  options_ = parsed->options;
  found_ = Verdict();
  game_.emplace(*std::move(scenario), Verdict());
  lines_.assign(1, game_->lines());
  for (const sim::RunStep& step : replayed->steps) {
    const auto taken = game_->play(sim::print_short(step));
    if (!taken) return failure(taken.error().detail());
    lines_.push_back(game_->lines());
  }
  return state();
}

std::string Lab::state() const {
  if (!game_) return no_game();
  Json moves = Json::array();
  for (const sim::Move& move : game_->moves()) moves.push_back(json_of(move));
  Json still = Json::array();
  for (const sim::Still& one : game_->still()) {
    still.push_back({{"client", one.client}, {"why", one.why}});
  }
  const std::string run = print_short(game_->run(), options_);
  return text({{"name", name_},
               {"options", options_},
               {"standing", word_of(game_->standing())},
               {"bounds", game_->scenario().bounds()},
               {"short", run},
               {"replay", "interlock replay '" + run + "'"},
               {"goals", goals_of(*game_)},
               {"properties", json_of(properties_of(name_))},
               {"servers", game_->scenario().servers()},
               {"moves", std::move(moves)},
               {"still", std::move(still)},
               {"store", game_->store()},
               {"run", json_of(game_->run())}});
}

std::string Lab::lines() const {
  if (!game_) return no_game();
  Json steps = Json::array();
  for (const auto& clients : lines_) {
    Json step = Json::array();
    for (const std::vector<sim::TaskLine>& client : clients) step.push_back(json_of(client));
    steps.push_back(std::move(step));
  }
  return text(steps);
}

std::string Lab::play(std::string_view key) {
  if (!game_) return no_game();
  const auto step = game_->play(key);
  if (!step) return failure(step.error().detail());
  lines_.push_back(game_->lines());
  return state();
}

std::string Lab::undo() {
  if (!game_) return no_game();
  if (game_->undo()) lines_.pop_back();
  return state();
}

std::string Lab::restart() {
  if (!game_) return no_game();
  game_->restart();
  lines_.resize(1);
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

std::string Lab::found(Verdict verdict) {
  found_ = std::move(verdict);
  return text({{"verdict", Json::parse(to_json(found_), nullptr, false)},
               {"short", print_short(found_.run, options_)},
               {"run", json_of(found_.run)}});
}

std::string Lab::explore(std::uint64_t states) {
  return game_ ? found(sim::explore(game_->scenario(), limits(states))) : no_game();
}

std::string Lab::random(std::uint64_t runs, std::uint64_t seed) {
  if (!game_) return no_game();
  sim::RandomSearch search;
  search.runs = runs;
  search.seed = seed;
  return found(sim::search_at_random(game_->scenario(), search).verdict);
}

std::string Lab::advice(std::uint64_t states) {
  if (!game_) return no_game();
  const sim::Advice advice = game_->advice(limits(states));
  return text({{"outcome", to_string(advice.outcome)},
               {"reason", advice.reason},
               {"steps", advice.steps},
               {"next", advice.next ? json_of(*advice.next) : Json()}});
}

// --- pictures ------------------------------------------------------------------------------------

std::string Lab::draw(Of which, std::string_view format) const {
  if (!game_) return no_game();
  const sim::Run& run = which == Of::game ? game_->run() : found_.run;
  const Verdict* const verdict = which == Of::game ? nullptr : &found_;
  if (format == "svg") return draw_svg(run, verdict);
  if (format == "text") return draw_text(run, verdict);
  if (format == "mermaid") return draw_mermaid(run, verdict);
  if (format == "html") return draw_html(run, verdict);
  if (format == "json") return to_json(run, verdict);
  if (format == "schedule") return print(make_schedule(run, options_));
  return failure("format: '" + std::string(format) +
                 "' is none of svg, text, mermaid, html, json, schedule");
}

}  // namespace interlock::lab
