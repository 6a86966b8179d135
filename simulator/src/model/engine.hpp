// The tables of one scenario together, and the meaning of a state: which number stands for what.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/widths.hpp"
#include "interlock/sim/explore.hpp"
#include "model/action.hpp"
#include "model/audit_report.hpp"
#include "model/budget_table.hpp"
#include "model/monitor.hpp"
#include "model/predicates.hpp"
#include "model/process_table.hpp"
#include "model/shared.hpp"
#include "model/store_table.hpp"
#include "process/learned_programs.hpp"

namespace interlock::sim {

// The whole world between two steps: one number for each process and server, then the monitor, the
// time and the budget.
template <class NumberType, std::size_t Components>
class State {
 public:
  using Number = NumberType;
  static constexpr std::size_t components = Components;

  std::uint32_t operator[](std::size_t component) const { return components_[component]; }
  void set(std::size_t component, std::uint32_t value) {
    components_[component] = static_cast<Number>(value);
  }

  // Compares word by word, because a call of memcmp costs more than the comparison.
  static constexpr std::size_t words = Components * sizeof(Number) / 8;
  std::uint64_t word(std::size_t at) const {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(components_.data()) + at * 8, 8);
    return word;
  }
  void set_word(std::size_t at, std::uint64_t word) {
    std::memcpy(reinterpret_cast<unsigned char*>(components_.data()) + at * 8, &word, 8);
  }
  // Component by component, bit by bit: with masks whose components are all ones or zero, to take
  // components out of one state and put them into another.
  friend State operator&(const State& one, const State& other) {
    State both;
    for (std::size_t at = 0; at < words; ++at) both.set_word(at, one.word(at) & other.word(at));
    return both;
  }
  friend State operator|(const State& one, const State& other) {
    State either;
    for (std::size_t at = 0; at < words; ++at) either.set_word(at, one.word(at) | other.word(at));
    return either;
  }
  friend bool operator==(const State& one, const State& other) {
    std::uint64_t differs = 0;
    for (std::size_t at = 0; at < words; ++at) differs |= one.word(at) ^ other.word(at);
    return differs == 0;
  }

 private:
  static_assert(Components * sizeof(Number) % 8 == 0);
  std::array<Number, Components> components_{};
};

class Engine {
 public:
  // `programs`: those that an engine of the same scenario has learned; null: none is known.
  Engine(const Scenario& scenario,
         const Limits& limits,
         std::shared_ptr<LearnedPrograms> programs = nullptr);

  std::size_t clients() const { return clients_; }
  std::size_t servers() const { return servers_; }
  std::size_t store_component(std::size_t server) const { return clients_ + server; }
  std::size_t monitor_component() const { return clients_ + servers_; }
  std::size_t time_component() const { return clients_ + servers_ + 1; }
  std::size_t budget_component() const { return clients_ + servers_ + 2; }
  std::size_t components() const { return clients_ + servers_ + 3; }

  template <class S>
  S initial() {
    S state{};
    for (std::size_t server = 0; server < servers_; ++server) {
      state.set(store_component(server), stores_.initial(server));
    }
    return state;
  }

  const Scenario& scenario() const { return scenario_; }
  // Where time has no end: the `longest` with which the search must begin anew; zero: it need not.
  Duration longer_than_longest() const { return shared_.longest.longer(); }
  // Before each search: where it begins.
  template <class S>
  void begin_search(const S& first) {
    clients_begin_alike_ = first == initial<S>() && !initial_keys_name_identical_clients();
  }
  // Whether what happens to one of several identical clients can happen to each of them in the
  // search that has begun. Not so if it begins in the middle of a run, where each stands elsewhere,
  // or if an initial key names one of them.
  bool identical_clients_begin_alike() const { return clients_begin_alike_; }
  // False where fairness is required, because that is about each client separately. A predicate may
  // name a client, too: the search asks it about all arrangements of a state (arrangements.hpp),
  // and each of these can be reached if identical clients begin alike.
  bool merges_identical_clients() const {
    return scenario_.symmetry() && !scenario_.requires_liveness() &&
           !(scenario_.requires_own() && !identical_clients_begin_alike());
  }
  const std::shared_ptr<LearnedPrograms>& programs() const { return programs_; }
  // As how many it takes the local states of all programs. 0: as what they are.
  std::uint32_t merged_local_states() const;
  // Whether it has taken some as one that may do different things: what was found means nothing.
  bool is_merge_refuted() const;
  ProcessTable& process(std::size_t client) { return *tables_[class_of_[client]]; }
  const ProcessTable& process(std::size_t client) const { return *tables_[class_of_[client]]; }
  // The client whose names the program's automaton uses.
  std::size_t class_of(std::size_t client) const { return class_of_[client]; }
  StoreTable& stores() { return stores_; }
  MonitorTable& monitor() { return monitor_; }
  Happenings& happenings() { return shared_.happenings; }
  Predicates& predicates() { return predicates_; }
  const std::string& wrong_specification() const { return shared_.specifications.failure(); }
  // Called when a search is over: asks the user's functions once more.
  void ask_again() {
    predicates_.ask_again();
    shared_.specifications.ask_again();
  }
  // For the end of the search: also counts what only the tables show.
  const Happenings& all_happenings();
  BudgetTable& budgets() { return budgets_; }
  const BudgetTable& budgets() const { return budgets_; }
  Vocabulary& vocabulary() { return shared_.vocabulary; }
  const Vocabulary& vocabulary() const { return shared_.vocabulary; }
  Interner<std::string>& channels() { return shared_.channels; }
  const Capacity& capacity() const { return shared_.capacity; }
  const Widths& widths() const { return shared_.capacity.widths(); }
  // How many of `count` things there is room for.
  std::size_t countable(std::size_t count, std::uint32_t most, std::string_view what) {
    return shared_.capacity.fits(count, most, what) ? count : most;
  }

  // From an automaton's words to this client's, and back.
  std::uint32_t operation_of(std::size_t client, std::uint32_t wait) {
    std::vector<std::uint32_t>& known = operations_[client];
    if (wait < known.size() && known[wait] != unknown) return known[wait];
    return learn_operation(client, wait);
  }
  std::uint32_t seen_by(std::size_t client, std::uint32_t reply) {
    if (class_of_[client] == client) return reply;
    std::vector<std::uint32_t>& known = seen_[client];
    if (reply < known.size() && known[reply] != unknown) return known[reply];
    return learn_reply(client, reply);
  }
  // A message in the words of this client's automaton: its channel and its text may hold owner
  // tokens.
  std::uint32_t message_heard_by(std::size_t client, std::uint32_t message) {
    if (class_of_[client] == client) return message;
    std::vector<std::uint32_t>& known = heard_[client];
    if (message < known.size() && known[message] != unknown) return known[message];
    return learn_message(client, message);
  }
  const Message& heard_by(std::size_t client, std::uint32_t message) {
    return shared_.messages[message_heard_by(client, message)];
  }
  // The config of a client after somebody else's step: a server has published messages, or its
  // connections broke.
  std::uint32_t after_hearing(std::size_t client,
                              std::uint32_t config,
                              std::size_t server,
                              std::uint32_t messages);
  std::uint32_t after_reconnecting(std::size_t client, std::uint32_t config, std::size_t server);
  // The ways in which a client can restart: which of its requests arrive later, bit by bit.
  class Restarts {
   public:
    std::uint32_t ways = 1;
    std::uint32_t awaited = 0;  // the bits of those for whose answers its tasks wait
  };
  Restarts restarts(std::size_t client, std::uint32_t config);
  std::uint32_t after_crash(std::size_t client,
                            std::uint32_t config,
                            bool restarts,
                            std::uint32_t arrive);
  std::uint32_t cause_of_marks(std::uint32_t marks) {
    if (marks < causes_.size()) return causes_[marks];
    return learn_causes(marks);
  }
  // Only for a wait that is a leave or a write.
  std::uint32_t cause_of_wait(std::size_t client, std::uint32_t wait) {
    std::vector<std::uint32_t>& known = wait_causes_[class_of_[client]];
    if (wait < known.size() && known[wait] != unknown) return known[wait];
    return learn_wait_cause(client, wait);
  }

  // The readings of all clients' clocks.
  ClocksOfAll clocks(std::uint32_t budget, std::uint32_t time) const {
    ClocksOfAll all;
    for (std::size_t client = 0; client < clients_; ++client) {
      all[client] = budgets_.clocks(budget, client, static_cast<std::int32_t>(time));
    }
    return all;
  }

  // Answers that the world gives by itself.
  std::uint32_t nil = 0;
  std::uint32_t no = 0;
  std::uint32_t yes = 0;
  std::uint32_t unavailable = 0;
  std::uint32_t indeterminate = 0;
  std::uint32_t rejected = 0;
  std::uint32_t no_subscription = 0;
  std::uint32_t crash_cause = 0;
  std::uint32_t restart_cause = 0;
  std::uint32_t last_instant = 0;
  bool endless = false;  // it is always instant 0, and never the last
  bool clocks_may_be_set = false;
  bool late_arrivals_are_pauses = false;
  // By a failover: also the last write of all, when every client has ended.
  bool writes_may_be_undone = false;
  // A user's property looks at steps, also at those that come when every client has ended.
  bool looks_after_end = false;
  // A user's predicate looks also between the execution of a request and its answer. An operation
  // on an object may begin and end there, and others may overlap with it or come after it.
  bool looks_between = false;

  // Empty, or why no verdict is possible, in the order of Outcome::invalid.
  std::string failure() const;
  // Empty, or why no end of the search is a verdict, in the order of Outcome::incomplete: a program
  // or a predicate needs to know the time itself, or the tables have run out of numbers.
  std::string undecidable() const;
  // Either.
  std::string why_no_verdict() const;
  bool too_large() const;
  // The steps that one client has taken one after another, at most.
  std::uint32_t program_steps() const;
  std::uint32_t largest_number() const;
  // An estimate, because the tables hold texts and trees.
  std::size_t bytes() const;
  std::uint32_t local_states() const;
  std::uint32_t coroutine_runs() const;
  // For a search that begins again, with what the tables have learned: coverage_of() then tells of
  // that search alone.
  void forget_taken();
  // What audit_programs() has found out, at the end of a search; failure(), undecidable() and
  // trusts() tell of it.
  AuditReport& audited() { return audited_; }
  // All clients that run the program of `first`, which is the first of them.
  std::vector<std::size_t> clients_of(std::size_t first) const;
  // Groups of identical clients but that of `first`, if the search merges them.
  std::vector<std::vector<std::size_t>> merged_beside(std::size_t first) const;
  // What was taken on trust, for Verdict::trusts.
  std::vector<std::string> trusts() const;

 private:
  bool initial_keys_name_identical_clients() const;

  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  std::string too_long() const;
  std::uint32_t learn_operation(std::size_t client, std::uint32_t wait);
  std::uint32_t learn_reply(std::size_t client, std::uint32_t reply);
  std::uint32_t learn_message(std::size_t client, std::uint32_t message);
  std::uint32_t learn_causes(std::uint32_t marks);
  std::uint32_t learn_wait_cause(std::size_t client, std::uint32_t wait);

  const Scenario& scenario_;
  std::size_t clients_;
  std::size_t servers_;
  std::shared_ptr<LearnedPrograms> programs_;
  EngineShared shared_;
  Predicates predicates_;
  MonitorTable monitor_;
  StoreTable stores_;
  BudgetTable budgets_;
  std::vector<std::size_t> class_of_;
  std::vector<std::unique_ptr<ProcessTable>> tables_;
  std::vector<std::vector<std::uint32_t>> operations_;
  std::vector<std::vector<std::uint32_t>> seen_;
  std::vector<std::vector<std::uint32_t>> heard_;
  std::vector<std::vector<std::uint32_t>> wait_causes_;
  std::vector<std::uint32_t> causes_;
  bool clients_begin_alike_ = false;
  AuditReport audited_;
};

}  // namespace interlock::sim
