#include "interlock/sim/game.hpp"

#include <algorithm>
#include <cctype>

#include "interlock/sim/schedule.hpp"
#include "interlock/sim/violation.hpp"
#include "run/move_text.hpp"
#include "run/token_names.hpp"
#include "scenario/fault_table.hpp"

namespace interlock::sim {
namespace {

bool same_word(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char left, char right) {
    return std::tolower(static_cast<unsigned char>(left)) ==
           std::tolower(static_cast<unsigned char>(right));
  });
}

// The name of a client, or its number; none: it is neither.
std::optional<std::size_t> client_meant(const Snapshot& now, std::string_view word) {
  for (std::size_t client = 0; client < now.clients.size(); ++client) {
    if (same_word(now.clients[client].name, word)) return client;
    if (word == std::to_string(client + 1)) return client;
  }
  return std::nullopt;
}

constexpr const char* none_of_the_moves = "it is none of the moves";
constexpr const char* broken_already = "the lock is broken already: take steps back with undo";

// The steps that a player means by a word.
class MeantSteps {
 public:
  // None: no steps have this word.
  static std::optional<MeantSteps> by(std::string_view word, const Snapshot& now) {
    MeantSteps meant;
    meant.everything_ = word.empty();
    meant.time_ = word == "t" || word == "time";
    if (meant.everything_ || meant.time_) return meant;
    // `A/renewal`: a task's client.
    meant.client_ = client_meant(now, word);
    if (!meant.client_) meant.client_ = client_meant(now, word.substr(0, word.find('/')));
    // A move's key has marks behind the number.
    if (!meant.client_ && is_key(word, 0)) meant.client_ = client_meant(now, word.substr(0, 1));
    if (meant.client_) return meant;
    return meant.reads_fault(word) ? std::optional(meant) : std::nullopt;
  }

  bool has(const ExpectedStep& step) const {
    if (everything_) return true;
    if (time_) return !step.client && !step.server && (!step.fault || *step.fault == Fault::pause);
    if (client_) return step.client == client_;
    if (step.fault != fault_) return false;
    if (!actor_) return true;
    return of_server_ ? step.server == actor_ : step.client == actor_;
  }
  // The same without faults, if it is not about one.
  bool has_first(const ExpectedStep& step) const { return has(step) && (fault_ || !step.fault); }
  bool is_one_step() const {
    const bool has_actor = actor_ || (fault_ && *fault_ == Fault::pause);
    return !everything_ && (!fault_ || has_actor);
  }

 private:
  static bool is_digit(char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
  }
  // Whether a number is at `at`, and what follows it is no part of a word.
  static bool is_key(std::string_view word, std::size_t at) {
    if (word.size() <= at || !is_digit(word[at])) return false;
    return word.size() == at + 1 || std::isalnum(static_cast<unsigned char>(word[at + 1])) == 0;
  }

  bool reads_fault(std::string_view word) {
    const bool is_letter = word.size() == 1 || is_key(word, 1);
    for (const FaultKind& kind : fault_table) {
      const bool is_of_server = is_letter && kind.server_letter == word.front();
      if (word != kind.word && !is_of_server && !(is_letter && kind.letter == word.front())) {
        continue;
      }
      fault_ = kind.fault;
      of_server_ = is_of_server || kind.target == FaultTarget::server;
      if (is_letter && word.size() > 1) actor_ = static_cast<std::size_t>(word[1] - '1');
      return true;
    }
    return false;
  }

  bool everything_ = false;
  bool time_ = false;
  std::optional<std::size_t> client_;
  std::optional<Fault> fault_;
  std::optional<std::size_t> actor_;  // of the fault
  bool of_server_ = false;
};

Error impossible(std::string what) {
  return {Errc::invalid_argument, std::move(what)};
}

}  // namespace

std::string goal_text(const Property& property) {
  if (!property.goal.empty()) return property.goal;
  const std::string& on = property.subject;
  switch (property.kind) {
    case PropertyKind::mutual_exclusion:
      return "make two clients believe at one time that they hold " + on;
    case PropertyKind::lease_exclusion:
      return "make " +
             (property.at_most == 1 ? std::string("two") : std::to_string(property.at_most + 1)) +
             " clients believe at one time that they hold " + on + ", each within its lease";
    case PropertyKind::owner_only:
      return "make a client remove or prolong " + on + " while another's value is in it";
    case PropertyKind::no_overwrite:
      return "make a client overwrite " + on + " while another's value is in it";
    case PropertyKind::fencing_grows:
      return "make a grant of " + on + " have no greater fencing token than the one before";
    case PropertyKind::fenced_writes:
      return "make " + on + " accept a stale write after a newer one";
    case PropertyKind::no_orphan:
      return "leave " + on + " behind for ever when every client has ended";
    case PropertyKind::no_lost_wake_up:
      return "let a client wait for the release of " + on + " when it is already released";
    case PropertyKind::never:
      return "let this happen: " + on;
    case PropertyKind::every_waiter_acquires:
      return "make a client wait for " + on +
             " for ever: take steps that lead back to where they began, in which each client moves "
             "that always could, or come to where nothing can happen any more";
    case PropertyKind::leads_to:
      return "break '" + property.name +
             "': make its first condition true, and its second never: take steps that lead back "
             "to where they began, in which each client moves that always could, or come to where "
             "nothing can happen any more";
    case PropertyKind::no_unheard_grant:
      return "let a client wait for its turn when " + on + " is already its own";
    case PropertyKind::first_come_first_served:
      return "let a client get " + on + " before one that came first and is alive";
    case PropertyKind::deadlock:
      return "leave a client waiting for ever, when nothing can happen any more";
    case PropertyKind::gone_leave_nothing:
      return "make a client end, and " + on + " or its queue still have its token";
    case PropertyKind::linearizability:
      return "make an operation on " + on + " return what fits no order of the operations";
    case PropertyKind::predicate:
    case PropertyKind::step_predicate:
      break;
  }
  return "break '" + property.name + "'";
}

Game::Game(Scenario scenario, Verdict best)
    : scenario_(std::move(scenario)), simulation_(scenario_), best_(std::move(best)) {
  look();
}

std::vector<std::string> Game::goals() const {
  std::vector<std::string> goals;
  const std::vector<Property>& all = scenario_.properties();
  for (const Property& property : all) {
    // Every scenario requires no_deadlock(): it is a goal only if there is no other.
    const bool always_there = property.kind == PropertyKind::deadlock && all.size() > 1;
    if (!always_there) goals.push_back(goal_text(property));
  }
  return goals;
}

// A wait for ever is a run that comes back to where it was: the player need not say so.
void Game::close_loop() {
  if (!scenario_.requires_liveness()) return;
  const std::size_t steps = run().steps.size();
  if (steps == 0 || violating_step(run())) return;
  for (std::size_t from = steps + 1; from-- > 0;) {
    if (simulation_.close_loop(from)) return;
  }
}

// A step after which the run can go round for ever. A search from here on would not find it: it
// knows nothing of the states before, to which the run may come back.
std::optional<std::uint32_t> Game::closing_step() {
  if (!scenario_.requires_liveness()) return std::nullopt;
  const std::vector<Move> moves = moves_;
  const std::vector<std::uint32_t> plan = plan_;  // which undo() forgets
  std::optional<std::uint32_t> closing;
  for (const Move& move : moves) {
    if (closing || move.fault || !simulation_.take(move.code)) continue;
    look();
    if (standing() == Standing::won) closing = move.code;
    undo();
  }
  plan_ = plan;
  return closing;
}

void Game::look() {
  moves_.clear();
  close_loop();
  if (violating_step(run())) return;
  for (const RunStep& step : simulation_.choices()) {
    Move move;
    move.key = print_short(step);
    move.mover = mover_text(run(), step);
    move.text = move_text(run(), step, scenario_.servers());
    move.fault = step.fault.has_value();
    move.code = step.code;
    moves_.push_back(std::move(move));
  }
}

Game::Standing Game::standing() const {
  if (!moves_.empty()) return Standing::open;
  return violating_step(run()) ? Standing::won : Standing::over;
}

std::vector<std::string> Game::still() const {
  std::vector<std::string> still;
  for (const ClientView& client : now().clients) {
    const bool moves = std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
      return !move.fault && move.mover.substr(0, move.mover.find('/')) == client.name;
    });
    if (!moves) still.push_back(client.name);
  }
  return still;
}

const Move* Game::find(std::string_view word) const {
  const auto named = [this](std::string_view key) {
    const auto at = std::find_if(moves_.begin(), moves_.end(),
                                 [key](const Move& move) { return move.key == key; });
    return at == moves_.end() ? nullptr : &*at;
  };
  if (const Move* move = named(word)) return move;
  const auto client = client_meant(now(), word);
  if (!client) return nullptr;
  if (const Move* move = named(std::to_string(*client + 1))) return move;
  // A client of several tasks has moves of other names: its first one is meant.
  const std::string& name = now().clients[*client].name;
  const auto at = std::find_if(moves_.begin(), moves_.end(), [&](const Move& move) {
    return !move.fault && move.mover.substr(0, move.mover.find('/')) == name;
  });
  return at == moves_.end() ? nullptr : &*at;
}

std::string_view Game::first_key(std::string_view words) const {
  std::size_t longest = 0;
  for (const Move& move : moves_) {
    if (move.key.size() > longest && words.starts_with(move.key)) longest = move.key.size();
  }
  return words.substr(0, longest);
}

MoveAnswer Game::answer_about(const ExpectedStep& step) const {
  MoveAnswer answer;
  answer.why = step.why_not;
  answer.mover = "world";
  if (step.client) answer.mover = now().clients[*step.client].name;
  if (!step.task.empty()) answer.mover += "/" + step.task;
  if (step.server) {
    answer.mover =
        scenario_.servers() == 1 ? "server" : "server " + std::to_string(*step.server + 1);
  }
  if (step.late) answer.what = "a late request";
  if (step.fault) answer.what = to_string(*step.fault);
  if (!step.client && !step.fault) answer.what = "time";
  for (const Move& move : moves_) {
    const bool is_this =
        std::find(step.codes.begin(), step.codes.end(), move.code) != step.codes.end();
    if (is_this) answer.keys.push_back(move.key);
  }
  return answer;
}

Result<std::vector<MoveAnswer>> Game::why(std::string_view word) {
  if (standing() == Standing::won) return impossible(broken_already);
  const std::optional<MeantSteps> meant = MeantSteps::by(word, now());
  if (!meant) return impossible(none_of_the_moves);
  std::vector<MoveAnswer> answers;
  for (const ExpectedStep& step : simulation_.expected_steps()) {
    if (meant->has(step)) answers.push_back(answer_about(step));
  }
  if (answers.empty()) return impossible(none_of_the_moves);
  return answers;
}

std::string Game::why_not(std::string_view word) {
  if (standing() == Standing::won) return broken_already;
  const std::optional<MeantSteps> meant = MeantSteps::by(word, now());
  if (!meant || !meant->is_one_step()) return none_of_the_moves;
  std::string others;
  for (const ExpectedStep& step : simulation_.expected_steps()) {
    if (!meant->has_first(step)) continue;
    const MoveAnswer answer = answer_about(step);
    if (!step.is_possible()) return (step.is_own() ? answer.mover + " " : "") + answer.why;
    for (const std::string& key : answer.keys) others += (others.empty() ? "" : ", ") + key;
  }
  return others.empty() ? none_of_the_moves : "it is possible only as " + others;
}

Result<RunStep> Game::play(std::string_view word) {
  const Move* move = find(word);
  if (move == nullptr) return impossible("it is not possible now");
  Result<RunStep> taken = simulation_.take(move->code);
  const bool as_advised = !plan_.empty() && plan_.front() == move->code;
  if (as_advised) {
    plan_.erase(plan_.begin());
  } else {
    plan_.clear();
  }
  look();
  return taken;
}

bool Game::undo() {
  std::vector<RunStep> taken = run().steps;
  if (taken.empty()) return false;
  taken.pop_back();
  plan_.clear();
  simulation_.restart();
  // A step that was possible once is possible again: a state is a function of the steps that led to
  // it.
  for (const RunStep& step : taken) static_cast<void>(simulation_.take(step.code));
  look();
  return true;
}

void Game::restart() {
  plan_.clear();
  simulation_.restart();
  look();
}

Advice Game::advice(const Limits& limits) {
  Advice advice;
  advice.outcome = Outcome::violated;
  const std::optional<std::uint32_t> closing = closing_step();
  if (closing) {
    plan_.assign(1, *closing);
  } else if (plan_.empty()) {
    WayOn way = simulation_.shortest_violation(limits);
    advice.outcome = way.outcome;
    advice.reason = way.reason;
    plan_ = std::move(way.codes);
  }
  advice.steps = plan_.size();
  if (plan_.empty()) return advice;
  const auto at = std::find_if(moves_.begin(), moves_.end(),
                               [&](const Move& move) { return move.code == plan_.front(); });
  if (at != moves_.end()) advice.next = *at;
  return advice;
}

std::vector<std::string> Game::store() const {
  const draw::TokenNames names(run());
  std::vector<std::string> lines;
  for (const KeyView& key : now().keys) {
    std::string line = key.key + " = " + names.in(key.value);
    if (key.remaining) line += ", ends in " + std::to_string(key.remaining->count()) + " ms";
    if (scenario_.servers() > 1) line += ", on server " + std::to_string(key.server + 1);
    lines.push_back(std::move(line));
  }
  for (const ResourceView& resource : now().resources) {
    if (resource.last_writer.empty()) continue;
    lines.push_back(resource.name + ": last write by " + resource.last_writer +
                    ", greatest fencing token " + std::to_string(resource.greatest_fencing));
  }
  return lines;
}

}  // namespace interlock::sim
