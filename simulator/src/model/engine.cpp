#include "model/engine.hpp"

#include <algorithm>

namespace interlock::sim {
namespace {

void put(std::vector<std::uint32_t>& table,
         std::uint32_t at,
         std::uint32_t value,
         std::uint32_t unknown) {
  if (at >= table.size()) table.resize(at + 1, unknown);
  table[at] = value;
}

}  // namespace

Engine::Engine(const Scenario& scenario,
               const Limits& limits,
               std::shared_ptr<LearnedPrograms> programs)
    : scenario_(scenario),
      clients_(scenario.processes().size()),
      servers_(scenario.servers()),
      programs_(programs != nullptr ? std::move(programs) : std::make_shared<LearnedPrograms>()),
      shared_(
          scenario, limits.widths != nullptr ? *limits.widths : Widths(), programs_->vocabulary),
      predicates_(scenario),
      monitor_(shared_),
      stores_(shared_, monitor_),
      budgets_(scenario.faults()),
      operations_(clients_),
      seen_(clients_),
      heard_(clients_),
      wait_causes_(clients_),
      audited_(clients_) {
  shared_.vocabulary.marks({});
  shared_.vocabulary.choices({});
  programs_->automata.resize(clients_);
  for (std::size_t client = 0; client < clients_; ++client) {
    const Scenario::ClientProgram& process = scenario.processes()[client];
    // Without symmetry each runs its own program, so that nothing rests on their being identical.
    class_of_.push_back(scenario.symmetry() ? process.same_as : client);
    tables_.push_back(nullptr);
    if (class_of_[client] != client) continue;
    std::unique_ptr<Automaton>& automaton = programs_->automata[client];
    if (automaton == nullptr) {
      automaton = std::make_unique<Automaton>(process.program, client, servers_,
                                              limits.local_states, shared_.vocabulary);
    }
    tables_.back() = std::make_unique<ProcessTable>(*automaton, shared_);
  }
  nil = shared_.vocabulary.reply(Value());
  no = shared_.vocabulary.reply(Value(std::int64_t{0}));
  yes = shared_.vocabulary.reply(Value(std::int64_t{1}));
  unavailable =
      shared_.vocabulary.reply(Error(Errc::unavailable, "the simulated server cannot be reached"));
  indeterminate =
      shared_.vocabulary.reply(Error(Errc::indeterminate, "no answer from the simulated server"));
  rejected = shared_.vocabulary.reply(
      Error(Errc::rejected, "OOM command not allowed when used memory > 'maxmemory'."));
  no_subscription = shared_.vocabulary.reply(Error(
      Errc::rejected, "waiting for a message: there is no such subscription: subscribe first"));
  crash_cause =
      monitor_.add_cause(std::vector<MonitorEvent>{MonitorEvent{MonitorEventKind::crash, {}, 0}});
  restart_cause =
      monitor_.add_cause(std::vector<MonitorEvent>{MonitorEvent{MonitorEventKind::restart, {}, 0}});
  endless = scenario.endless();
  last_instant = endless ? 1 : static_cast<std::uint32_t>(scenario.instants() - 1);
  late_arrivals_are_pauses = scenario.counts_late_arrivals();
  looks_between =
      scenario.asks_predicates() || scenario.requires_kind(PropertyKind::linearizability);
  const FaultBudget& faults = scenario.faults();
  clocks_may_be_set = faults.limit(Fault::clock_jump) > 0 || faults.limit(Fault::clock_back) > 0 ||
                      faults.limit(Fault::drift) > 0 ||
                      (faults.limit(Fault::failover) > 0 && scenario.replica().instants_ahead != 0);
  writes_may_be_undone = faults.limit(Fault::failover) > 0;
  looks_after_end = scenario.requires_kind(PropertyKind::step_predicate);
}

std::uint32_t Engine::learn_operation(std::size_t client, std::uint32_t wait) {
  const Operation& asked = process(client).wait(wait).operation;
  const std::uint32_t operation =
      stores_.add_operation(renamed(asked, Permutation::swap(class_of_[client], client)));
  put(operations_[client], wait, operation, unknown);
  return operation;
}

std::uint32_t Engine::learn_reply(std::size_t client, std::uint32_t reply) {
  const Permutation permutation = Permutation::swap(class_of_[client], client);
  const std::uint32_t seen =
      shared_.vocabulary.reply(renamed(shared_.vocabulary.replies[reply], permutation));
  put(seen_[client], reply, seen, unknown);
  return seen;
}

std::uint32_t Engine::learn_message(std::size_t client, std::uint32_t message) {
  const Message published = shared_.messages[message];
  std::string name =
      renamed(shared_.channels[published.channel], Permutation::swap(class_of_[client], client));
  std::string identity = name;
  const std::uint32_t channel = shared_.channels.add(std::move(name), std::move(identity)).first;
  const std::uint32_t heard = shared_.messages.add(channel, seen_by(client, published.text));
  put(heard_[client], message, heard, unknown);
  return heard;
}

std::uint32_t Engine::after_hearing(std::size_t client,
                                    std::uint32_t config,
                                    std::size_t server,
                                    std::uint32_t messages) {
  ProcessTable& table = process(client);
  if (!table.info(config).subscribed) return config;
  for (const std::uint32_t message : stores_.message_list(messages)) {
    const ProcessTable::Results results =
        table.step(config, ProcessTable::Edit::hear, static_cast<std::uint8_t>(server),
                   message_heard_by(client, message), ClockInstants(), false);
    config = table.result(results.first).config;
  }
  return config;
}

std::uint32_t Engine::after_reconnecting(std::size_t client,
                                         std::uint32_t config,
                                         std::size_t server) {
  ProcessTable& table = process(client);
  const ProcessTable::Results results =
      table.step(config, ProcessTable::Edit::reconnect, static_cast<std::uint8_t>(server), 0,
                 ClockInstants(), false);
  return table.result(results.first).config;
}

Engine::Restarts Engine::restarts(std::size_t client, std::uint32_t config) {
  const ProcessTable& table = process(client);
  const std::size_t requests = countable(table.requests_on_way(config).size(), Action::choice_bits,
                                         "requests on their way of a client that restarts");
  Restarts restarts;
  restarts.ways = 1U << requests;
  restarts.awaited = (1U << table.requests_awaited(config)) - 1;
  return restarts;
}

std::uint32_t Engine::after_crash(std::size_t client,
                                  std::uint32_t config,
                                  bool restarts,
                                  std::uint32_t arrive) {
  ProcessTable& table = process(client);
  const auto edit = restarts ? ProcessTable::Edit::restart : ProcessTable::Edit::crash;
  return table.result(table.step(config, edit, 0, arrive, ClockInstants(), false).first).config;
}

std::uint32_t Engine::learn_causes(std::uint32_t marks) {
  while (causes_.size() <= marks) {
    const auto next = static_cast<std::uint32_t>(causes_.size());
    causes_.push_back(monitor_.add_cause(shared_.vocabulary.mark_lists[next]));
  }
  return causes_[marks];
}

std::uint32_t Engine::learn_wait_cause(std::size_t client, std::uint32_t wait) {
  const Wait& asked = process(client).wait(wait);
  const auto kind =
      asked.kind == WaitKind::leave ? MonitorEventKind::leave : MonitorEventKind::write;
  const std::uint32_t cause = monitor_.add_cause(
      std::vector<MonitorEvent>{MonitorEvent{kind, asked.subject, asked.fencing}});
  put(wait_causes_[class_of_[client]], wait, cause, unknown);
  return cause;
}

std::uint32_t Engine::merged_local_states() const {
  std::uint32_t count = 0;
  for (const auto& table : tables_) {
    if (table != nullptr) count += table->merged_local_states();
  }
  return count;
}

bool Engine::is_merge_refuted() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const auto& table) {
    return table != nullptr && table->is_merge_refuted();
  });
}

std::string Engine::failure() const {
  for (const auto& table : tables_) {
    if (table != nullptr && !table->automaton().failure().empty()) {
      return table->automaton().failure();
    }
  }
  if (!audited_.failure.empty()) return audited_.failure;
  if (!predicates_.failure().empty()) return predicates_.failure();
  if (!wrong_specification().empty()) return wrong_specification();
  if (!stores_.script_check().failure().empty()) return stores_.script_check().failure();
  return shared_.happenings.failure();
}

const Happenings& Engine::all_happenings() {
  for (const auto& table : tables_) {
    if (table == nullptr) continue;
    if (table->waits_for_messages()) shared_.happenings.note(HappeningKind::listens);
    if (table->ends()) shared_.happenings.note(HappeningKind::one_ends);
  }
  return shared_.happenings;
}

// The time that lasts too long, in words; empty: none does.
std::string Engine::too_long() const {
  if (shared_.longest.longer() == Duration::zero()) return {};
  const auto ms = [](Duration duration) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(duration).count()) + " ms";
  };
  const Duration most = scenario_.apart() * Scenario::longest_max;
  const bool far = shared_.longest.longer() > most;
  return "time has no end, and " + shared_.longest.what() + " lasts " +
         ms(shared_.longest.longer()) + ", " +
         (far ? "more than the " + std::to_string(Scenario::longest_max) + " instants, " +
                    ms(most) +
                    ", that such a search tells apart: give a number of instants, for example 5, "
                    "or in a scenario of your own put them farther apart (Scenario::instants) or "
                    "let such keys stay (Scenario::long_lived_keys_stay)"
              : "longer than the longest, " + ms(shared_.longest.most()) +
                    ": give Scenario::time_without_end() what is the longest");
}

std::string Engine::undecidable() const {
  if (shared_.longest.longer() > Duration::zero()) return too_long();
  for (const auto& table : tables_) {
    if (table != nullptr && !table->automaton().broken_promise().empty()) {
      return table->automaton().broken_promise();
    }
  }
  if (!audited_.broken_promise.empty()) return audited_.broken_promise;
  if (!predicates_.needs_time().empty()) return predicates_.needs_time();
  if (!stores_.script_check().needs_time().empty()) return stores_.script_check().needs_time();
  return shared_.capacity.exceeded();
}

std::string Engine::why_no_verdict() const {
  std::string why = failure();
  return why.empty() ? undecidable() : why;
}

bool Engine::too_large() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const auto& table) {
    return table != nullptr && table->automaton().too_large();
  });
}

std::uint32_t Engine::program_steps() const {
  std::uint32_t longest = 0;
  for (const auto& table : tables_) {
    if (table != nullptr) longest = std::max(longest, table->automaton().longest());
  }
  return longest;
}

std::uint32_t Engine::largest_number() const {
  std::uint32_t largest =
      std::max({stores_.size(), monitor_.size(), budgets_.size(), last_instant});
  for (const auto& table : tables_) {
    if (table != nullptr) largest = std::max(largest, table->size());
  }
  return largest;
}

std::size_t Engine::bytes() const {
  // Measured on lease-lock, queue-lock and a program of a million local states.
  constexpr std::size_t of_local = 600;
  constexpr std::size_t of_config = 400;
  constexpr std::size_t of_store = 600;
  std::size_t bytes = (stores_.size() + monitor_.size()) * of_store;
  for (const auto& table : tables_) {
    if (table == nullptr) continue;
    bytes += table->automaton().size() * of_local + table->size() * of_config;
  }
  return bytes;
}

std::uint32_t Engine::local_states() const {
  std::uint32_t count = 0;
  for (const auto& table : tables_) {
    if (table != nullptr) count += table->automaton().size();
  }
  return count;
}

std::uint32_t Engine::coroutine_runs() const {
  std::uint32_t count = 0;
  for (const auto& table : tables_) {
    if (table != nullptr) count += table->automaton().runs();
  }
  return count + audited_.runs;
}

std::vector<std::size_t> Engine::clients_of(std::size_t first) const {
  std::vector<std::size_t> all;
  for (std::size_t client = first; client < clients_; ++client) {
    if (class_of_[client] == first) all.push_back(client);
  }
  return all;
}

std::vector<std::vector<std::size_t>> Engine::merged_beside(std::size_t first) const {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t other = 0; other < clients_ && merges_identical_clients(); ++other) {
    if (other == first || class_of_[other] != other) continue;
    std::vector<std::size_t> group = clients_of(other);
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

bool Engine::initial_keys_name_identical_clients() const {
  std::uint32_t named = 0;
  for (const Scenario::InitialKey& initial : scenario_.initial_keys()) {
    named |= mentions(initial.key.text()) | mentions(initial.entry.value);
  }
  for (std::size_t client = 0; client < clients_; ++client) {
    if ((named >> client & 1) != 0 && clients_of(class_of_[client]).size() > 1) return true;
  }
  return false;
}

void Engine::forget_taken() {
  budgets_.forget_taken();
  for (const auto& table : tables_) {
    if (table != nullptr) table->forget_taken();
  }
}

std::vector<std::string> Engine::trusts() const {
  std::vector<std::string> all;
  for (std::size_t first = 0; first < clients_; ++first) {
    if (tables_[first] == nullptr) continue;
    const std::vector<std::size_t> clients = clients_of(first);
    std::string who;
    for (const std::size_t client : clients) {
      who += (who.empty() ? "" : ", ") + scenario_.processes()[client].name;
    }
    const Automaton& program = tables_[first]->automaton();
    const AuditReport::OfProgram& seen = audited_.programs[first];
    const std::string compared = seen.rounds_compared == AuditReport::rounds_max
                                     ? std::to_string(seen.rounds_compared) + " rounds compared"
                                     : "a sample compared";
    for (const std::string& promise : program.promises()) {
      all.push_back(promise + " holds all that rounds of " + who + " need (" + compared + ")");
    }
    if (clients.size() > 1 && !seen.twins_are_alike) all.push_back("identical clients " + who);
    if (endless) all.push_back("clock differences of " + who);
    if (program.cuts_jitter()) all.push_back("jitter of " + who + " at its ends alone");
  }
  for (const auto& more : {predicates_.trusts(), stores_.script_check().trusts()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace interlock::sim
