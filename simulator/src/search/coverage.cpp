#include "search/coverage.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "interlock/store/script.hpp"
#include "run/words.hpp"

namespace interlock::sim {
namespace {

constexpr const char* any_value = "a value";
constexpr const char* any_number = "a number";
constexpr const char* message = "a message";
constexpr const char* time_over = "time over";
constexpr const char* cut_off = "cut off";
constexpr const char* wakes = "wakes";
constexpr const char* no_answer = "?";
constexpr const char* unsent = "unsent";
constexpr const char* refused = "refused";

using Names = std::vector<std::string>;

// --- the answers of a store ----------------------------------------------------------------------

// Answers that a program can hardly treat differently are one: all values of a key, all numbers of
// a counter.
std::string class_of(const Value& value) {
  if (value.list() != nullptr) return "a list";
  if (const auto* text = value.text()) return *text == "OK" ? *text : any_value;
  const auto* number = value.number();
  if (number == nullptr) return "nil";
  const bool is_sign = *number >= -2 && *number <= 1;
  return is_sign ? std::to_string(*number) : any_number;
}

std::string class_of(const Operation& operation, const Reply& reply) {
  if (!reply) return std::string(draw::error_text(reply.error().code()));
  const std::string_view word = draw::owner_answer(operation.kind, *reply);
  if (!word.empty()) return std::string(word);
  switch (operation.kind) {
    case OperationKind::increment:
      return any_number;
    case OperationKind::publish:
      return *reply == Value(std::int64_t{0}) ? "0" : "heard";
    case OperationKind::subscribe:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      return "ok";
    default:
      return class_of(*reply);
  }
}

std::string upper(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return text;
}

// A command that a process of another language has sent, and whose answers are well known.
Names answers_of_command(const ArgumentList& words) {
  const std::string command = upper(words.front());
  if (command == "GET" || command == "GETSET") return {any_value, "nil"};
  if (command == "SETNX" || command == "DEL" || command == "PEXPIRE" || command == "EXPIRE") {
    return {"1", "0"};
  }
  if (command != "SET") return {};
  const bool conditional =
      std::any_of(words.begin(), words.end(), [](const auto& word) { return upper(word) == "NX"; });
  return conditional ? Names{"OK", "nil"} : Names{"OK"};
}

// What the store can answer to an operation that nothing disturbs; nothing: it is not known.
Names answers_of(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::get:
    case OperationKind::exchange:
      return {any_value, "nil"};
    case OperationKind::set:
      return {"OK"};
    case OperationKind::set_if_absent:
    case OperationKind::erase:
    case OperationKind::expire:
      return {"1", "0"};
    case OperationKind::remaining:
      return {any_number, "-2"};
    case OperationKind::increment:
      return {any_number};
    case OperationKind::claim:
      return {"ok", "held"};
    case OperationKind::renew:
    case OperationKind::release:
      return {"ok", "gone", "not mine"};
    case OperationKind::publish:
      return {"heard", "0"};
    case OperationKind::subscribe:
    case OperationKind::interrupt:
    case OperationKind::unsubscribe:
      return {"ok"};
    case OperationKind::run:
      return is_spelled_out(operation) ? answers_of_command(operation.arguments) : Names();
    case OperationKind::await_message:
      break;
  }
  return {};
}

// --- what may go wrong ---------------------------------------------------------------------------

// Where no fault at all may happen, Scenario::faults() has no limits either.
bool may_happen(const FaultBudget& budget, Fault fault) {
  return budget.limit(fault) > 0;
}

bool connections_may_break(const FaultBudget& budget) {
  return allows_some_of<&FaultKind::breaks_connections>(budget);
}

Names errors_of(const Wait& wait, const FaultBudget& budget) {
  const bool refuses = may_happen(budget, Fault::rejected);
  const bool loses = may_happen(budget, Fault::lost_request);
  const bool cuts = may_happen(budget, Fault::unreachable);
  if (wait.kind == WaitKind::message) {
    const bool ends = refuses || loses || cuts || connections_may_break(budget);
    return ends ? Names{cut_off} : Names();
  }
  const bool has_copies = is_immediate(wait.operation.kind);
  const bool hides = has_copies && (may_happen(budget, Fault::lost_reply) ||
                                    may_happen(budget, Fault::late_execution));
  const bool breaks = connections_may_break(budget) && !budget.requests_survive();
  Names errors;
  if (loses || hides || breaks) errors.emplace_back(no_answer);
  if (cuts) errors.emplace_back(unsent);
  if (refuses) errors.emplace_back(refused);
  return errors;
}

// --- operations ----------------------------------------------------------------------------------

class CoverageReader {
 public:
  explicit CoverageReader(const Engine& engine)
      : engine_(engine), scenario_(engine.scenario()), vocabulary_(engine.vocabulary()) {}

  Coverage read() {
    for (std::size_t client = 0; client < engine_.clients(); ++client) {
      if (engine_.class_of(client) != client) continue;
      who_ = scenario_.processes()[client].same_as;
      read(engine_.process(client));
    }
    for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
      const auto fault = static_cast<Fault>(kind);
      if (!may_happen(scenario_.faults(), fault)) continue;
      coverage_.faults.push_back(
          CoveredOutcome{std::string(to_string(fault)), engine_.budgets().is_taken(fault)});
    }
    return std::move(coverage_);
  }

 private:
  void read(const ProcessTable& table) {
    known_.clear();
    marks_read_.clear();
    table.each_taken([&](const ProcessTable::TakenStep& step) {
      for (std::uint32_t at = 0; at < step.results.count; ++at) {
        const ProcessTable::ProcessStep& result = table.result(step.results.first + at);
        read_marks(result.marks);
        const Automaton::Local local = table.local(result.config);
        const auto slots = static_cast<std::uint8_t>(table.automaton().waits(local).size());
        for (std::uint8_t slot = 0; slot < slots; ++slot) operation_at(table, local, slot);
      }
      const bool answers = step.edit <= ProcessTable::Edit::deliver && !step.hold;
      if (answers && step.slot != Automaton::start_slot) read_answer(table, step);
    });
  }

  void read_answer(const ProcessTable& table, const ProcessTable::TakenStep& step) {
    const Automaton::Local local = table.local(step.before);
    CoveredOperation* const operation = operation_at(table, local, step.slot);
    if (operation == nullptr) return;
    const Wait& wait = table.wait(table.automaton().waits(local)[step.slot]);
    const std::uint32_t reply = step.edit == ProcessTable::Edit::deliver
                                    ? table.held_reply(step.before, step.slot)
                                    : step.reply;
    see(operation->outcomes, outcome_of(wait, reply));
  }

  std::string outcome_of(const Wait& wait, std::uint32_t reply) const {
    switch (wait.kind) {
      case WaitKind::message:
        if (!vocabulary_.replies[reply]) return cut_off;
        return reply == engine_.no ? time_over : message;
      case WaitKind::sleep:
        return wakes;
      case WaitKind::write:
        if (reply == engine_.indeterminate) return no_answer;
        return reply == engine_.no ? refused : "ok";
      default:
        return class_of(wait.operation, vocabulary_.replies[reply]);
    }
  }

  // Null: the program waits for something that is no operation and always comes.
  CoveredOperation* operation_at(const ProcessTable& table,
                                 Automaton::Local local,
                                 std::uint8_t slot) {
    const std::uint32_t id = table.automaton().waits(local)[slot];
    const Wait& wait = table.wait(id);
    const bool counts = wait.kind == WaitKind::operation || wait.kind == WaitKind::message ||
                        wait.kind == WaitKind::sleep || wait.kind == WaitKind::write;
    if (!counts) return nullptr;
    const detail::SourceLine line = table.automaton().line(local, slot);
    const auto [at, is_new] = known_.emplace(std::tuple(id, line.file, line.number), 0);
    if (is_new) at->second = row_of(table, wait, line);
    return &coverage_.operations[at->second];
  }

  std::size_t row_of(const ProcessTable& table, const Wait& wait, detail::SourceLine line) {
    CoveredOperation row;
    row.task = wait.task;
    row.what = what_of(wait);
    row.file = line.file == nullptr ? "" : line.file;
    row.line = line.number;
    const auto [at, is_new] = rows_.emplace(
        std::tuple(who_, row.task, row.what, row.file, row.line), coverage_.operations.size());
    if (is_new) {
      row.clients = names_of(who_);
      coverage_.operations.push_back(std::move(row));
    }
    for (const std::string& name : possible_outcomes(table, wait)) {
      named(coverage_.operations[at->second].outcomes, name);
    }
    return at->second;
  }

  std::string what_of(const Wait& wait) const {
    switch (wait.kind) {
      case WaitKind::sleep:
        return "sleep";
      case WaitKind::write:
        return "write " + wait.subject;
      case WaitKind::message:
        return describe(wait);
      default:
        break;
    }
    const std::string key = draw::target_of(wait.operation);
    std::string what = draw::operation_word(wait.operation) + (key.empty() ? "" : " " + key);
    if (engine_.servers() > 1) what += " on server " + std::to_string(wait.server + 1);
    return what;
  }

  Names possible_outcomes(const ProcessTable& table, const Wait& wait) const {
    if (wait.kind == WaitKind::sleep) return {wakes};
    if (wait.kind == WaitKind::write) {
      const Names& checking = scenario_.checking_resources();
      const bool checks =
          std::find(checking.begin(), checking.end(), wait.subject) != checking.end();
      Names possible = checks ? Names{"ok", refused} : Names{"ok"};
      const bool hides = may_happen(scenario_.faults(), Fault::lost_write) ||
                         may_happen(scenario_.faults(), Fault::late_write);
      if (hides) possible.emplace_back(no_answer);
      return possible;
    }
    Names possible = answers_of(wait.operation);
    if (wait.kind == WaitKind::message) {
      possible = {message};
      if (!table.instants().is_for_ever(wait.operation.until)) possible.emplace_back(time_over);
    }
    for (std::string& error : errors_of(wait, scenario_.faults())) {
      possible.push_back(std::move(error));
    }
    return possible;
  }

  // --- sections ----------------------------------------------------------------------------------
  void read_marks(std::uint32_t marks) {
    if (!marks_read_.emplace(marks, true).second) return;
    for (const Mark& mark : vocabulary_.mark_lists[marks]) {
      if (mark.kind != MarkKind::enter && mark.kind != MarkKind::wants) continue;
      const Names who = names_of(who_);
      std::string name;
      for (const std::string& client : who) name += (name.empty() ? "" : ", ") + client;
      name += (who.size() > 1 ? " enter " : " enters ") + mark.subject;
      CoveredOutcome& section = named(coverage_.sections, name);
      section.seen = section.seen || mark.kind == MarkKind::enter;
    }
  }

  // --- pieces ------------------------------------------------------------------------------------
  static CoveredOutcome& named(std::vector<CoveredOutcome>& outcomes, const std::string& name) {
    for (CoveredOutcome& outcome : outcomes) {
      if (outcome.name == name) return outcome;
    }
    return outcomes.emplace_back(CoveredOutcome{name, false});
  }
  static void see(std::vector<CoveredOutcome>& outcomes, const std::string& name) {
    named(outcomes, name).seen = true;
  }
  // All clients that run the program of the client `first`.
  Names names_of(std::size_t first) const {
    Names names;
    for (const Scenario::ClientProgram& one : scenario_.processes()) {
      if (one.same_as == first) names.push_back(one.name);
    }
    return names;
  }

  const Engine& engine_;
  const Scenario& scenario_;
  const Vocabulary& vocabulary_;
  Coverage coverage_;
  std::size_t who_ = 0;  // the first of those that run the program
  std::map<std::tuple<std::uint32_t, const char*, std::uint32_t>, std::size_t> known_;
  std::map<std::uint32_t, bool> marks_read_;
  std::map<std::tuple<std::size_t, std::string, std::string, std::string, std::uint32_t>,
           std::size_t>
      rows_;
};

// --- what is told of it --------------------------------------------------------------------------

template <class Visit>
void each_outcome(const Coverage& coverage, Visit visit) {
  for (const CoveredOutcome& section : coverage.sections) visit(section);
  for (const CoveredOutcome& fault : coverage.faults) visit(fault);
  for (const CoveredOperation& operation : coverage.operations) {
    for (const CoveredOutcome& outcome : operation.outcomes) visit(outcome);
  }
}

// `GET lock.foo`, `B GET lock.foo`, `GET lock.foo (stamp_lock.cpp:44)`.
std::string name_in(const Coverage& coverage, const CoveredOperation& operation) {
  bool has_other_programs = false;
  bool has_namesakes = false;
  for (const CoveredOperation& other : coverage.operations) {
    const bool is_other_program = other.clients != operation.clients;
    has_other_programs = has_other_programs || is_other_program;
    has_namesakes = has_namesakes ||
                    (&other != &operation && !is_other_program && other.what == operation.what);
  }
  std::string name = operation.what;
  if (has_other_programs && !operation.clients.empty()) {
    name = operation.clients.front() + " " + name;
  }
  if (has_namesakes && !operation.file.empty()) {
    const std::string file = operation.file.substr(operation.file.rfind('/') + 1);
    name += " (" + file + ":" + std::to_string(operation.line) + ")";
  }
  return name;
}

}  // namespace

std::size_t Coverage::outcomes() const {
  std::size_t count = 0;
  each_outcome(*this, [&](const CoveredOutcome&) { ++count; });
  return count;
}

std::size_t Coverage::seen() const {
  std::size_t count = 0;
  each_outcome(*this, [&](const CoveredOutcome& outcome) { count += outcome.seen ? 1 : 0; });
  return count;
}

std::vector<std::string> Coverage::files() const {
  std::vector<std::string> names;
  for (const CoveredOperation& operation : operations) {
    const bool known = std::find(names.begin(), names.end(), operation.file) != names.end();
    if (!known && !operation.file.empty()) names.push_back(operation.file);
  }
  return names;
}

std::vector<std::string> Coverage::never() const {
  std::vector<std::string> names;
  for (const CoveredOutcome& section : sections) {
    if (!section.seen) names.push_back(section.name);
  }
  for (const CoveredOutcome& fault : faults) {
    if (!fault.seen) names.push_back("fault " + fault.name);
  }
  for (const CoveredOperation& operation : operations) {
    for (const CoveredOutcome& outcome : operation.outcomes) {
      if (!outcome.seen) names.push_back(name_in(*this, operation) + "→" + outcome.name);
    }
  }
  return names;
}

std::string Coverage::never_in_words(std::size_t most) const {
  const std::vector<std::string> names = never();
  if (names.empty()) return {};
  std::string text =
      std::to_string(names.size()) + " of " + std::to_string(outcomes()) + " outcomes: ";
  for (std::size_t at = 0; at < std::min(most, names.size()); ++at) {
    text += (at == 0 ? "" : ", ") + names[at];
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

Coverage coverage_of(const Engine& engine) {
  return CoverageReader(engine).read();
}

}  // namespace interlock::sim
