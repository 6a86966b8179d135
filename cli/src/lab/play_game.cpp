#include "lab/play_game.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "console/talk.hpp"

namespace interlock::cli {
namespace {

// If there are more, they are listed only when the player asks for them.
constexpr std::size_t faults_shown_most = 6;

constexpr const char* help_text =
    R"(You are the scheduler: say who moves next, until the lock is broken.
  1, 2, ... or a client's name   that client takes its next step
  t                              time passes
  1122                           several steps in a row
  undo (u)    takes the last step back       restart (r)   back to the beginning
  hint (h)    ask again for more             shortest (s)  the shortest run
  prove       claim that no run breaks it    faults        all that may go wrong
  why         why other steps cannot be      why A t x1    about these alone
  show        draws the run again            link (l)      the run's address
  help (?)    this                           quit (q)      leaves
)";

std::string counted(std::size_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string length_text(const sim::Run& run) {
  std::string text = counted(run.steps.size(), "step", "steps");
  if (run.faults() > 0) text += " with " + counted(run.faults(), "fault", "faults");
  return text;
}

}  // namespace

GameTable::GameTable(const Chosen& chosen, sim::Game& game, Console& console, Advise advise)
    : chosen_(chosen), game_(game), console_(console), advise_(std::move(advise)) {}

Played GameTable::play(bool with_goal) {
  result_.reset();
  if (with_goal) announce();
  show();
  while (!result_) {
    const auto line =
        console_.ask(prompt(), [this](std::string_view before) { return possible_words(before); });
    if (!line) {
      input_ended_ = console_.failure() == 0;
      return Played::left;
    }
    rest_ = words_of(*line);
    changed_ = rest_.empty();
    while (!rest_.empty()) {
      const std::string word = rest_.front();
      rest_.erase(rest_.begin());
      if (obey(word) == Next::stop) break;
    }
    if (game_.standing() == sim::Game::Standing::won && !result_) won();
    if (changed_ && !result_) show();
  }
  return *result_;
}

std::string GameTable::prompt() const {
  return fmt::format("step {}> ", game_.run().steps.size() + 1);
}

// --- what is shown -------------------------------------------------------------------------------

void GameTable::announce() {
  console_.say_words(fmt::format("{}: {}", chosen_.entry.name, chosen_.entry.summary), 2);
  const std::vector<std::string> goals = game_.goals();
  if (goals.size() == 1) {
    console_.say_words("goal  " + goals.front(), 6);
  } else {
    console_.print("goal  one of these:\n");
    for (const std::string& goal : goals) console_.say_words("      - " + goal, 8);
  }
  console_.say_words("par   " + par(), 6);
  console_.print("help  shows what you can type\n\n");
}

std::string GameTable::par() const {
  const sim::Verdict& best = game_.best();
  switch (best.outcome) {
    case sim::Outcome::violated:
      return length_text(best.run);
    case sim::Outcome::proved:
      return "find out whether there is one; if you think that no run breaks it, type prove";
    case sim::Outcome::incomplete:
    case sim::Outcome::invalid:
      break;
  }
  return "unknown: " + best.reason;
}

void GameTable::show() {
  hints_ = 0;
  sim::TextStyle style = console_.style();
  style.unfinished = true;
  console_.print(sim::draw_text(game_.run(), nullptr, {}, style));
  show_store();
  show_moves();
}

// Prints the keys for which the drawing's last column has no room.
void GameTable::show_store() {
  const std::vector<std::string> lines = game_.store();
  const auto& keys = game_.now().keys;
  const bool shown = lines.size() <= 1 && (keys.empty() || !keys.front().remaining);
  if (shown) return;
  for (const std::string& line : lines) console_.say_words("  store  " + line, 9);
}

void GameTable::show_moves() {
  std::size_t widest = 1;
  std::size_t faults = 0;
  for (const sim::Move& move : game_.moves()) {
    widest = std::max(widest, move.key.size());
    if (move.fault) ++faults;
  }
  const auto line = [&](const std::string& key, const std::string& who, const std::string& what) {
    console_.say_words(fmt::format("  {:>{}})  {:<5} {}", key, widest, who, what), widest + 11);
  };
  for (const sim::Move& move : game_.moves()) {
    if (!move.fault || faults <= faults_shown_most) line(move.key, move.mover, move.text);
  }
  for (const std::string& client : game_.still()) line("-", client, why_still(client));
  if (faults > faults_shown_most) {
    console_.say_words(fmt::format("  {} things may go wrong: see them with faults", faults), 2);
  }
  if (game_.standing() == sim::Game::Standing::over) {
    console_.say_words("  Nobody can move any more, and the lock is not broken: undo or restart.",
                       2);
  }
}

void GameTable::faults() {
  bool any = false;
  for (const sim::Move& move : game_.moves()) {
    if (!move.fault) continue;
    any = true;
    console_.say_words(fmt::format("  {:>5})  {:<5} {}", move.key, move.mover, move.text), 15);
  }
  if (!any) console_.print("  nothing may go wrong here\n");
}

// --- why not -------------------------------------------------------------------------------------

namespace {

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string list_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Faults that are not possible for one reason are one row.
class AnswerRow {
 public:
  explicit AnswerRow(const sim::MoveAnswer& answer)
      : movers{answer.mover}, what{answer.what}, keys(answer.keys), why(answer.why) {}
  bool takes(const sim::MoveAnswer& answer) const {
    return keys.empty() && answer.keys.empty() && why == answer.why && !what.front().empty() &&
           !answer.what.empty();
  }
  void add(const sim::MoveAnswer& answer) {
    add_once(movers, answer.mover);
    add_once(what, answer.what);
  }

  std::vector<std::string> movers;
  std::vector<std::string> what;
  std::vector<std::string> keys;
  std::string why;
};

}  // namespace

void GameTable::why() {
  std::vector<std::string> about = std::exchange(rest_, {});
  if (about.empty()) about.emplace_back();
  for (const std::string& word : about) {
    const auto answers = game_.why(word);
    if (answers) {
      show_answers(*answers);
    } else {
      console_.say_words(
          fmt::format("  {}{}", word.empty() ? "" : fmt::format("'{}': ", printable(word, 40)),
                      answers.error().detail()),
          2);
    }
  }
}

std::string GameTable::why_still(const std::string& client) const {
  const auto answers = game_.why(client);
  return answers ? answers->front().why : answers.error().detail();
}

void GameTable::show_answers(const std::vector<sim::MoveAnswer>& answers) {
  std::vector<AnswerRow> rows;
  for (const sim::MoveAnswer& answer : answers) {
    const auto same = std::find_if(rows.begin(), rows.end(),
                                   [&](const AnswerRow& row) { return row.takes(answer); });
    if (same == rows.end()) {
      rows.emplace_back(answer);
    } else {
      same->add(answer);
    }
  }
  for (const AnswerRow& row : rows) {
    const std::string what = list_of(row.what);
    const std::string reason = row.keys.empty() ? row.why : "possible";
    console_.say_words(fmt::format("  {})  {}  {}{}{}", row.keys.empty() ? "-" : list_of(row.keys),
                                   list_of(row.movers), what, what.empty() ? "" : ": ", reason),
                       6);
  }
}

// --- what is typed -------------------------------------------------------------------------------

GameTable::Next GameTable::obey(const std::string& word) {
  refused_ = false;
  const auto is = [&word](const auto& move) { return move.key == word; };
  const auto named = [&word](const auto& client) { return client.name == word; };
  const auto& moves = game_.moves();
  const auto& clients = game_.now().clients;
  const bool meant = std::any_of(moves.begin(), moves.end(), is) ||
                     std::any_of(clients.begin(), clients.end(), named);
  if (!meant) {
    if (const auto obeyed = command(word)) return *obeyed;
  }
  if (meant || game_.first_key(word).empty()) {
    move(word);
  } else {
    moves_in_one(word);
  }
  return refused_ ? Next::stop : Next::go_on;
}

class GameTable::GameCommand {
 public:
  std::string_view name;
  std::string_view letter;
  void (*run)(GameTable& table);

  static const std::array<GameCommand, 11>& all();
};

const std::array<GameTable::GameCommand, 11>& GameTable::GameCommand::all() {
  static constexpr std::array commands{
      GameCommand{"help", "?", [](GameTable& table) { table.console_.print(help_text); }},
      GameCommand{"undo", "u", [](GameTable& table) { table.undo(); }},
      GameCommand{"restart", "r",
                  [](GameTable& table) {
                    table.game_.restart();
                    table.changed_ = true;
                  }},
      GameCommand{"hint", "h", [](GameTable& table) { table.hint(); }},
      GameCommand{"shortest", "s", [](GameTable& table) { table.shortest(); }},
      GameCommand{"prove", "prove", [](GameTable& table) { table.prove(); }},
      GameCommand{"faults", "faults", [](GameTable& table) { table.faults(); }},
      GameCommand{"why", "why", [](GameTable& table) { table.why(); }},
      GameCommand{"show", "show", [](GameTable& table) { table.changed_ = true; }},
      GameCommand{"link", "l", [](GameTable& table) { table.link(); }},
      GameCommand{"quit", "q", [](GameTable& table) { table.result_ = Played::left; }},
  };
  return commands;
}

std::optional<GameTable::Next> GameTable::command(const std::string& word) {
  for (const GameCommand& known : GameCommand::all()) {
    if (word != known.name && word != known.letter) continue;
    known.run(*this);
    return result_ ? Next::stop : Next::go_on;
  }
  return std::nullopt;
}

std::vector<std::string> GameTable::possible_words(std::string_view before) const {
  std::vector<std::string> words;
  const std::vector<std::string> typed = words_of(before);
  const bool asks_why = !typed.empty() && typed.front() == "why";
  for (const sim::Move& move : game_.moves()) words.push_back(move.key);
  for (const sim::ClientView& client : game_.now().clients) words.push_back(client.name);
  if (asks_why) {
    for (std::size_t kind = 0; kind < sim::fault_kinds; ++kind) {
      words.emplace_back(to_string(static_cast<sim::Fault>(kind)));
    }
    return words;
  }
  for (const GameCommand& known : GameCommand::all()) words.emplace_back(known.name);
  return words;
}

void GameTable::move(const std::string& word) {
  const auto taken = game_.play(word);
  if (taken) {
    changed_ = true;
    return;
  }
  refused_ = true;
  const std::string why = game_.why_not(word);
  const bool unknown = why == "it is none of the moves";
  console_.say_words(fmt::format("  '{}' is not possible: {}{}", printable(word, 40), why,
                                 unknown ? "; see help" : ""),
                     2);
}

void GameTable::moves_in_one(const std::string& word) {
  for (std::string_view rest = word; !rest.empty() && !refused_;) {
    const std::string_view key = game_.first_key(rest);
    const std::string one(key.empty() ? rest.substr(0, 1) : key);
    move(one);
    rest.remove_prefix(one.size());
  }
}

void GameTable::undo() {
  changed_ = game_.undo() || changed_;
  if (!changed_) console_.print("  this is the beginning: there is no step to take back\n");
}

void GameTable::hint() {
  const sim::Advice advice = advise_();
  switch (advice.outcome) {
    case sim::Outcome::proved:
      console_.say_words(game_.run().empty() ? "  no run breaks the lock: type prove"
                                             : "  no run from here on breaks the lock: undo",
                         2);
      return;
    case sim::Outcome::violated:
      break;
    case sim::Outcome::incomplete:
    case sim::Outcome::invalid:
      console_.say_words("  no hint: " + advice.reason, 2);
      return;
  }
  if (!advice.next) return;
  const std::array levels{
      fmt::format("  you can break it from here, in {} (ask again for more)",
                  counted(advice.steps, "step", "steps")),
      fmt::format("  the next to move: {} (ask again for the step)", advice.next->mover),
      fmt::format("  {})  {}  {}", advice.next->key, advice.next->mover, advice.next->text)};
  console_.say_words(levels.at(std::min(hints_, levels.size() - 1)), 2);
  ++hints_;
}

sim::Remarks GameTable::remarks(const sim::Run& run) const {
  sim::Remarks remarks;
  remarks.replay =
      "interlock replay " + sim::print_short(run, chosen_.needed_options()) + chosen_.tail();
  return remarks;
}

void GameTable::shortest() {
  const sim::Verdict& best = game_.best();
  if (best.outcome != sim::Outcome::violated) {
    console_.say_words("  the search has found none: type prove", 2);
    return;
  }
  console_.print(sim::draw_text(best.run, nullptr, remarks(best.run), console_.style()));
  console_.print("  You are where you were.\n");
}

void GameTable::prove() {
  const sim::Verdict& best = game_.best();
  switch (best.outcome) {
    case sim::Outcome::violated:
      console_.say_words(
          fmt::format("  no: {} can break it; you have not found them yet", length_text(best.run)),
          2);
      return;
    case sim::Outcome::incomplete:
    case sim::Outcome::invalid:
      console_.say_words("  the search could not tell: " + best.reason, 2);
      return;
    case sim::Outcome::proved:
      break;
  }
  console_.print(sim::draw_text(sim::Run(), &best, {}, console_.style()));
  result_ = Played::proved;
}

void GameTable::link() {
  const std::string brief =
      sim::print_short(game_.run(), chosen_.needed_options()) + chosen_.tail();
  console_.print("  interlock replay " + brief + "\n");
}

void GameTable::won() {
  const sim::Run& run = game_.run();
  console_.print(sim::draw_text(run, nullptr, remarks(run), console_.style()));
  const sim::Verdict& best = game_.best();
  std::string text = "Broken in " + length_text(run) + ".";
  if (best.outcome == sim::Outcome::violated) {
    const bool at_par =
        run.steps.size() == best.run.steps.size() && run.faults() == best.run.faults();
    text += at_par ? " That is par: no run needs fewer faults, or as many faults and fewer steps."
                   : " Par is " + length_text(best.run) + ": shortest shows how.";
  }
  console_.say_words(text);
  result_ = Played::broken;
}

}  // namespace interlock::cli
